"""Writing frames as the Parquet parts of a dataset, every part of one schema."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from comoderate.corpus.files import atomic_path, first_line, frame_metadata

PART_ROWS = 250_000
TYPES = {
    "string": pa.string(), "double": pa.float64(), "int64": pa.int64(), "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}  # fmt: skip
"""The types that a schema may name."""


def write_parts(batches: Iterable[pd.DataFrame], folder: Path, schema: Mapping[str, str] | None) -> int:
    """Write frames to ``part-*.parquet`` files, a row group a frame, a part each :data:`PART_ROWS`; gives the rows."""
    arrow = None if schema is None else arrow_schema(schema)
    total, in_part, number = 0, 0, itertools.count()
    with contextlib.ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for frame in batches:
            arrow = arrow or arrow_schema(frame_types(frame))
            if writer is None or in_part >= PART_ROWS:
                stack.close()
                writer, in_part = stack.enter_context(part_writer(folder, next(number), arrow)), 0
            writer.write_table(to_arrow(frame, arrow))
            total, in_part = total + len(frame), in_part + len(frame)
        if arrow is None:
            raise ValueError("no frame and no schema to write")
        if writer is None:
            stack.enter_context(part_writer(folder, 0, arrow))
    return total


def write_batches(
    batches: Iterable[pd.DataFrame], path: Path | str, metadata: Mapping[str, str], *, schema: Mapping[str, str]
) -> int:
    """Write frames to one Parquet file, whole or not at all, a row group a frame; gives the rows.

    Args:
        batches: frames with the columns of ``schema``; none may be needed.
        path: the file.
        metadata: texts to keep, as :func:`comoderate.corpus.write_frame` does.
        schema: column → one of :data:`TYPES`.

    Raises:
        ValueError: a frame with other columns or types.
    """
    arrow = arrow_schema(schema).with_metadata(frame_metadata(metadata))
    rows = 0
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, arrow, compression="zstd") as writer:
        for frame in batches:
            writer.write_table(to_arrow(frame, arrow))
            rows += len(frame)
    return rows


def part_writer(folder: Path, number: int, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer for one part."""
    return pq.ParquetWriter(folder / f"part-{number:05d}.parquet", schema, compression="zstd")


def arrow_schema(types: Mapping[str, str]) -> pa.Schema:
    """An Arrow schema from column → name of type."""
    unknown = sorted(set(types.values()) - set(TYPES))
    if unknown:
        raise ValueError(f"unknown column types {unknown}; known are {sorted(TYPES)}")
    return pa.schema([(name, TYPES[kind]) for name, kind in types.items()])


def frame_types(frame: pd.DataFrame) -> dict[str, str]:
    """Column → name of type, objects being text."""
    return {str(name): _type_name(kind) for name, kind in frame.dtypes.items()}


def _type_name(kind: object) -> str:
    """The name in :data:`TYPES` for a pandas type."""
    if pd.api.types.is_bool_dtype(kind):  # type: ignore[arg-type]
        return "bool"
    if pd.api.types.is_integer_dtype(kind):  # type: ignore[arg-type]
        return "int64"
    if pd.api.types.is_float_dtype(kind):  # type: ignore[arg-type]
        return "double"
    return "timestamp" if pd.api.types.is_datetime64_any_dtype(kind) else "string"  # type: ignore[arg-type]


def to_arrow(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """A frame as an Arrow table of exactly this schema, NaN a missing value.

    Raises:
        ValueError: other columns, or values of other types.
    """
    if list(frame.columns) != schema.names:
        raise ValueError(f"a frame has columns {list(frame.columns)}, expected {schema.names}")
    try:
        columns = [_to_array(frame[field.name], field.type) for field in schema]
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"a frame's values do not fit its columns' types: {first_line(error)}") from None
    return pa.Table.from_arrays(columns, schema=schema)


def _to_array(values: pd.Series, kind: pa.DataType) -> pa.Array:
    """A column as Arrow; one without any value has every type."""
    if values.isna().all():
        return pa.nulls(len(values), kind)
    return pa.Array.from_pandas(values, type=kind)
