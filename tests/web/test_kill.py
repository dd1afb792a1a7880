"""An answer that was acknowledged is stored, and stored once, though the server is killed under load."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from tests.web.serving import TOML, Client, Served, write_study

RATERS, POSTS, OVERLAP = 6, 400, 2


class Rater(threading.Thread):
    """Answers as fast as pages come, and sends an answer again under its key until it is acknowledged."""

    def __init__(self, url: str, cookie: tuple[str, str], stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.url, self.cookie, self.stopping = url, cookie, stop
        self.acknowledged: list[str] = []
        self.repeated = 0

    def run(self) -> None:
        with Client(self.url, dict([self.cookie])) as client:
            while not self.stopping.is_set():
                try:
                    page = client.get("/label/river")
                except httpx.HTTPError:
                    time.sleep(0.05)
                    continue
                if 'name="lease"' not in page.text:
                    return
                self.send(client, client.fields(page, "/label/river/answer"))

    def send(self, client: Client, fields: dict[str, str]) -> None:
        data = {**fields, "q.problem": random.choice(["No", "Somewhat"]), "q.kind": "Insult"}
        while True:
            try:
                answer = client.post("/label/river/answer", data=data, headers={"Accept": "application/json"})
            except httpx.HTTPError:
                time.sleep(0.05)
                continue
            assert answer.status_code == 200, answer.text
            if answer.json()["status"] == "stored":
                self.acknowledged.append(fields["lease"])
                self.repeated += answer.json()["repeated"]
            return


def start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    running = subprocess.Popen([sys.executable, str(Path(__file__).with_name("server.py")), str(folder), str(port)])
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthy").status_code == 200:
                return running
        except httpx.HTTPError:
            time.sleep(0.05)
    raise AssertionError("the server did not start")


def more(raters: list[Rater]) -> None:
    """Wait until the raters have two more answers acknowledged each, on average."""
    before = sum(len(rater.acknowledged) for rater in raters)
    deadline = time.monotonic() + 60
    while sum(len(rater.acknowledged) for rater in raters) < before + 2 * RATERS and time.monotonic() < deadline:
        time.sleep(0.01)


def check_kills(folder: Path, kills: int) -> None:
    prepared = Served(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    people = [prepared.person(f"rater {n}") for n in range(RATERS)]
    stop = threading.Event()
    raters = [Rater(f"http://127.0.0.1:{port}", prepared.cookie(person), stop) for person in people]
    running = start(folder, port)
    for rater in raters:
        rater.start()
    for _ in range(kills):
        more(raters)
        time.sleep(random.uniform(0, 0.2))
        running.send_signal(signal.SIGKILL)
        running.wait()
        running = start(folder, port)
    more(raters)
    stop.set()
    for rater in raters:
        rater.join(60)
    running.send_signal(signal.SIGKILL)
    running.wait()
    stored = prepared.answers()
    judged = stored[stored["question"] == "problem"]
    acknowledged = sum(len(rater.acknowledged) for rater in raters)
    repeated = sum(rater.repeated for rater in raters)
    print(f"{kills} kills: {acknowledged} acknowledged, {len(judged)} stored, {repeated} sent again")
    assert acknowledged > 2 * RATERS * kills
    for person, rater in zip(people, raters, strict=True):
        assert len(set(rater.acknowledged)) == len(rater.acknowledged)
        assert (judged["rater_id"] == person.rater_id).sum() == len(rater.acknowledged)
    assert not judged.duplicated(["post_id", "rater_id"]).any()
    assert judged.groupby("post_id")["rater_id"].nunique().max() <= OVERLAP
    prepared.db.close()


def study(folder: Path, database: str = "") -> Path:
    toml = TOML.replace("size = 40", f"size = {POSTS}").replace("break_after = 100", "break_after = 100000")
    toml = toml.replace("cap = 60", "cap = 100000").replace('contact = "', f'{database}contact = "')
    return write_study(folder, toml=toml, posts=POSTS)


@pytest.mark.slow
def test_killed_under_load(tmp_path):
    check_kills(study(tmp_path / "study"), 1)


@pytest.mark.slow
def test_killed_twenty_times(tmp_path):
    check_kills(study(tmp_path / "study"), 20)


@pytest.mark.slow
def test_killed_twenty_times_on_postgresql(tmp_path, postgres_url):
    check_kills(study(tmp_path / "study", f'database = "{postgres_url}"\n'), 20)
