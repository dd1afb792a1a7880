"""Records from CSV and TSV through Python's csv module, so that every error has a row and a line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from comoderate.corpus.columns import require_columns
from comoderate.corpus.sources import open_text
from comoderate.errors import ComoderateError

FIELD_LIMIT = 1 << 24
"""Characters in the longest field: enough for any post, and a forgotten quote stops before it eats the memory."""

Row = list[str]


def delimited_frames(
    path: Path, columns: Sequence[str] | None, *, delimiter: str | None, batch_rows: int, encoding: str
) -> Iterator[pd.DataFrame]:
    """Frames of at most ``batch_rows`` records, all values text, an empty field None.

    A ``delimiter`` of None is a comma, or a semicolon or tab where the header has these and no comma. Blank lines
    are skipped and not counted as records.

    Raises:
        ComoderateError: a missing or duplicated column, a row with too few or too many fields, broken quotes,
            bytes that are not text.
    """
    csv.field_size_limit(FIELD_LIMIT)
    with open_text(path, encoding) as text:
        first = text.readline()
        reader = csv.reader(_chain(first, text), delimiter=delimiter or _delimiter(first), strict=True)
        rows = _rows(reader, path)
        header = next(rows, [])
        wanted = list(header if columns is None else columns)
        require_columns(wanted, header, where=path)
        places = {name: header.index(name) for name in wanted}
        for chunk in _chunks(rows, batch_rows):
            yield pd.DataFrame({name: [row[at] or None for row in chunk] for name, at in places.items()}, dtype=object)


def _delimiter(header: str) -> str:
    """A comma, or what the header has instead of commas."""
    if "," in header:
        return ","
    return max(",;\t", key=header.count) if any(mark in header for mark in ";\t") else ","


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    """The first line, then the others."""
    yield first
    yield from rest


def _rows(reader: Iterator[Row], path: Path) -> Iterator[Row]:
    """The header, then the records; each of the header's width, blank lines left out."""
    width, record = 0, 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise ComoderateError(
                f"broken CSV ({error})", where=_place(path, record, reader), do="check the quotes around this row"
            ) from None
        if row is None:
            return
        if not row:
            continue
        width = width or len(row)
        if len(row) != width:
            raise ComoderateError(
                f"the row has {len(row)} fields, the header {width}", where=_place(path, record, reader),
                do="check the quotes and separators around this row",
            )  # fmt: skip
        yield row
        record += 1


def _place(path: Path, record: int, reader: Iterator[Row]) -> str:
    """File, record and line of what was just read; record 0 is the header."""
    row = f"row {record}" if record else "header"
    return f"{path}, {row}, line {getattr(reader, 'line_num', '?')}"


def _chunks(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    """Lists of at most ``size`` rows."""
    chunk: list[Row] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
