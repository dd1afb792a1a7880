"""The annotation store: rows are appended, never changed; a correction is a row that supersedes another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, count, islice
from types import TracebackType
from typing import Any

import pandas as pd
from sqlalchemy import Connection, Select, func, select

from comoderate.annotation.bulk import insert_many
from comoderate.annotation.database import open_database
from comoderate.annotation.tables import COLUMNS, SOURCES, annotation_table

Row = dict[str, Any]
_BATCH = 2_000


class Store:
    """The annotations of one study.

    Use as a context manager, or call :meth:`close`.

    Args:
        url: address of the database, as :func:`comoderate.annotation.open_database` takes it.
    """

    def __init__(self, url: str) -> None:
        self.database = open_database(url)

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def revision(self) -> int:
        """The number of the newest row; 0 for an empty store. Any change of the annotations raises it."""
        with self.database.reading() as connection:
            return int(connection.scalar(select(func.max(annotation_table.c.number))) or 0)

    def append(self, rows: Iterable[Row]) -> int:
        """Append ``rows`` in one transaction: all of them or, on any error, none.

        Args:
            rows: dictionaries with the keys of :data:`comoderate.annotation.COLUMNS`; optional ones may be missing.

        Returns:
            How many rows were appended.
        """
        with self.database.writing() as connection:
            return insert_rows(connection, rows)

    def replace(self, prefix: str, rows: Iterable[Row]) -> tuple[int, int]:
        """Make the live rows whose ``response_id`` begins with ``prefix`` exactly ``rows``, by appending only.

        Rows that are live already stay; missing ones are appended; live ones that are no longer wanted are withdrawn
        by a row that supersedes them. One transaction. This makes importing a file again safe, changed or not.

        Returns:
            Rows appended, rows withdrawn.
        """
        with self.database.writing() as connection:
            query = select(annotation_table.c.response_id).where(
                annotation_table.c.response_id.startswith(prefix, autoescape=True)
            )
            known = set(connection.scalars(query))
            live = set(connection.scalars(_live(query)))
            kept: set[str] = set()
            added = insert_rows(connection, _missing(rows, known, live, kept))
            withdrawn = insert_rows(connection, (_withdrawal(old) for old in sorted(live - kept)))
            return added, withdrawn

    def snapshot(self, *, sources: Iterable[str] | None = None) -> pd.DataFrame:
        """All live annotations, oldest first: a frame with the columns :data:`comoderate.annotation.COLUMNS`.

        Args:
            sources: keep only these sources; by default all.
        """
        query = _live(select(*(annotation_table.c[name] for name in COLUMNS))).order_by(annotation_table.c.number)
        if sources is not None:
            query = query.where(annotation_table.c.source.in_(list(sources)))
        with self.database.reading() as connection:
            frame = pd.DataFrame(connection.execute(query).all(), columns=list(COLUMNS))
        frame["seconds"] = frame["seconds"].astype("float64")
        frame["created_at"] = pd.to_datetime(frame["created_at"], utc=True)
        return frame

    def stream(self, *, by_post: bool = False) -> Iterator[Row]:
        """All live annotations one by one, oldest first, in bounded memory.

        Args:
            by_post: those of one post together, and of these those of one rater.

        Yields:
            Dictionaries with the keys :data:`comoderate.annotation.COLUMNS`.
        """
        c = annotation_table.c
        order = (c.post_id, c.cohort, c.rater_id, c.number) if by_post else (c.number,)
        query = _live(select(*(c[name] for name in COLUMNS))).order_by(*order)
        with self.database.reading() as connection:
            for row in connection.execute(query, execution_options={"yield_per": _BATCH}):
                yield dict(row._mapping)

    def known(self, response_ids: Iterable[str]) -> set[str]:
        """Those of ``response_ids`` that were ever stored, live or not."""
        found: set[str] = set()
        wanted = iter(dict.fromkeys(response_ids))
        with self.database.reading() as connection:
            while part := list(islice(wanted, 500)):
                query = select(annotation_table.c.response_id).where(annotation_table.c.response_id.in_(part))
                found.update(connection.scalars(query))
        return found


def _live(query: Select[Any]) -> Select[Any]:
    gone = select(annotation_table.c.supersedes).where(annotation_table.c.supersedes.is_not(None))
    return query.where(annotation_table.c.answer.is_not(None), annotation_table.c.response_id.not_in(gone))


def _missing(rows: Iterable[Row], known: set[str], live: set[str], kept: set[str]) -> Iterator[Row]:
    for row in rows:
        name = _version(row["response_id"], known, live)
        kept.add(name)
        if name not in live:
            yield {**row, "response_id": name}


def _version(name: str, known: set[str], live: set[str]) -> str:
    """``name`` itself, or with a number where ``name`` was withdrawn: the live version, else the first unused one."""
    numbered = chain((name,), (f"{name}~{n}" for n in count(1)))
    return next(version for version in numbered if version in live or version not in known)


def _withdrawal(old: str) -> Row:
    empty = dict.fromkeys(("post_id", "cohort", "codebook", "question"), "")
    return {**empty, "response_id": f"{old}!", "source": "import", "supersedes": old}


def insert_rows(connection: Connection, rows: Iterable[Row]) -> int:
    """Append rows from a stream within a transaction that is under way; how many there were."""
    stream, total = iter(rows), 0
    while batch := [_complete(row) for row in islice(stream, _BATCH)]:
        total += insert_many(connection, annotation_table, batch)
    return total


def _complete(row: Row) -> Row:
    if row["source"] not in SOURCES:
        raise ValueError(f"source {row['source']!r} is none of {', '.join(SOURCES)}")
    return {name: row.get(name) for name in COLUMNS}
