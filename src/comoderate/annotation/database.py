"""Open the annotation database: SQLite for one machine, PostgreSQL for a team; migrated when opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, NoSuchModuleError, OperationalError

from comoderate.annotation import desk_tables, labelling_tables, people_tables  # noqa: F401 - they fill the metadata
from comoderate.annotation.refusals import unfit
from comoderate.annotation.turns import WritersTurn
from comoderate.errors import ComoderateError

MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATING = 20_061_207
"""Key of the PostgreSQL lock under which one process at a time migrates."""
_T = TypeVar("_T")
_TRIES = 8
_AGAIN = {"40P01", "40001"}  # PostgreSQL: deadlock detected, could not serialise


class Database:
    """An open annotation database; a context manager. Safe to share by threads, not by forked processes.

    SQLite has one writer at a time; writers wait for their turn (see :mod:`comoderate.annotation.turns`).
    """

    def __init__(self, engine: Engine, shown: str) -> None:
        self.engine = engine
        self.shown = shown
        self.dialect = engine.dialect.name
        path = engine.url.database if self.dialect == "sqlite" else None
        self._turn = nullcontext() if path is None else WritersTurn(Path(path))

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection in a transaction that only reads."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """A connection in a transaction that writes; all of it is stored at the end or, on any error, none.

        Args:
            durable: be on the disk before this returns. Without, a power failure may take the transaction back, though
                never one that was stored before a durable one, and a killed process loses nothing.
        """
        with self._turn, self.engine.connect() as plain:
            connection = plain.execution_options(comoderate_write=True, comoderate_durable=durable)
            with connection.begin():
                yield connection

    def write(self, body: Callable[[Connection], _T], *, durable: bool = True) -> _T:
        """The value of ``body`` in a writing transaction; tried again where two got in each other's way."""
        for rest in reversed(range(_TRIES)):
            try:
                with self.writing(durable=durable) as connection:
                    return body(connection)
            except OperationalError as error:
                if not rest or not _passing(error):
                    raise
        raise AssertionError("unreachable")


def open_database(url: str, *, pool: int = 10) -> Database:
    """The database at ``url`` with the newest tables.

    Args:
        url: ``sqlite:///path`` or ``postgresql://user:password@host/name``.
        pool: connections kept open; up to twice as many more are opened under load.

    Raises:
        ComoderateError: the address is wrong, the server does not answer, or the database was made by a newer version.
    """
    engine = _engine(url, pool)
    shown = make_url(url).render_as_string(hide_password=True)
    database = Database(engine, shown)
    try:
        if not _newest(database):
            with database.writing() as connection:
                _migrate(connection)
    except CommandError:
        engine.dispose()
        raise ComoderateError(
            "the annotation database was made by a newer version of Comoderate", where=shown, do="upgrade Comoderate"
        ) from None
    except DBAPIError as error:
        engine.dispose()
        raise ComoderateError(
            f"the annotation database cannot be opened ({str(error.orig).splitlines()[0]})",
            where=shown,
            do="check the address and that the server runs",
        ) from None
    return database


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


@cache
def _heads() -> frozenset[str]:
    """The newest migrations; read once a process, for Alembic loads every migration to find them."""
    return frozenset(ScriptDirectory.from_config(_config()).get_heads())


def _newest(database: Database) -> bool:
    """Whether nothing is to be migrated, which is asked without writing: to open a busy database needs no turn."""
    with database.reading() as connection:
        current = MigrationContext.configure(connection).get_current_heads()
    return _heads() == set(current)


def _migrate(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATING})")
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _engine(url: str, pool: int) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.drivername in {"postgresql", "postgres"}:
            parsed = parsed.set(drivername="postgresql+psycopg")
        engine = create_engine(parsed, pool_size=pool, max_overflow=2 * pool, pool_timeout=60)
    except ModuleNotFoundError:
        raise ComoderateError(
            "PostgreSQL needs a driver that is not installed", do="install comoderate[postgres]"
        ) from None
    except (ArgumentError, NoSuchModuleError, TypeError):
        raise ComoderateError(
            "this is no database address", where=url, do="write sqlite:///path or postgresql://user@host/name"
        ) from None
    event.listen(engine, "handle_error", _refuse)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _sqlite_settings)
        event.listen(engine, "begin", _sqlite_begin)
    else:
        event.listen(engine, "begin", _postgresql_begin)
    return engine


def _refuse(context: ExceptionContext) -> ComoderateError | None:
    """One plain line for a value that no column holds."""
    if not isinstance(context.sqlalchemy_exception, DataError):
        return None
    return unfit()


def _sqlite_settings(connection: object, _record: object) -> None:
    connection.isolation_level = None  # type: ignore[attr-defined]  # _sqlite_begin begins, not the driver
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA busy_timeout=30000")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA cache_size=-20000")
    cursor.close()


def _sqlite_begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("comoderate_write"):
        level = "FULL" if options["comoderate_durable"] else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous={level}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql("BEGIN")


def _postgresql_begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("comoderate_write") and not options["comoderate_durable"]:
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")


def _passing(error: OperationalError) -> bool:
    """Whether the same transaction may well succeed when tried again."""
    return getattr(error.orig, "sqlstate", None) in _AGAIN or "database is locked" in str(error.orig)
