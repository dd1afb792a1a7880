"""The engines behind the seam: DuckDB by default, Spark where a study asks for it; both loaded only when used."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comoderate.errors import ComoderateError

if TYPE_CHECKING:
    import duckdb
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

        return ibis.duckdb.connect(memory_limit=memory)
    if engine == "spark":
        return _spark(master or "local[*]")
    raise ComoderateError(f"unknown engine {engine!r}", where="corpus.engine", do="use 'duckdb' or 'spark'")


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
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
