"""Who may write to an SQLite database next.

SQLite lets a writer that finds the database busy sleep and try again; beside a process that writes all the time it may
try in vain for minutes. Here threads and processes wait in the kernel instead, and each is woken when one is done.
"""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path
from types import TracebackType


class WritersTurn:
    """A context manager that one thread of one process is in at a time, for one database file.

    The kernel lets go of the lock of a process that dies.
    """

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}-turn")
        self._threads = threading.Lock()
        self._file: int | None = None

    def __enter__(self) -> None:
        self._threads.acquire()
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError:  # a folder that cannot be written to: SQLite itself will say so, or wait in its own way
            self._close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        self._threads.release()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
