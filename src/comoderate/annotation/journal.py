"""The journal: who saw and decided what, appended and never changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.desk_tables import decision_table, journal_table
from comoderate.annotation.labelling_tables import DONE, OPEN, RETURNED, SKIPPED, assignment_table

_BATCH = 2_000
_STATES = {OPEN: "open", DONE: "answered", SKIPPED: "skipped", RETURNED: "returned"}


@dataclass(frozen=True, kw_only=True)
class JournalEntry:
    """One line of the journal; ``subject`` is mostly a post or a rater."""

    number: int
    at: datetime
    event: str
    actor: str | None
    role: str | None
    subject: str | None
    campaign: str | None
    detail: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """One person who was shown a post: ``what`` came of it, and when it was shown."""

    rater_id: str
    at: datetime
    what: str


def record(
    connection: Connection,
    event: str,
    at: datetime,
    *,
    actor: str | None = None,
    role: str | None = None,
    subject: str | None = None,
    campaign: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Append one line within a transaction that is under way."""
    words = json.dumps(detail, ensure_ascii=False) if detail else None
    row = {"at": at, "event": event, "actor": actor, "role": role, "subject": subject, "campaign": campaign}
    connection.execute(insert(journal_table), {**row, "detail": words})


def write_journal(
    db: Database,
    event: str,
    *,
    actor: str | None = None,
    role: str | None = None,
    subject: str | None = None,
    campaign: str | None = None,
    detail: Mapping[str, Any] | None = None,
    now: datetime | None = None,
) -> None:
    """Append one line, for what happens outside the annotation room: a log-in, an export, a page with scores."""
    with db.writing() as connection:
        record(
            connection, event, moment(now), actor=actor, role=role, subject=subject, campaign=campaign, detail=detail
        )


def stream_journal(
    db: Database,
    *,
    after: int = 0,
    event: str | None = None,
    actor: str | None = None,
    subject: str | None = None,
    limit: int | None = None,
    newest: bool = False,
) -> Iterator[JournalEntry]:
    """Lines with a number above ``after``, oldest first, in bounded memory; the filters join with *and*.

    ``newest``: the newest first instead, and only those with a number below ``after``, where that is not 0.
    """
    c = journal_table.c
    query = select(journal_table).order_by(c.number.desc() if newest else c.number).limit(_BATCH)
    for column, value in ((c.event, event), (c.actor, actor), (c.subject, subject)):
        query = query if value is None else query.where(column == value)
    rest = limit
    while rest is None or rest > 0:
        with db.reading() as connection:
            rest_of = c.number < after if newest and after else c.number > after
            rows = connection.execute(query.where(rest_of)).mappings().all()
        for row in rows if rest is None else rows[:rest]:
            yield JournalEntry(**{**row, "detail": json.loads(row["detail"] or "{}")})
        if len(rows) < _BATCH:
            return
        after, rest = rows[-1]["number"], None if rest is None else rest - len(rows)


def who_saw(db: Database, post_id: str) -> list[Sighting]:
    """Everyone who was given the post: to label it, to decide on it, or by revealing it; oldest first."""
    a, d, j = assignment_table.c, decision_table.c, journal_table.c
    with db.reading() as connection:
        labelled = connection.execute(select(a.rater_id, a.leased_at, a.state).where(a.post_id == post_id)).all()
        decided = connection.execute(select(d.actor, d.decided_at, d.action).where(d.post_id == post_id)).all()
        noted = connection.execute(
            select(j.actor, j.at, j.event).where(j.subject == post_id, j.actor.is_not(None), j.event != "decided")
        )
        found = [Sighting(rater_id=who, at=at, what=_STATES[state]) for who, at, state in labelled]
        found += [Sighting(rater_id=who, at=at, what=action or "took back") for who, at, action in decided]
        found += [Sighting(rater_id=who, at=at, what=event) for who, at, event in noted]
    return sorted(found, key=lambda sighting: sighting.at)
