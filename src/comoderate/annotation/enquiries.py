"""What raters ask the coordinator about a post, and the replies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, RowMapping, insert, select, update

from comoderate.annotation.answers import assignment_in
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.people_tables import enquiry_table
from comoderate.annotation.refusals import NotFound
from comoderate.errors import ComoderateError

_e = enquiry_table.c
LONGEST = 2_000
"""Characters that a question or a reply may have."""


@dataclass(frozen=True, kw_only=True)
class Enquiry:
    """A question of a rater about a post, and the coordinator's reply; the text is None where it was forgotten."""

    enquiry_id: int
    campaign: str
    rater_id: str
    post_id: str
    text: str | None
    asked_at: datetime
    reply: str | None
    replied_by: str | None
    replied_at: datetime | None


def ask(db: Database, rater_id: str, lease: str, text: str, *, now: datetime | None = None) -> Enquiry:
    """Ask the coordinator about a post that the rater holds or held.

    Raises:
        NotFound: the lease never was this rater's.
        ComoderateError: the text is empty or too long.
    """
    said, at = _checked(text), moment(now)

    def body(connection: Connection) -> Enquiry:
        row = assignment_in(connection, rater_id, lease)
        names = {"campaign": row["name"], "rater_id": rater_id, "post_id": row["post_id"], "text": said, "asked_at": at}
        return _from(
            connection.execute(insert(enquiry_table).values(**names).returning(enquiry_table)).mappings().one()
        )

    return db.write(body)


def reply(db: Database, enquiry_id: int, text: str, *, actor: str, now: datetime | None = None) -> Enquiry:
    """Answer a question; a second reply takes the first one's place.

    Raises:
        NotFound: there is no such question.
        ComoderateError: the text is empty or too long.
    """
    values = {"reply": _checked(text), "replied_by": actor, "replied_at": moment(now)}

    def body(connection: Connection) -> Enquiry:
        change = update(enquiry_table).where(_e.enquiry_id == enquiry_id).values(**values).returning(enquiry_table)
        row = connection.execute(change).mappings().first()
        if row is None:
            raise NotFound("there is no such question")
        return _from(row)

    return db.write(body)


def enquiries(
    db: Database,
    *,
    rater_id: str | None = None,
    campaign: str | None = None,
    open_only: bool = False,
    limit: int = 200,
) -> list[Enquiry]:
    """Questions, newest first: of one rater, of one campaign, or only those without a reply."""
    query = select(enquiry_table).order_by(_e.enquiry_id.desc()).limit(limit)
    for column, value in ((_e.rater_id, rater_id), (_e.campaign, campaign)):
        query = query if value is None else query.where(column == value)
    if open_only:
        query = query.where(_e.replied_at.is_(None))
    with db.reading() as connection:
        return [_from(row) for row in connection.execute(query).mappings()]


def _from(row: RowMapping) -> Enquiry:
    return Enquiry(**row)


def _checked(text: str) -> str:
    said = text.strip()
    if not 0 < len(said) <= LONGEST:
        raise ComoderateError(f"a text of 1 to {LONGEST:,} characters is needed")
    return said
