"""What may still be spent on a service, over all threads."""

from __future__ import annotations

import threading

_ROUNDING = 1e-9


class Purse:
    """A budget from which requests are paid before they are sent, and given back where they cost nothing.

    Args:
        budget: what may be spent in all; None for no limit.
        spent: what was spent before.
    """

    def __init__(self, budget: float | None, spent: float) -> None:
        self.budget, self.spent = budget, spent
        self._lock = threading.Lock()

    def take(self, cost: float) -> bool:
        """Pay for a request; False, and nothing is paid, where that is more than is left."""
        with self._lock:
            if self.budget is not None and self.spent + cost > self.budget * (1 + _ROUNDING):
                return False
            self.spent += cost
            return True

    def give_back(self, cost: float) -> None:
        """Take back what a request did not cost."""
        with self._lock:
            self.spent -= cost
