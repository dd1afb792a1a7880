"""Who may write to an SQLite database next.

SQLite lets a writer that finds the database busy sleep and try again; beside a process that writes all the time it may
try in vain for minutes. Here processes wait in the kernel instead, and each is woken when one is done; within a
process, threads come in the order in which they asked.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections import deque
from pathlib import Path
from types import TracebackType


class Line:
    """A lock whose waiters get it in the order in which they asked."""

    def __init__(self) -> None:
        self._guard, self._taken = threading.Lock(), False
        self._waiting: deque[threading.Lock] = deque()

    def acquire(self) -> None:
        """Wait for one's turn."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            called = threading.Lock()
            called.acquire()
            self._waiting.append(called)
        called.acquire()

    def release(self) -> None:
        """Hand over to who has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False


class WritersTurn:
    """A context manager that one thread of one process is in at a time, for one database file.

    The kernel lets go of the lock of a process that dies.
    """

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}-turn")
        self._threads = Line()
        self._file: int | None = None
        self._owner: int | None = None

    def __enter__(self) -> None:
        if self._owner == threading.get_ident():
            raise RuntimeError("this thread is writing already: finish that transaction first")
        self._threads.acquire()
        self._owner = threading.get_ident()
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError:  # a folder that cannot be written to: SQLite itself will say so, or wait in its own way
            self._close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        self._owner = None
        self._threads.release()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
