"""The annotation room at full size, on SQLite and on PostgreSQL: `python bench/labelling.py`.

1. Streams: 120,000 posts loaded as tasks and 500,000 annotations exported, each in a process of its own whose memory
   is read off. Fails where one takes a minute or more.
2. Assignment: 200 raters, as threads of several processes, take and answer posts of 100,000 x 3 as fast as they can
   for a while. Prints answers a second, the latency of each call when one rater works alone and when all do, and the
   same for a campaign that is nearly done: the cost must not grow with what is done. Fails where a post has more than
   three answers, a rater met a post twice, or an acknowledged answer is missing.

Options: --seconds 30, --raters 200, --processes 2, --only streams|assignment, --database sqlite|postgresql.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import threading
import time
from collections import Counter
from typing import Any

from labelling_world import CODEBOOK, databases, memory_mb, percentile, posts

from comoderate.annotation import (
    CampaignSettings,
    add_rater,
    append_annotations,
    create_campaign,
    load_tasks,
    next_task,
    open_database,
    record_consent,
    stream_annotations,
    submit,
)

POSTS, ANNOTATIONS, TASKS, OVERLAP = 120_000, 500_000, 100_000, 3
ANSWERS = ({"abusive": ["no"]}, {"abusive": ["no"]}, {"abusive": ["problematic"], "type": ["insult", "other"]})


def own_process(work: Any, *arguments: Any) -> Any:
    """The value of ``work`` in a fresh process, so that its peak memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def load(url: str) -> tuple[float, float]:
    """Seconds and peak MB of loading the posts."""
    with open_database(url) as db:
        create_campaign(db, "streams", CODEBOOK)
        started = time.perf_counter()
        load_tasks(db, posts(POSTS), campaign="streams")
        return time.perf_counter() - started, memory_mb()


def rows(n: int) -> Any:
    for k in range(n):
        yield {
            "response_id": f"bench/{k}",
            "post_id": f"post-{k // 4:07d}",
            "rater_id": f"{k % 211:016x}",
            "cohort": "volunteers",
            "source": "sample",
            "codebook": CODEBOOK.label,
            "question": "abusive",
            "answer": "no",
            "seconds": 4.5,
        }


def bring_in(url: str) -> tuple[float, float]:
    """Seconds and peak MB of importing the annotations."""
    with open_database(url) as db:
        started = time.perf_counter()
        append_annotations(db, rows(ANNOTATIONS))
        return time.perf_counter() - started, memory_mb()


def export(url: str) -> tuple[float, float, int]:
    """Seconds, peak MB and number of the annotations exported."""
    with open_database(url) as db:
        started = time.perf_counter()
        total = sum(len(batch) for batch in stream_annotations(db))
        return time.perf_counter() - started, memory_mb(), total


def streams(kind: str, url: str) -> bool:
    """Print the table of one database; whether all was under a minute."""
    loaded, brought, out = own_process(load, url), own_process(bring_in, url), own_process(export, url)
    print(f"| {kind} | {POSTS:,} posts loaded | {loaded[0]:.1f} s | {loaded[1]:.0f} MB |")
    print(f"| {kind} | {ANNOTATIONS:,} annotations imported | {brought[0]:.1f} s | {brought[1]:.0f} MB |")
    print(f"| {kind} | {out[2]:,} annotations exported | {out[0]:.1f} s | {out[1]:.0f} MB |", flush=True)
    return max(loaded[0], out[0]) < 60 and out[2] == ANNOTATIONS


def work(db: Any, rater_id: str, until: float, found: dict[str, Any], lock: threading.Lock) -> None:
    """One rater, as fast as posts come."""
    taking, giving, stored = [], [], 0
    while time.time() < until:
        started = time.perf_counter()
        task = next_task(db, rater_id, campaign="assignment").task
        taken = time.perf_counter()
        taking.append(taken - started)
        if task is None:
            break
        answers = ANSWERS[len(giving) % 3]
        receipt = submit(db, rater_id, task.lease, answers, idempotency_key=f"{len(giving)}-{started}", seconds=3.0)
        giving.append(time.perf_counter() - taken)
        stored += receipt.status == "stored"
    with lock:
        found["taking"] += taking
        found["giving"] += giving
        found["stored"] += stored


