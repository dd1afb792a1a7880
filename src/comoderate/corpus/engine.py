"""The engines behind the seam: DuckDB by default, Spark where a study asks for it; both loaded only when used."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comoderate.errors import ComoderateError

if TYPE_CHECKING:
    import duckdb
    import ibis
    import pyarrow as pa
    from ibis.backends import BaseBackend

MEMORY = "512MB"
"""What DuckDB may hold before it spills to disk."""


@contextlib.contextmanager
def duck(*, temporary: Path, memory: str = MEMORY) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB connection of bounded memory that spills to ``temporary``, removed at the end."""
    import shutil

    import duckdb

    settings: dict[str, Any] = {"memory_limit": memory, "temp_directory": str(temporary)}
    try:
        with duckdb.connect(config=settings) as con:
            yield con
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def connect(engine: str = "duckdb", *, master: str | None = None, memory: str = MEMORY) -> BaseBackend:
    """An Ibis backend.

    Args:
        engine: ``duckdb`` or ``spark``.
        master: of Spark, ``local[*]`` if None; DuckDB takes none.
        memory: what DuckDB may hold before it spills to disk; the driver's memory for Spark is set by its own
            configuration.

    Raises:
        ComoderateError: an unknown engine, or Spark without its packages or Java.
    """
    if engine == "duckdb":
        import ibis

        spill = Path(tempfile.gettempdir()) / f"comoderate-{secrets.token_hex(8)}"
        return ibis.duckdb.connect(memory_limit=memory, temp_directory=str(spill))
    if engine == "spark":
        return _spark(master or "local[*]")
    raise ComoderateError(f"unknown engine {engine!r}", where="corpus.engine", do="use 'duckdb' or 'spark'")


@contextlib.contextmanager
def engine(name: str = "duckdb", *, master: str | None = None) -> Iterator[BaseBackend]:
    """As :func:`connect`, for the length of a block; a Spark session stays, since starting one takes seconds."""
    backend = connect(name, master=master)
    try:
        yield backend
    finally:
        if name == "duckdb":
            backend.disconnect()


def read_parts(backend: BaseBackend, paths: Sequence[Path]) -> ibis.Table:
    """Parquet files with the same columns as one lazy Ibis table of this backend."""
    names = [str(path.resolve()) for path in paths]
    if backend.name != "pyspark":
        duckdb_table: ibis.Table = backend.read_parquet(names)
        return duckdb_table
    view = _unused_name()
    backend._session.read.parquet(*names).createOrReplaceTempView(view)
    return backend.table(view)


def run_query(table: ibis.Table) -> Any:
    """The engine's own lazy result of an Ibis table: a DuckDB connection to fetch from, a Spark frame."""
    backend = table.get_backend()
    backend._run_pre_execute_hooks(table)
    return backend.raw_sql(backend.compile(table))


def arrow_batches_of(table: ibis.Table, batch_rows: int) -> Iterator[pa.RecordBatch]:
    """The rows of an Ibis table, at most so many held at a time on DuckDB; none of the batches is empty."""
    if table.get_backend().name == "pyspark":
        batches = iter(table.to_pyarrow().to_batches(batch_rows))
    else:
        batches = run_query(table).to_arrow_reader(batch_rows)
    return (batch for batch in batches if batch.num_rows)


@contextlib.contextmanager
def evaluated_once(table: ibis.Table, *, always: bool = False) -> Iterator[ibis.Table]:
    """The same table, its joins made once, in a temporary table of the engine, however often it is asked.

    A table without joins is given back as it is, unless ``always``: to scan it again costs less than to keep it.
    """
    import ibis.expr.operations as ops

    if not always and not table.op().find(ops.JoinChain):
        yield table
    elif table.get_backend().name == "pyspark":
        with _kept_by_spark(table) as kept:
            yield kept
    else:
        with _kept_by_duckdb(table) as kept:
            yield kept


@contextlib.contextmanager
def _kept_by_duckdb(table: ibis.Table) -> Iterator[ibis.Table]:
    """A temporary table, which DuckDB spills to disk where it has to."""
    backend, name = table.get_backend(), _unused_name()
    backend._run_pre_execute_hooks(table)
    backend.raw_sql(f"CREATE TEMP TABLE {name} AS {backend.compile(table)}")
    try:
        yield backend.table(name, database=("temp", "main"))
    finally:
        backend.raw_sql(f"DROP TABLE temp.main.{name}")


@contextlib.contextmanager
def _kept_by_spark(table: ibis.Table) -> Iterator[ibis.Table]:
    """A cached view, which Spark spills to disk where it has to."""
    backend, name = table.get_backend(), _unused_name()
    rows = run_query(table).cache()
    rows.createOrReplaceTempView(name)
    try:
        yield backend.table(name)
    finally:
        rows.sparkSession.catalog.dropTempView(name)
        rows.unpersist()


def _unused_name() -> str:
    """A name that no table or view has."""
    return f"comoderate_{secrets.token_hex(8)}"


def _spark(master: str) -> BaseBackend:
    """Ibis on a Spark session of this master, in UTC."""
    try:
        import ibis
        from pyspark.errors import PySparkRuntimeError
        from pyspark.sql import SparkSession
    except ImportError:
        raise ComoderateError(
            "Spark is not installed", where="corpus.engine", do="install comoderate[spark] and Java 17"
        ) from None
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        session = SparkSession.builder.master(master).appName("comoderate").config(map=dict(SPARK)).getOrCreate()
    except PySparkRuntimeError as error:
        raise ComoderateError(
            f"Spark did not start ({error.getCondition()})", where="corpus.engine", do="install Java 17"
        ) from None
    session.sparkContext.setLogLevel("ERROR")
    return ibis.pyspark.connect(session)


SPARK: dict[str, bool | float | int | str | None] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
