"""Where annotations are kept: an append-only store on SQLite or PostgreSQL."""

from comoderate.annotation.database import Database, open_database
from comoderate.annotation.refusals import Conflict, NotAllowed, NotFound
from comoderate.annotation.store import Row, Store
from comoderate.annotation.tables import COLUMNS, SOURCES

__all__ = ["COLUMNS", "SOURCES", "Conflict", "Database", "NotAllowed", "NotFound", "Row", "Store", "open_database"]
