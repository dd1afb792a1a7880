"""When to ask: a steady rate, the pauses that a service asks for, and ever longer waits after failures."""

from __future__ import annotations

import email.utils
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

MOST_ASKED = 3600.0
"""Seconds: a service that asks for a longer pause is taken to mean an hour."""


class Pace:
    """Spaces the requests of all threads.

    Args:
        per_second: most requests a second; None for no limit.
        clock: seconds, monotonic.
        sleep: waits so many seconds, or less where the work is to end.
    """

    def __init__(
        self,
        per_second: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._gap = 0.0 if per_second is None else 1.0 / per_second
        self._clock, self._sleep, self._lock = clock, sleep, threading.Lock()
        self._next = float("-inf")

    def wait(self) -> None:
        """Wait for the turn of one request."""
        with self._lock:
            turn = max(self._next, self._clock())
            self._next = turn + self._gap
        while (left := turn - self._clock()) > 0:
            if self._sleep(left):
                return

    def pause(self, seconds: float) -> None:
        """Let nobody ask for so many seconds."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


def backoff(attempt: int, *, longest: float, shortest: float = 0.5, chance: random.Random) -> float:
    """Seconds to wait after a failure: uniform up to a bound that doubles each time, so that clients spread out.

    Args:
        attempt: 0 after the first failure.
        longest: the bound's bound.
        shortest: the first bound.
        chance: random numbers.
    """
    return chance.uniform(0.0, min(longest, shortest * 2.0 ** min(attempt, 30)))


def retry_after(header: str | None) -> float | None:
    """The seconds that a ``Retry-After`` header asks for, as a number or a date; None where it asks for none."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = email.utils.parsedate_to_datetime(header)
        except ValueError:
            return None
        seconds = (date - datetime.now(UTC)).total_seconds() if date.tzinfo else 0.0
    return min(max(seconds, 0.0), MOST_ASKED) if seconds == seconds else None
