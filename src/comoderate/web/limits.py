"""How often something may be tried: buckets of tokens that fill up again, in memory."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

REMEMBERED = 50_000
"""Keys that are remembered; the longest unused is forgotten first, which only ever allows more."""


class Limiter:
    """``burst`` tries at once for each key, and ``per_minute`` more a minute.

    Args:
        burst: tries at once.
        per_minute: tries that come back a minute.
        clock: seconds.
    """

    def __init__(self, *, burst: int, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst, self.rate, self.clock = burst, per_minute / 60.0, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, key: str, *, cost: float = 1.0) -> bool:
        """Whether another try under ``key`` is allowed now; if so it is counted, as ``cost`` tries."""
        with self._lock:
            now = self.clock()
            left, before = self._left.pop(key, (float(self.burst), now))
            left = min(self.burst, left + (now - before) * self.rate)
            allowed = left >= cost
            self._left[key] = (left - cost if allowed else left, now)
            while len(self._left) > REMEMBERED:
                self._left.popitem(last=False)
            return allowed
