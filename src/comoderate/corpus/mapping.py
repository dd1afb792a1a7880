"""Running a function over a table a batch at a time, on either engine; all streaming is owned here."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from comoderate.corpus.datasets import Manifest, finish, write_dataset
from comoderate.corpus.engine import arrow_batches_of, run_query
from comoderate.corpus.files import atomic_folder, to_pandas
from comoderate.corpus.parts import arrow_schema, to_arrow

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

Fn = Callable[[pd.DataFrame], pd.DataFrame]
SPARK_TYPES = {"string": "string", "double": "double", "int64": "bigint", "bool": "boolean", "timestamp": "timestamp"}


def map_batches(
    table: ibis.Table | pd.DataFrame,
    fn: Fn,
    schema: Mapping[str, str],
    out: Path | str,
    *,
    metadata: Mapping[str, str] | None = None,
    kind: str = "scores",
    batch_rows: int = 50_000,
) -> Manifest:
    """Write ``fn`` of every batch of ``table`` to the dataset ``out``, whole or not at all.

    On DuckDB the batches come in the table's order, in this process; on Spark ``fn`` is sent to the workers (it must
    be picklable), each row is in one batch, and the order of the batches is Spark's.

    Args:
        table: a lazy Ibis table on DuckDB or Spark, or a pandas frame.
        fn: gets a frame of at most ``batch_rows`` rows, gives a frame with the columns of ``schema``.
        schema: column → ``string``, ``double``, ``int64``, ``bool`` or ``timestamp``.
        out: folder of the dataset, which must be reachable from the workers.
        metadata: texts for the manifest.
        kind: what the dataset holds.
        batch_rows: most rows in a batch.

    Raises:
        ValueError: a frame of ``fn`` does not have the columns and types of ``schema``.
    """
    arrow_schema(schema)
    if not isinstance(table, pd.DataFrame) and table.get_backend().name == "pyspark":
        return _map_spark(table, fn, schema, Path(out), metadata=metadata or {}, kind=kind, batch_rows=batch_rows)
    results = (fn(frame) for frame in _frames(table, batch_rows))
    return write_dataset(results, out, metadata or {}, kind=kind, schema=schema)


def _frames(table: ibis.Table | pd.DataFrame, batch_rows: int) -> Iterator[pd.DataFrame]:
    """The rows of a table in frames, none empty."""
    if isinstance(table, pd.DataFrame):
        for start in range(0, len(table), batch_rows):
            yield table.iloc[start : start + batch_rows].reset_index(drop=True)
        return
    yield from map(to_pandas, arrow_batches_of(table, batch_rows))


def _map_spark(
    table: ibis.Table, fn: Fn, schema: Mapping[str, str], out: Path, *, metadata: Mapping[str, str], kind: str,
    batch_rows: int,
) -> Manifest:  # fmt: skip
    """The same by Spark's ``mapInArrow``, its files renamed to parts."""
    rows = run_query(table)
    rows.sparkSession.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch_rows))
    mapped = rows.mapInArrow(_each(fn, schema), ", ".join(f"`{n}` {SPARK_TYPES[t]}" for n, t in schema.items()))
    with atomic_folder(out) as temporary:
        mapped.write.option("compression", "zstd").parquet(str(temporary / "spark"))
        for number, file in enumerate(sorted((temporary / "spark").glob("part-*.parquet"))):
            file.rename(temporary / f"part-{number:05d}.parquet")
        shutil.rmtree(temporary / "spark")
        return finish(temporary, kind, metadata)


def _each(fn: Fn, schema: Mapping[str, str]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """``fn`` over Arrow record batches, its results checked against the schema."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A worker's batches."""
        arrow = arrow_schema(schema)
        for batch in batches:
            if batch.num_rows:
                yield from to_arrow(fn(to_pandas(batch)), arrow).to_batches()

    return run