def process(url: str, raters: list[str], seconds: float) -> dict[str, Any]:
    """So many raters as threads of one process."""
    found: dict[str, Any] = {"taking": [], "giving": [], "stored": 0}
    lock = threading.Lock()
    with open_database(url) as db:
        until = time.time() + seconds
        threads = [threading.Thread(target=work, args=(db, rater, until, found, lock)) for rater in raters]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return found


def crowd(url: str, raters: list[str], seconds: float, processes: int) -> dict[str, Any]:
    """All raters, spread over processes."""
    shares = [raters[k::processes] for k in range(processes) if raters[k::processes]]
    with multiprocessing.get_context("spawn").Pool(len(shares)) as pool:
        parts = pool.starmap(process, [(url, share, seconds) for share in shares])
    joined: dict[str, Any] = {"taking": [], "giving": [], "stored": 0}
    for part in parts:
        for name, value in part.items():
            joined[name] += value
    return joined


def line(kind: str, what: str, found: dict[str, Any], seconds: float) -> None:
    cells = [f"{found['stored'] / seconds:.0f}"]
    for name in ("taking", "giving"):
        cells += [f"{1000 * percentile(found[name], q):.1f}" for q in (0.5, 0.95)]
    print(f"| {kind} | {what} | {' | '.join(cells)} |", flush=True)


def nearly_done(url: str, raters: list[str], share: float) -> None:
    """Fill most of the campaign at once, as if three other raters had answered each post."""
    import sqlalchemy

    with open_database(url) as db, db.writing() as connection:
        most = int(TASKS * share)
        text = sqlalchemy.text
        connection.execute(
            text("UPDATE tasks SET done = wanted, free = 0, returned = 0 WHERE task_id <= :n AND free = wanted"),
            {"n": most},
        )
        connection.execute(
            text(
                "INSERT INTO assignments (token, campaign_id, task_id, post_id, rater_id, state, leased_at, expires_at)"
                " SELECT 'x' || task_id || '-' || r.k, t.campaign_id, task_id, post_id, 'other' || r.k, 1, 0, 0"
                " FROM tasks t, (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2) r WHERE t.done = t.wanted"
                " AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.task_id = t.task_id)"
            )
        )


def assignment(kind: str, url: str, options: argparse.Namespace) -> bool:
    """Print the table of one database; whether nothing was lost or over-assigned."""
    with open_database(url) as db:
        create_campaign(db, "assignment", CODEBOOK, CampaignSettings(overlap=OVERLAP), state="open")
        load_tasks(db, posts(TASKS), campaign="assignment")
        raters = [add_rater(db).rater_id for _ in range(options.raters + 2)]
        for rater in raters:
            record_consent(db, rater, version="1")
    alone = crowd(url, raters[:1], min(options.seconds, 10), 1)
    line(kind, "one rater, fresh", alone, min(options.seconds, 10))
    many = crowd(url, raters[1:-1], options.seconds, options.processes)
    line(kind, f"{options.raters} raters, fresh", many, options.seconds)
    nearly_done(url, raters, 0.95)
    late = crowd(url, raters[-1:], min(options.seconds, 10), 1)
    line(kind, "one rater, 95 % done", late, min(options.seconds, 10))
    acknowledged = alone["stored"] + many["stored"] + late["stored"]
    with open_database(url) as db:
        pairs = Counter(
            (row["post_id"], row["rater_id"])
            for batch in stream_annotations(db, campaign="assignment", question="abusive")
            for row in batch
        )
    votes = Counter(post for post, _ in pairs.elements())
    over, twice = sum(n > OVERLAP for n in votes.values()), sum(n > 1 for n in pairs.values())
    print(f"| {kind} | acknowledged {acknowledged:,}, stored {pairs.total():,}, over-assigned {over}, twice {twice} |")
    return over == twice == 0 and acknowledged == pairs.total()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", choices=["streams", "assignment"])
    parser.add_argument("--database", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    fine: list[bool] = []
    with databases() as found:
        chosen = {kind: url for kind, url in found.items() if options.database in (None, kind)}
        if options.only != "assignment":
            print("| database | what | time | peak memory |\n|---|---|---|---|")
            fine += [streams(kind, url) for kind, url in chosen.items()]
        if options.only != "streams":
            print("\n| database | who | answers a second | next: median ms | 95 % | submit: median ms | 95 % |")
            print("|---|---|---|---|---|---|---|")
            fine += [assignment(kind, url, options) for kind, url in chosen.items()]
    return int(not all(fine))


if __name__ == "__main__":
    sys.exit(main())
