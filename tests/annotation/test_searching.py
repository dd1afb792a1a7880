"""What raters wait for goes along indexes: its cost does not grow with the number of tasks or answers."""

import pytest
from sqlalchemy import event

from comoderate.annotation import (
    campaign_progress,
    expire_leases,
    next_task,
    open_database,
    rater_progress,
    skip,
    submit,
    task,
    undo,
    update_rater,
)

LARGE = ("tasks", "assignments", "receipts", "annotations", "journal")


@pytest.fixture
def told(sqlite_url):
    """An open database, and every statement that was sent to it with its parameters."""
    sent = []
    with open_database(sqlite_url) as db:

        @event.listens_for(db.engine, "before_cursor_execute")
        def listen(connection, cursor, statement, parameters, context, many):
            if not many:
                sent.append((statement, parameters))

        yield db, sent


def plans(db, sent):
    """How SQLite would run each statement: pairs of statement and step."""
    with db.engine.connect() as connection:
        for statement, parameters in dict.fromkeys(sent):
            if statement.startswith(("SELECT", "UPDATE", "DELETE")):
                for step in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all():
                    yield statement, step[3]


def test_no_step_of_labelling_reads_a_whole_table(told, little_campaign):
    db, sent = told
    c = little_campaign
    gold = {"post_id": "g", "text": "Gold.", "kind": "gold", "gold": c.NO}
    c.start(db, [*c.posts(60), gold], categories=("salt",), gold_rate=0.2, benign_rate=0.2, hold=2)
    first, second = c.people(db, 2)
    update_rater(db, second, opted_out=["salt"])
    sent.clear()
    for k in range(6):
        for rater in (first, second):
            lease = next_task(db, rater, campaign="soups", now=c.NOON).task.lease
            task(db, rater, lease)
            submit(db, rater, lease, c.VERY, idempotency_key=str(k), now=c.NOON)
    undo(db, first, campaign="soups", now=c.NOON)
    skip(db, second, next_task(db, second, campaign="soups", now=c.NOON).task.lease, now=c.NOON)
    expire_leases(db, now=c.later(hours=1))
    next_task(db, second, campaign="soups", now=c.later(hours=2))
    rater_progress(db, first, campaign="soups")
    campaign_progress(db, "soups")
    steps = list(plans(db, list(sent)))
    whole = {f"SCAN {name}" for name in LARGE}
    read_whole = [(step, statement) for statement, step in steps if step in whole]
    assert len(steps) > 30
    assert not read_whole


def test_the_partial_indexes_are_the_ones_used(told, little_campaign):
    db, sent = told
    c = little_campaign
    c.start(db, c.posts(60))
    (rater,) = c.people(db, 1)
    sent.clear()
    submit(db, rater, next_task(db, rater, campaign="soups").task.lease, c.NO, idempotency_key="k")
    undo(db, rater, campaign="soups")
    campaign_progress(db, "soups")
    used = " ".join(step for _, step in plans(db, list(sent)))
    wanted = ("tasks_free", "tasks_returned", "tasks_complete", "assignments_open", "assignments_held", "receipts_live")
    assert [name for name in wanted if name not in used] == []
