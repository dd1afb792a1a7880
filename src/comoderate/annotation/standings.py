"""What one rater did in one campaign so far, read and written within a transaction that is under way."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update

from comoderate.annotation.labelling_tables import standing_table
from comoderate.annotation.upsert import upsert

_COUNTS = (
    "epoch", "turns", "answered", "skipped", "exposure", "gold_seen", "gold_right", "seconds", "since_break",
    "answered_today", "exposure_today",
)  # fmt: skip


_c = standing_table.c
_FIND = select(standing_table).where(_c.rater_id == bindparam("rater"), _c.campaign_id == bindparam("campaign"))
_SAVE = (
    update(standing_table)
    .where(_c.rater_id == bindparam("rater"), _c.campaign_id == bindparam("campaign"))
    .values({column.name: bindparam(column.name) for column in _c if not column.primary_key})
)
_EXPOSURE = select(func.sum(_c.exposure_today)).where(_c.rater_id == bindparam("rater"), _c.day == bindparam("today"))


def standing(connection: Connection, rater_id: str, campaign_id: int, cohort: str, at: datetime) -> dict[str, Any]:
    """The rater's standing, made where there is none; the day's counts begin anew with each day (UTC)."""
    day = at.date().isoformat()
    row = connection.execute(_FIND, {"rater": rater_id, "campaign": campaign_id}).mappings().first()
    if row is None:
        names = {"rater_id": rater_id, "campaign_id": campaign_id, "cohort": cohort, "day": day, "active_at": at}
        fresh: dict[str, Any] = {**dict.fromkeys(_COUNTS, 0), **names, "places": "{}"}
        connection.execute(upsert(connection, standing_table).on_conflict_do_nothing(), fresh)
        return fresh
    found = dict(row)
    if found["day"] != day:
        found |= {"day": day, "answered_today": 0, "exposure_today": 0}
    return found


def save_standing(connection: Connection, changed: dict[str, Any], at: datetime) -> None:
    """Write a standing back; the rater must be locked (see :func:`comoderate.annotation.raters.rater_in`)."""
    values = {name: value for name, value in changed.items() if name not in {"rater_id", "campaign_id"}}
    names = {"rater": changed["rater_id"], "campaign": changed["campaign_id"]}
    connection.execute(_SAVE, {**values, **names, "active_at": at})


def exposure_today(connection: Connection, rater_id: str, at: datetime) -> int:
    """Exposing posts that the rater answered today (UTC), in all campaigns."""
    return int(connection.scalar(_EXPOSURE, {"rater": rater_id, "today": at.date().isoformat()}) or 0)
