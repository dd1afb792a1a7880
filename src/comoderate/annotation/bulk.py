"""Many rows at once: streamed into PostgreSQL (``COPY``), where an insert of many rows is a statement a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import ARRAY, Column, ColumnElement, Connection, Table, Text, func, literal, select
from sqlalchemy.exc import IntegrityError

from comoderate.annotation.refusals import unfit
from comoderate.annotation.upsert import upsert

Row = dict[str, Any]
MANY = 50
"""Fewer rows than this, none of which may be known, are inserted one by one."""


def insert_many(connection: Connection, table: Table, rows: Sequence[Row], *, known: str = "refuse") -> int:
    """Insert rows within a transaction that is under way; how many went in.

    Args:
        connection: the transaction's.
        table: where to.
        rows: dictionaries, all with the same keys: names of columns. Other columns get their defaults.
        known: what to do with rows that are there already by one of the table's unique keys: ``refuse`` them all with
            an error, or ``skip`` those.

    Raises:
        IntegrityError: a row is there already, or lacks something.
        ComoderateError: a value is none that its column can hold.
    """
    if not rows:
        return 0
    skip = known == "skip"
    if connection.dialect.name == "postgresql" and (skip or len(rows) >= MANY):
        return _streamed(connection, table, rows, skip=skip)
    if skip:
        return int(connection.execute(upsert(connection, table).on_conflict_do_nothing(), rows).rowcount)
    connection.execute(table.insert(), rows)
    return len(rows)


def among(dialect: str, column: Column[str], values: Collection[str]) -> ColumnElement[bool]:
    """Whether a text column holds one of very many values.

    PostgreSQL gets them as one array that it joins: of a long list it may, while a table grows and nobody has counted
    its rows, compare every value with every row.
    """
    if dialect != "postgresql":
        return column.in_(values)
    return column.in_(select(func.unnest(literal(list(values), ARRAY(Text)))))


def _streamed(connection: Connection, table: Table, rows: Sequence[Row], *, skip: bool) -> int:
    """Straight into the table, or, to skip what is known, by way of a temporary one with the same columns."""
    if not skip:
        _copy(connection, table, table.name, rows)
        return len(rows)
    beside = f"new_{table.name}"
    connection.exec_driver_sql(f"CREATE TEMPORARY TABLE {beside} (LIKE {table.name} INCLUDING DEFAULTS) ON COMMIT DROP")
    _copy(connection, table, beside, rows)
    done = connection.exec_driver_sql(f"INSERT INTO {table.name} SELECT * FROM {beside} ON CONFLICT DO NOTHING")
    connection.exec_driver_sql(f"DROP TABLE {beside}")
    return int(done.rowcount)


def _copy(connection: Connection, table: Table, into: str, rows: Sequence[Row]) -> None:
    import psycopg

    names = tuple(rows[0])
    convert = [_converter(connection, table, name) for name in names]
    statement = f"COPY {into} ({', '.join(names)}) FROM STDIN"
    cursor: psycopg.Cursor[Any] = connection.connection.cursor()  # type: ignore[assignment]  # psycopg's own
    try:
        with cursor, cursor.copy(statement) as stream:
            for row in rows:
                stream.write_row([turn(row[name]) for name, turn in zip(names, convert, strict=True)])
    except psycopg.DataError as error:
        raise unfit() from error
    except psycopg.IntegrityError as error:
        raise IntegrityError(statement, None, error) from error


def _converter(connection: Connection, table: Table, name: str) -> Callable[[Any], Any]:
    """What turns a value into what the driver takes, as any statement would."""
    return table.c[name].type.bind_processor(connection.dialect) or _same


def _same(value: Any) -> Any:
    return value
