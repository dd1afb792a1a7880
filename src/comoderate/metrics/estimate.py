"""An estimate: a value with its uncertainty, and how both were made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its standard error and interval.

    Attributes:
        value: the point estimate; NaN where it is undefined.
        se: standard error, in the unit of ``value``; NaN where unknown.
        low, high: ends of the interval; NaN where unknown.
        level: nominal coverage of the interval, in (0, 1).
        method: how value and interval were made, in a few words.
        n: number of observations that entered.
        n_effective: number of equally weighted independent observations that would be as informative.
        reason: why the value or its interval is undefined or doubtful; None where all is well.
    """

    value: float
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    method: str = ""
    n: int = 0
    n_effective: float = math.nan
    reason: str | None = None

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        if math.isnan(self.value):
            return f"undefined ({self.reason})" if self.reason else "undefined"
        if math.isnan(self.low) or math.isnan(self.high):
            return f"{self.value:.3g}"
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"

    def covers(self, truth: float) -> bool:
        """Whether the interval holds ``truth``; False where the interval is undefined."""
        return bool(self.low <= truth <= self.high)

    def as_dict(self) -> dict[str, Any]:
        """The fields as a plain dictionary: one row of a frame of estimates."""
        return asdict(self)

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Estimate:
        """The estimate in a row that :meth:`as_dict` (or a frame of such rows) gave; other columns are ignored."""
        return cls(**{name: row[name] for name in cls.__slots__ if name in row})

    @classmethod
    def undefined(cls, reason: str, *, level: float = 0.95, method: str = "", n: int = 0) -> Estimate:
        """An estimate that has no value, with the reason why."""
        return cls(math.nan, level=level, method=method, n=n, n_effective=math.nan, reason=reason)
