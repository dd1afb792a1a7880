"""Ctrl-C while a library is being imported: heard at once, raised when the import is over.

Libraries in C++ run Python while they are imported, and some of them end the whole process where that raises
``KeyboardInterrupt``. A command that is stopped in those seconds is to end like any other, with one line and exit code
130.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
STOPPED = "\nstopped; what is finished stays, and the same command goes on from there"
AGAIN = 0.05
"""Seconds after which it is looked again whether an import is over."""
IMPORTING = "<frozen importlib._bootstrap>"


@contextmanager
def after_imports() -> Iterator[None]:
    """Within it ``KeyboardInterrupt`` waits for the end of an import that is under way.

    A program that ignores Ctrl-C, or handles it in its own way, goes on doing so.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or not hasattr(signal, "setitimer"):
        yield
        return
    base = sys._getframe(2)

    def heard(number: int, frame: FrameType | None) -> None:
        if importing(frame, base):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            return
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, heard)
    signal.signal(signal.SIGINT, heard)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, before)


def importing(frame: FrameType | None, base: FrameType | None = None) -> bool:
    """Whether a module is being imported.

    Args:
        frame: where the program is.
        base: the frame further out that is not looked beyond: it may itself be run by an import.
    """
    while frame is not None and frame is not base:
        if frame.f_code.co_filename == IMPORTING:
            return True
        frame = frame.f_back
    return False


def interrupted(error: Exception) -> bool:
    """Whether an error is Ctrl-C in a library's words: DuckDB ends the query that it is at, and says so."""
    return type(error).__name__ == "InterruptException" or (
        isinstance(error, RuntimeError) and str(error) == "Query interrupted"
    )
