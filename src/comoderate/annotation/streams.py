"""Annotations in and out, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import exists, select

from comoderate.annotation.database import Database
from comoderate.annotation.store import Row, insert_rows
from comoderate.annotation.tables import COLUMNS, annotation_table


def stream_annotations(
    db: Database,
    *,
    campaign: str | None = None,
    cohort: str | None = None,
    question: str | None = None,
    sources: Iterable[str] | None = None,
    rater_id: str | None = None,
    history: bool = False,
    after: int = 0,
    batch: int = 5_000,
) -> Iterator[list[Row]]:
    """Annotations in batches, oldest first; each batch is read by itself, so that writers never wait for a slow reader.

    Args:
        db: the database.
        campaign: only those of one campaign.
        cohort: only those of one cohort.
        question: only those to one question.
        sources: only those of posts chosen in these ways.
        rater_id: only those of one rater.
        history: also what was superseded, and the rows that withdraw.
        after: only rows with a larger ``number``, to go on where an earlier stream ended.
        batch: how many rows at a time.

    Yields:
        Lists of dictionaries with the keys :data:`comoderate.annotation.COLUMNS`, ``campaign`` and ``number``.
    """
    c = annotation_table.c
    query = select(c.number, *(c[name] for name in COLUMNS), c.campaign).order_by(c.number).limit(batch)
    for column, value in ((c.campaign, campaign), (c.cohort, cohort), (c.question, question), (c.rater_id, rater_id)):
        query = query if value is None else query.where(column == value)
    if sources is not None:
        query = query.where(c.source.in_(list(sources)))
    if not history:
        newer = annotation_table.alias()
        query = query.where(c.answer.is_not(None), ~exists().where(newer.c.supersedes == c.response_id))
    while True:
        with db.reading() as connection:
            result = connection.execute(query.where(c.number > after))
            names = tuple(result.keys())
            rows = [dict(zip(names, row, strict=True)) for row in result]
        if not rows:
            return
        after = rows[-1]["number"]
        yield rows


def append_annotations(db: Database, rows: Iterable[Row]) -> int:
    """Append rows from a stream in one transaction: all or, on any error, none; how many there were.

    Args:
        db: the database.
        rows: dictionaries with the keys of :data:`comoderate.annotation.COLUMNS`; optional ones may be missing.
    """
    with db.writing() as connection:
        return insert_rows(connection, rows)
