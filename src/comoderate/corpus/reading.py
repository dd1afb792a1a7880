"""Records from a file of any accepted format, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from comoderate.corpus.columns import require_columns
from comoderate.corpus.delimited import delimited_frames
from comoderate.corpus.files import first_line, to_pandas
from comoderate.corpus.jsonlines import json_frames
from comoderate.corpus.sources import check_source, open_seekable
from comoderate.errors import ComoderateError


class Batch(NamedTuple):
    """Some consecutive records of a file.

    Attributes:
        frame: the records, a row each, with a fresh index from 0; None where a value is missing.
        first_row: number of the frame's first record in the file, from 1, header excluded.
    """

    frame: pd.DataFrame
    first_row: int


def read_batches(
    path: Path | str,
    columns: Sequence[str] | None = None,
    *,
    format: str = "auto",
    batch_rows: int = 50_000,
    encoding: str = "utf-8",
) -> Iterable[Batch]:
    """Stream the records of a CSV, TSV, JSON lines or Parquet file, gzipped or not.

    Args:
        path: the file; its first bytes tell gzip and Parquet, its name the rest.
        columns: the columns to read, in this order, each once; None reads all of them.
        format: ``auto``, ``csv``, ``tsv``, ``jsonl`` or ``parquet``.
        batch_rows: most records in a batch.
        encoding: of CSV and JSON lines; a UTF-8 byte-order mark is skipped.

    Returns:
        An iterator of batches. CSV values are text, an empty field None; JSON and Parquet values keep their types.

    Raises:
        ComoderateError: with file, column, row or line: no such file, nothing in it, a missing or duplicated
            column, a ragged or broken row, a byte that is not text. What concerns the whole file is raised by the
            call, the rest while iterating.
    """
    path = Path(path)
    columns = None if columns is None else list(dict.fromkeys(columns))
    kind = check_source(path, format, encoding)
    if kind == "parquet":
        frames = _parquet_frames(path, columns, batch_rows)
    elif kind == "jsonl":
        frames = json_frames(path, columns, batch_rows=batch_rows, encoding=encoding)
    else:
        delimiter = "\t" if kind == "tsv" else None
        frames = delimited_frames(path, columns, delimiter=delimiter, batch_rows=batch_rows, encoding=encoding)
    return _numbered(frames, path)


def _numbered(frames: Iterator[pd.DataFrame], path: Path) -> Iterator[Batch]:
    """Batches with the number of their first record; an error where there is no record at all."""
    row = 1
    for frame in frames:
        yield Batch(frame, row)
        row += len(frame)
    if row == 1:
        raise ComoderateError("the file has no records", where=path)


def _parquet_frames(path: Path, columns: Sequence[str] | None, batch_rows: int) -> Iterator[pd.DataFrame]:
    """Frames of a Parquet file's records."""
    try:
        with open_seekable(path) as raw, pq.ParquetFile(raw) as file:
            existing = file.schema_arrow.names
            wanted = list(existing if columns is None else columns)
            require_columns(wanted, existing, where=path)
            for batch in file.iter_batches(batch_size=batch_rows, columns=wanted):
                if len(batch):
                    yield to_pandas(batch)[wanted]
    except pa.ArrowException as error:
        raise ComoderateError(f"this is not a whole Parquet file ({first_line(error)})", where=path) from None
