"""To forget a post: its text and what people wrote about it go, everywhere; that it was judged stays."""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import Connection, Table, select, update

from comoderate.annotation.campaigns import campaign_from
from comoderate.annotation.chance import new_id
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.desk_tables import LEFT, READABLE, decision_table, item_table, journal_table
from comoderate.annotation.journal import record
from comoderate.annotation.labelling_tables import (
    IS_OPEN,
    RETURNED,
    assignment_table,
    campaign_table,
    receipt_table,
    task_table,
)
from comoderate.annotation.leases import close
from comoderate.annotation.people_tables import enquiry_table
from comoderate.annotation.tables import annotation_table

_a, _i, _r, _t = assignment_table.c, item_table.c, receipt_table.c, task_table.c
_NAMED: tuple[tuple[Table, str], ...] = (
    (annotation_table, "post_id"),
    (task_table, "post_id"),
    (assignment_table, "post_id"),
    (item_table, "post_id"),
    (decision_table, "post_id"),
    (enquiry_table, "post_id"),
    (journal_table, "subject"),
)


def forget_post(
    db: Database, post_id: str, *, forget_id: bool = False, actor: str | None = None, now: datetime | None = None
) -> int:
    """Forget a post, the one thing for which rows that are otherwise only appended are changed.

    Its text and context go from tasks and desks, the questions asked about it and their replies, notes on decisions,
    and answers written in free text. Nobody is given it any more, and an answer that is on its way comes too late.
    Answers chosen from a list, counts and the journal stay: they say nothing of the text.

    Args:
        db: the database.
        post_id: the post.
        forget_id: put a random name in the place of ``post_id`` too, so that nothing here leads back to the post.
        actor: who asks for it.
        now: the present, for tests.

    Returns:
        How many texts were removed.
    """
    at = moment(now)

    def body(connection: Connection) -> int:
        held = select(_a.assignment_id, _a.task_id).where(_a.post_id == post_id, IS_OPEN)
        for assignment_id, task_id in connection.execute(held.with_for_update()).all():
            close(connection, assignment_id, task_id, RETURNED, at)
        total = _blank(connection, post_id)
        name = post_id
        if forget_id:
            name = f"forgotten/{new_id()}"
            for table, column in _NAMED:
                rename = update(table).where(table.c[column] == post_id)
                connection.execute(rename.values({column: name}))
        record(connection, "post forgotten", at, actor=actor, subject=name)
        return total

    return db.write(body)


def _blank(connection: Connection, post_id: str) -> int:
    tasks = update(task_table).where(_t.post_id == post_id, _t.text.is_not(None))
    gone = tasks.values(text=None, context=None, gold=None, gold_note=None, wanted=_t.wanted - _t.free, free=0)
    total = int(connection.execute(gone.values(returned=0, withdrawn=1)).rowcount)
    items = update(item_table).where(_i.post_id == post_id, _i.text.is_not(None))
    total += int(connection.execute(items.values(text=None, context=None, reason=None, claimed_by=None)).rowcount)
    waits = update(item_table).where(_i.post_id == post_id, _i.stage.in_(READABLE))
    connection.execute(waits.values(stage=LEFT))
    notes = update(decision_table).where(decision_table.c.post_id == post_id)
    connection.execute(notes.values(note=None))
    asked = update(enquiry_table).where(enquiry_table.c.post_id == post_id)
    total += int(connection.execute(asked.values(text=None, reply=None)).rowcount)
    return total + _blank_written(connection, post_id)


def _blank_written(connection: Connection, post_id: str) -> int:
    """Answers to questions that any codebook of this database asks in free text, and previous ones after an undo."""
    codebooks = [campaign_from(row).codebook for row in connection.execute(select(campaign_table)).mappings()]
    pairs = {(book.label, name) for book in codebooks for name, q in book.question.items() if q.kind == "text"}
    c, total = annotation_table.c, 0
    for label, question in sorted(pairs):
        mine = (c.post_id == post_id) & (c.codebook == label) & (c.question == question) & c.answer.is_not(None)
        total += int(connection.execute(update(annotation_table).where(mine).values(answer="")).rowcount)
    connection.execute(update(assignment_table).where(_a.post_id == post_id).values(previous=None))
    ours = select(_a.assignment_id).where(_a.post_id == post_id)
    receipts = select(_r.receipt_id, _r.body).where(_r.assignment_id.in_(ours))
    for receipt_id, body in connection.execute(receipts).all():
        bare = json.dumps({**json.loads(body), "answers": {}})
        connection.execute(update(receipt_table).where(_r.receipt_id == receipt_id).values(body=bare))
    return total


def scrub(db: Database) -> None:
    """Leave nothing of what was removed in the free pages of a SQLite file; PostgreSQL vacuums by itself."""
    if db.dialect != "sqlite":
        return
    raw = db.engine.raw_connection()
    try:
        cursor = raw.cursor()
        for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            cursor.execute(statement)
        cursor.close()
    finally:
        raw.close()
