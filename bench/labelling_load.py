"""Volunteers against the real server, as fast as pages come: `python bench/labelling_load.py`.

A server of its own process serves a campaign of 100,000 posts x 3 on SQLite, then on PostgreSQL; 200 volunteers, each
a connection, take a post, answer it, and now and then ask for an empty page of the same server. Prints the median and
95th percentile of each, and the ratio of "next post" to the empty page under the same load, then counts what was
acknowledged against what is stored. Fails where the ratio is 4 or more, a post has more than three answers, a rater
met a post twice, or an acknowledged answer is missing.

Options: --seconds 300, --volunteers 200, --posts 100000, --database sqlite|postgresql.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from labelling_world import databases, percentile, posts

from comoderate.annotation import (
    CampaignSettings,
    add_rater,
    create_campaign,
    load_tasks,
    open_database,
    open_session,
    record_consent,
    stream_annotations,
)
from comoderate.study import Study
from comoderate.web.keys import sign, web_key
from comoderate.web.sessions import Session, SessionCookie

OVERLAP, BAR = 3, 4.0
TOML = """
[study]
title = "Trains"
question = "How often are people unkind about trains?"
seed = 1
format = 1

[posts]
path = "posts.csv"

[codebook.question.problem]
text = "Is this post unkind to somebody?"
kind = "ordinal"
answers = ["No", "Somewhat", "Very"]

[target.unkind]
question = "problem"
at_least = "Somewhat"

[sample.main]
design = "uniform"
size = 1

[campaign.trains]
sample = "main"
cap = 1000000
break_after = 1000000

[web]
database = "{url}"
"""
SERVER = """
import sys, uvicorn
from comoderate.web.app import create_app
app = create_app(sys.argv[1], load=False)
uvicorn.run(app, port=int(sys.argv[2]), log_level="error", backlog=4096, timeout_keep_alive=600)
"""
Times = dict[str, list[float]]


class Volunteer:
    """One connection that is kept open; the least that speaks HTTP, since the client shares the processors."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self.port = port
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Status and body of one answer."""
        kind = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n" if body else ""
        self.writer.write(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{self.head}{kind}\r\n".encode() + body)
        head = await self.reader.readuntil(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        return int(head.split(b" ", 2)[1]), await self.reader.readexactly(int(lengths[0].split(b":")[1]))


async def work(volunteer: Volunteer, number: int, until: float, times: Times, counts: Counter[str]) -> None:
    """One volunteer until the time is over: empty page, next post, answer."""
    await volunteer.open()
    turn = 0
    while time.time() < until:
        turn += 1
        if turn % 4 == 1:
            started = time.perf_counter()
            status, _ = await volunteer.ask("GET", "/healthy")
            times["empty"].append(time.perf_counter() - started)
            assert status == 200, status
        started = time.perf_counter()
        status, body = await volunteer.ask("GET", "/label/trains/next")
        times["next"].append(time.perf_counter() - started)
        found = json.loads(body)
        if "lease" not in found:
            counts[f"{status} {found}"] += 1
            break
        answer = {"lease": found["lease"], "key": f"{number}-{turn}", "q.problem": "No", "seconds": "3.5"}
        started = time.perf_counter()
        status, body = await volunteer.ask("POST", "/label/trains/answer", urlencode(answer).encode())
        times["answer"].append(time.perf_counter() - started)
        counts[json.loads(body).get("status", f"{status} {body[:80]!r}")] += 1


async def crowd(port: int, headers: list[dict[str, str]], seconds: float) -> tuple[Times, Counter[str]]:
    times: Times = {"empty": [], "next": [], "answer": []}
    counts: Counter[str] = Counter()
    until = time.time() + seconds
    volunteers = [Volunteer(port, one) for one in headers]
    await asyncio.gather(*(work(one, n, until, times, counts) for n, one in enumerate(volunteers)))
    return times, counts


def prepare(folder: Path, url: str, options: argparse.Namespace) -> list[dict[str, str]]:
    """The study, its campaign and the volunteers: the headers that each of these sends."""
    (folder / "posts.csv").write_text("post_id,text\np,The train was late.\n", encoding="utf-8")
    (folder / "study.toml").write_text(TOML.replace("{url}", url).lstrip(), encoding="utf-8")
    codebook = Study.open(folder).settings.codebook
    key = web_key(folder)
    signer = SessionCookie(None, key=key, max_age=86_400, secure=False)  # type: ignore[arg-type]
    agreed = hashlib.blake2b(
        "\x1f".join((codebook.care.warning, codebook.care.consent)).encode(), digest_size=5
    ).hexdigest()
    headers = []
    with open_database(url) as db:
        rules = CampaignSettings(overlap=OVERLAP, cohorts=("volunteers",), hold=5)
        create_campaign(db, "trains", codebook, rules, state="open")
        load_tasks(db, posts(options.posts), campaign="trains")
        for _ in range(options.volunteers):
            rater = add_rater(db)
            record_consent(db, rater.rater_id, version=agreed)
            session = Session(secret=open_session(db, rater.rater_id))
            cookie = signer.cookie(session).split(";")[0]
            token = sign(key, "csrf", session.nonce)
            headers.append({"Cookie": cookie, "X-CSRF-Token": token, "Accept": "application/json"})
    return headers


def serve(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """The server, when it answers, and its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(folder), str(port)])
    for _ in range(600):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return process, port
        if process.poll() is not None:
            break
        time.sleep(0.2)
    raise RuntimeError("the server did not start")


def stored(url: str) -> tuple[int, int, int]:
    """Answers stored, posts with too many, raters who met a post twice."""
    with open_database(url) as db:
        pairs = Counter((row["post_id"], row["rater_id"]) for batch in stream_annotations(db) for row in batch)
    votes = Counter(post for post, _ in pairs.elements())
    return pairs.total(), sum(n > OVERLAP for n in votes.values()), sum(n > 1 for n in pairs.values())


def measure(kind: str, url: str, options: argparse.Namespace) -> bool:
    """Print the rows of one database; whether all bars are met."""
    with tempfile.TemporaryDirectory(prefix="co-load-") as name:
        headers = prepare(Path(name), url, options)
        process, port = serve(Path(name))
        try:
            times, counts = asyncio.run(crowd(port, headers, options.seconds))
        finally:
            process.terminate()
            process.wait()
    for what, values in times.items():
        cells = " | ".join(f"{1000 * percentile(values, q):.0f}" for q in (0.5, 0.95))
        print(f"| {kind} | {what} | {len(values):,} | {len(values) / options.seconds:.0f} | {cells} |")
    ratio = percentile(times["next"], 0.95) / percentile(times["empty"], 0.95)
    total, over, twice = stored(url)
    print(f"| {kind} | 95 % of next over 95 % of empty: {ratio:.2f} |")
    print(f"| {kind} | acknowledged {counts['stored']:,}, stored {total:,}, over-assigned {over}, twice {twice} |")
    odd = {status: n for status, n in counts.items() if status != "stored"}
    print(f"| {kind} | other answers: {odd or 'none'} |", flush=True)
    return ratio < BAR and over == twice == 0 and counts["stored"] <= total <= counts["stored"] + options.volunteers


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--volunteers", type=int, default=200)
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--database", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    print("| database | what | requests | a second | median ms | 95 % ms |\n|---|---|---|---|---|---|")
    with databases() as found:
        chosen = {kind: url for kind, url in found.items() if options.database in (None, kind)}
        fine = [measure(kind, url, options) for kind, url in chosen.items()]
    return int(not all(fine))


if __name__ == "__main__":
    sys.exit(main())
