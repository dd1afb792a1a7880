"""What one rater did in one campaign so far, read and written within a transaction that is under way."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from comoderate.annotation.labelling_tables import standing_table
from comoderate.annotation.upsert import upsert

_COUNTS = (
    "epoch", "turns", "answered", "skipped", "exposure", "gold_seen", "gold_right", "seconds", "since_break",
    "answered_today", "exposure_today",
)  # fmt: skip


def standing(connection: Connection, rater_id: str, campaign_id: int, cohort: str, at: datetime) -> dict[str, Any]:
    """The rater's standing, made where there is none; the day's counts begin anew with each day (UTC)."""
    c, day = standing_table.c, at.date().isoformat()
    query = select(standing_table).where(c.rater_id == rater_id, c.campaign_id == campaign_id)
    row = connection.execute(query).mappings().first()
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
    c = standing_table.c
    mine = (c.rater_id == changed["rater_id"]) & (c.campaign_id == changed["campaign_id"])
    values = {name: value for name, value in changed.items() if name not in {"rater_id", "campaign_id"}}
    connection.execute(update(standing_table).where(mine).values(**{**values, "active_at": at}))


def exposure_today(connection: Connection, rater_id: str, at: datetime) -> int:
    """Exposing posts that the rater answered today (UTC), in all campaigns."""
    c = standing_table.c
    query = select(func.sum(c.exposure_today)).where(c.rater_id == rater_id, c.day == at.date().isoformat())
    return int(connection.scalar(query) or 0)
