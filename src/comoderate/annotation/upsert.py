"""``INSERT … ON CONFLICT`` in the words of either database."""

from __future__ import annotations

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(connection: Connection, table: Table) -> postgresql.Insert:
    """An insert into ``table`` that knows ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)  # type: ignore[return-value]  # the two have the same methods
    return postgresql.insert(table)
