"""Posts that a rater was given and did not answer in time: their places come back."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from comoderate.annotation.campaigns import campaign_in
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.labelling_tables import GOLD, IS_OPEN, RETURNED, assignment_table, task_table

_a, _t = assignment_table.c, task_table.c
_AT_ONCE = 200


_EXPIRED = select(_a.assignment_id, _a.task_id).where(IS_OPEN, _a.expires_at < bindparam("now"))
_OVER = _EXPIRED.limit(_AT_ONCE).with_for_update(skip_locked=True)
_OVER_HERE = _OVER.where(_a.campaign_id == bindparam("campaign"))


def give_back_expired(connection: Connection, campaign_id: int | None, at: datetime) -> int:
    """Give back what expired before ``at``, the oldest few hundred of one campaign or of all; how many there were."""
    query = _OVER if campaign_id is None else _OVER_HERE
    rows = connection.execute(query, {"now": at, "campaign": campaign_id}).all()
    for assignment_id, task_id in sorted(rows, key=lambda row: row[1]):  # one order for all, so that none block others
        close(connection, assignment_id, task_id, RETURNED, at)
    return len(rows)


def close(connection: Connection, assignment_id: int, task_id: int, state: int, at: datetime) -> None:
    """Close an open assignment without an answer and give its place back."""
    mine = _a.assignment_id == assignment_id
    connection.execute(update(assignment_table).where(mine).values(state=state, closed_at=at))
    place = update(task_table).where(_t.task_id == task_id, _t.kind != GOLD)
    back = 1 - _t.withdrawn  # of a withdrawn task nobody wants the place back
    connection.execute(place.values(free=_t.free + back, returned=_t.returned + back, wanted=_t.wanted - _t.withdrawn))


def expire_leases(db: Database, *, now: datetime | None = None) -> int:
    """Give back all places whose holders ran out of time; :func:`next_task` does so for its own campaign.

    Returns:
        How many there were.
    """
    at, total = moment(now), 0
    while some := db.write(lambda connection: give_back_expired(connection, None, at)):
        total += some
    return total


def release_leases(db: Database, rater_id: str, *, campaign: str, now: datetime | None = None) -> int:
    """Give back all that a rater holds unanswered, for a pause; how many there were."""
    at = moment(now)

    def body(connection: Connection) -> int:
        found = campaign_in(connection, campaign)
        mine = (_a.rater_id == rater_id) & (_a.campaign_id == found.campaign_id) & IS_OPEN
        rows = connection.execute(select(_a.assignment_id, _a.task_id).where(mine).with_for_update()).all()
        for assignment_id, task_id in sorted(rows, key=lambda row: row[1]):
            close(connection, assignment_id, task_id, RETURNED, at)
        return len(rows)

    return db.write(body)
