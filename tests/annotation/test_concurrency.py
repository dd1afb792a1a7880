"""Many raters at once, in threads and in processes that are killed: nothing over-assigned, lost or doubled."""

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select

from comoderate.annotation import (
    Conflict,
    DeskSettings,
    NotAllowed,
    append_annotations,
    campaign_progress,
    claim,
    create_desk,
    create_invitation,
    decide,
    desk_progress,
    load_queue,
    load_tasks,
    next_task,
    open_database,
    raters,
    redeem_invitation,
    stream_annotations,
    stream_decisions,
    submit,
)
from comoderate.annotation.labelling_tables import DONE, OPEN, assignment_table, receipt_table, task_table

CROWD = Path(__file__).with_name("crowd.py")


def votes(db):
    """Answers to the first question that count, as (post, rater)."""
    return [(row["post_id"], row["rater_id"]) for rows in stream_annotations(db, question="rude") for row in rows]


def check(db, overlap):
    """What must hold at any time, whoever was killed; the places of all tasks add up."""
    found = votes(db)
    assert max(Counter(found).values(), default=0) <= 1
    assert max(Counter(post for post, _ in found).values(), default=0) <= overlap
    with db.reading() as connection:
        tasks = connection.execute(select(task_table)).mappings().all()
        assignments = connection.execute(select(assignment_table.c.task_id, assignment_table.c.state)).all()
    states = Counter(assignments)
    for task in tasks:
        done, held = states[task["task_id"], DONE], states[task["task_id"], OPEN]
        assert task["done"] == done
        assert task["wanted"] == task["free"] + done + held == overlap
    return found


def begin(url, seed, people):
    return subprocess.Popen(
        [sys.executable, str(CROWD), url, "soups", seed, *people], stdout=subprocess.PIPE, text=True
    )


def said(process):
    """The acknowledged answers that a process wrote down, whole lines only."""
    text = process.stdout.read()
    process.stdout.close()
    return [tuple(line.split("\t")) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def test_processes_of_raters_fill_every_post_exactly(db, database_url, little_campaign):
    c = little_campaign
    c.start(db, c.posts(25), overlap=3)
    people = c.people(db, 8)
    crowd = [begin(database_url, str(k), people[k::2]) for k in range(2)]
    lines = [line for process in crowd for line in said(process)]
    assert [process.wait() for process in crowd] == [0, 0]
    found = check(db, 3)
    assert Counter(post for post, _ in found) == Counter({f"p{k}": 3 for k in range(25)})
    assert len(lines) == len(found) == campaign_progress(db, "soups").answers
    assert campaign_progress(db, "soups").complete == 25


def check_kills(db, url, c, times, posts):
    c.start(db, c.posts(posts), overlap=2)
    people = c.people(db, 4)
    acknowledged = []
    for k in range(times):
        process = begin(url, f"kill{k}", people)
        acknowledged += [tuple(process.stdout.readline().rstrip("\n").split("\t")) for _ in range(3)]
        process.send_signal(signal.SIGKILL)
        acknowledged += said(process)
        process.wait()
        check(db, 2)
    process = begin(url, "last", people)
    acknowledged += said(process)
    assert process.wait() == 0
    found = check(db, 2)
    acknowledged = [line for line in acknowledged if line != ("",)]
    with db.reading() as connection:
        receipts = connection.execute(select(receipt_table.c.rater_id, receipt_table.c.key, receipt_table.c.body)).all()
    stored = {(rater_id, key) for rater_id, key, body in receipts if json.loads(body)["status"] == "stored"}
    assert {(rater_id, key) for rater_id, key, _ in acknowledged} <= stored
    texts = {(text.split("number ")[1].split()[0], rater_id) for rater_id, _, text in acknowledged}
    assert texts <= {(post[1:], rater_id) for post, rater_id in found}
    assert Counter(post for post, _ in found) == Counter({f"p{k}": 2 for k in range(posts)})
    print(f"{times} kills: {len(set(acknowledged)):,} acknowledged, {len(stored):,} receipts, none over-assigned")


def test_a_killed_process_loses_nothing_that_it_acknowledged(db, database_url, little_campaign):
    check_kills(db, database_url, little_campaign, 2, 30)


@pytest.mark.slow
def test_twenty_kills_lose_nothing_that_was_acknowledged(db, database_url, little_campaign):
    check_kills(db, database_url, little_campaign, 20, 200)


def test_two_tabs_of_one_rater_get_one_post(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(10), overlap=1)
    (rater,) = c.people(db, 1)
    with ThreadPoolExecutor(4) as pool:
        for turn in range(5):
            offers = list(pool.map(lambda _: next_task(db, rater, campaign="soups").task.lease, range(4)))
            assert len(set(offers)) == 1

            def send(key, lease=offers[0], turn=turn):
                return submit(db, rater, lease, c.NO, idempotency_key=f"{turn}{key}").status

            assert sorted(pool.map(send, "aabb")) == ["already"] * 2 + ["stored"] * 2
    assert len(check(db, 1)) == 5


def test_loading_again_while_raters_work_keeps_the_count(db, database_url, little_campaign):
    c = little_campaign
    c.start(db, c.posts(30), overlap=2)
    people = c.people(db, 6)  # some skip: were only one to spare, a post that two skip would never be full
    stop = threading.Event()

    def load():
        turn = 0
        while not stop.is_set():
            turn += 1
            load_tasks(db, [dict(row, text=f"{row['text']} {turn}") for row in c.posts(30)], campaign="soups")

    loader = threading.Thread(target=load)
    loader.start()
    process = begin(database_url, "x", people)
    said(process)
    stop.set()
    loader.join()
    assert process.wait() == 0
    assert Counter(post for post, _ in check(db, 2)) == Counter({f"p{k}": 2 for k in range(30)})


def test_an_invitation_for_three_lets_three_in(db):
    secret, _ = create_invitation(db, role="volunteer", cohort="volunteers", uses=3)

    def join(k):
        try:
            return redeem_invitation(db, secret, login=f"name{k}").rater_id
        except NotAllowed:
            return None

    with ThreadPoolExecutor(8) as pool:
        joined = [rater_id for rater_id in pool.map(join, range(8)) if rater_id]
    assert sorted(joined) == [rater.rater_id for rater in raters(db)]
    assert len(joined) == 3


def test_moderators_never_decide_on_the_same_post_nor_beyond_the_days_capacity(db, little_campaign):
    c = little_campaign
    create_desk(db, "today", DeskSettings(capacity=12))
    load_queue(db, [{"post_id": f"p{k}", "text": "Salty.", "rank": k} for k in range(20)], queue="today")
    people = c.people(db, 4, role="moderator")

    def moderate(person):
        turn = 0
        while (offer := claim(db, "today", person)).item is not None:
            turn += 1
            decide(db, person, offer.item.item_id, "keep", idempotency_key=str(turn))
        return offer.reason

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(moderate, people)) == {"capacity"}
    decided = [decision.post_id for decision in stream_decisions(db)]
    assert sorted(decided) == sorted(f"p{k}" for k in range(12))


