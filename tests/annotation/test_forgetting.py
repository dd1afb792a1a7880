"""A forgotten post leaves no text behind, comes to nobody any more, and stays forgotten."""

import pytest
from sqlalchemy import text

from comoderate.annotation import (
    NotFound,
    ask,
    claim,
    create_desk,
    decide,
    forget_post,
    load_queue,
    load_tasks,
    next_task,
    reply,
    stream_annotations,
    submit,
    task,
    undo,
)

SECRET = "paprika"


def everything(db):
    with db.reading() as connection:
        tables = ("annotations", "tasks", "assignments", "receipts", "enquiries", "desk_items", "decisions", "journal")
        return {table: str(connection.execute(text(f"SELECT * FROM {table}")).all()) for table in tables}


def write_about(db, c):
    """A post whose secret word is in its text, in an answer, a taken back answer, a question, a reply and a note."""
    rows = [{"post_id": "p-known", "text": f"Too much {SECRET}.", "order": 0, "context": {"title": SECRET}}]
    c.start(db, rows, overlap=3)
    first, second, third = c.people(db, 3)
    answers = {"rude": ["very"], "about": ["cooking"], "remark": [f"It is {SECRET}"]}
    for rater in (first, second):
        lease = next_task(db, rater, campaign="soups", now=c.NOON).task.lease
        submit(db, rater, lease, answers, idempotency_key="k", now=c.NOON)
    undo(db, second, campaign="soups", now=c.NOON)
    lease = next_task(db, third, campaign="soups", now=c.NOON).task.lease
    reply(db, ask(db, third, lease, f"Why {SECRET}?").enquiry_id, f"{SECRET}!", actor="boss")
    create_desk(db, "q")
    load_queue(db, [{"post_id": "p-known", "text": SECRET, "rank": 1, "reason": SECRET}], queue="q")
    (moderator,) = c.people(db, 1, role="moderator")
    item = claim(db, "q", moderator).item
    decide(db, moderator, item.item_id, "remove", idempotency_key="k", note=SECRET)
    return third, lease


@pytest.mark.parametrize("forget_id", [False, True])
def test_nothing_of_the_text_is_left(db, little_campaign, forget_id):
    c = little_campaign
    rater, lease = write_about(db, c)
    assert SECRET in str(everything(db))
    assert forget_post(db, "p-known", forget_id=forget_id, actor="boss") > 3
    left = everything(db)
    assert not [table for table, content in left.items() if SECRET in content]
    assert bool([table for table, content in left.items() if "p-known" in content]) != forget_id
    votes = [row["answer"] for batch in stream_annotations(db, question="rude") for row in batch]
    assert votes == ["very"]
    with pytest.raises(NotFound):
        task(db, rater, lease)
    assert submit(db, rater, lease, c.NO, idempotency_key="late", now=c.NOON).status == "late"
    assert next_task(db, rater, campaign="soups", now=c.NOON).reason == "done"


def test_a_forgotten_post_stays_forgotten_when_loaded_again(db, little_campaign):
    c = little_campaign
    write_about(db, c)
    forget_post(db, "p-known")
    assert load_tasks(db, [{"post_id": "p-known", "text": SECRET}], campaign="soups") == (0, 0)
    load_queue(db, [{"post_id": "p-known", "text": SECRET, "rank": 1}], queue="q")
    assert SECRET not in str(everything(db))
    assert forget_post(db, "p-unknown") == 0
