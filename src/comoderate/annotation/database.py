"""Open the annotation database: SQLite for one machine, PostgreSQL for a team; migrated when opened."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from comoderate.errors import ComoderateError

MIGRATIONS = Path(__file__).parent / "migrations"


def open_database(url: str) -> Engine:
    """An engine for ``url`` with the newest tables.

    Args:
        url: ``sqlite:///path`` or ``postgresql://user:password@host/name``.

    Raises:
        ComoderateError: the address is wrong, the server does not answer, or the database was made by a newer version.
    """
    engine = _engine(url)
    shown = make_url(url).render_as_string(hide_password=True)
    try:
        with engine.begin() as connection:
            config = Config()
            config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
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
    return engine


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.drivername in {"postgresql", "postgres"}:
            parsed = parsed.set(drivername="postgresql+psycopg")
        engine = create_engine(parsed)
    except ModuleNotFoundError:
        raise ComoderateError(
            "PostgreSQL needs a driver that is not installed", do="install comoderate[postgres]"
        ) from None
    except (ArgumentError, NoSuchModuleError):
        raise ComoderateError(
            "this is no database address", where=url, do="write sqlite:///path or postgresql://user@host/name"
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _sqlite_settings)
    return engine


def _sqlite_settings(connection: object, _record: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA busy_timeout=30000")
    cursor.close()