def test_disagreements_of_many_moderators_at_once_are_settled_by_a_third_each(db, little_campaign):
    c = little_campaign
    create_desk(db, "q", DeskSettings(actions=("keep", "remove", "warn"), second_rate=1, third_reader=True))
    load_queue(db, [{"post_id": f"p{k}", "text": "Salty.", "rank": k} for k in range(24)], queue="q")
    people = c.people(db, 6, role="moderator")

    def work(person):
        """Decide until nothing is left for this one; what is said depends on the post and the person alone."""
        while (item := claim(db, "q", person).item) is not None:
            said = ("keep", "remove", "warn")[(int(item.post_id[1:]) * (1 + people.index(person))) % 3]
            with contextlib.suppress(Conflict):
                decide(db, person, item.item_id, said, idempotency_key=f"{item.post_id} {item.stage}")

    for _ in range(2):  # who finds nothing at the end of the first round may find what others left in the second
        with ThreadPoolExecutor(len(people)) as threads:
            list(threads.map(work, people))
    said = defaultdict(list)
    for one in stream_decisions(db):
        said[one.post_id].append((one.stage, one.actor, one.action))
    escalated = 0
    for decisions in said.values():
        stages, actors, actions = zip(*decisions, strict=True)
        assert len(set(actors)) == len(actors)
        assert stages == ("first", "second", "third")[: len(stages)]
        assert (len(stages) == 3) == (actions[0] != actions[1])
        escalated += len(set(actions)) == 3
        if len(set(actions)) < 3:  # what the last one said is what most said
            assert actions.count(actions[-1]) == 2
    progress = desk_progress(db, "q")
    assert (progress.waiting, progress.second, progress.third) == (0, 0, 0)
    assert (progress.escalated, progress.decided) == (escalated, 24 - escalated)
    assert any(len(decisions) == 3 for decisions in said.values())


def test_two_processes_may_open_and_migrate_one_database_at_once(database_url):
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(open_database, [database_url] * 4))
    for database in opened:
        assert append_annotations(database, []) == 0
        database.close()
