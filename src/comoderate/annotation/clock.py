"""Moments in time as the annotation room keeps them: aware in UTC outside, seconds since 1970 in the database."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Dialect
from sqlalchemy.types import Double, TypeDecorator


def moment(now: datetime | None) -> datetime:
    """``now`` in UTC; the present where it is None."""
    return datetime.now(UTC) if now is None else now.astimezone(UTC)


class Moment(TypeDecorator[datetime]):
    """A column of aware datetimes, stored as seconds since 1970: the same, and comparable, in every database."""

    impl = Double
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> float | None:
        """Seconds since 1970."""
        return None if value is None else value.timestamp()

    def process_result_value(self, value: float | None, dialect: Dialect) -> datetime | None:
        """An aware datetime in UTC."""
        return None if value is None else datetime.fromtimestamp(value, UTC)
