"""Where annotations are kept: an append-only store on SQLite or PostgreSQL."""

from comoderate.annotation.database import open_database
from comoderate.annotation.store import Row, Store
from comoderate.annotation.tables import COLUMNS, SOURCES

__all__ = ["COLUMNS", "SOURCES", "Row", "Store", "open_database"]
