"""One way to an interval for every coefficient: linearised, or from replicate weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from comoderate.agreement.patterns import Patterns
from comoderate.metrics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Statistic:
    """A value and how much an item of each pattern moves it.

    Attributes:
        value: NaN where undefined.
        influence: (n_patterns,) z, scaled so that a sample's error is about Σwz / Σw, with Σwz = 0.
        reason: why the value is undefined or its interval doubtful.
    """

    value: float
    influence: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    reason: str | None = None

    @classmethod
    def undefined(cls, reason: str) -> Statistic:
        """No value, and why."""
        return cls(math.nan, reason=reason)


def kish(weight: NDArray[np.float64] | None, n: int) -> float:
    """(Σw)² / Σw², Kish's effective sample size; ``n`` where there are no weights."""
    if weight is None:
        return float(n)
    squares = float(weight @ weight)
    return float(weight.sum()) ** 2 / squares if squares > 0 else math.nan


def interval_of(
    statistic: Callable[[NDArray[np.float64]], Statistic],
    patterns: Patterns,
    *,
    level: float,
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
    method: str,
) -> Estimate:
    """The estimate of a statistic of patterns.

    Args:
        statistic: from the total weight of each pattern (n_patterns,).
        patterns: the items.
        level: coverage of the interval, in (0, 1).
        replicates: None for the linearised interval; else as ``metrics.estimate`` takes them.
        random_state: seed of the bootstrap.
        method: name of the statistic.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; got {level}")
    found = statistic(patterns.totals(patterns.weight)) if patterns.n else Statistic.undefined("no item has a rating")
    n, n_effective = patterns.n, kish(patterns.weight, patterns.n)
    if math.isnan(found.value):
        return Estimate.undefined(str(found.reason), level=level, method=method, n=n)
    if replicates is not None:
        return _resampled(statistic, patterns, found, level, replicates, random_state, method)
    se = _standard_error(found.influence, patterns)
    low, high = _bounds(found.value, se, n_effective, level)
    name = f"{method}, linearised"
    return Estimate(found.value, se, low, high, level, name, n, n_effective, found.reason)


def _standard_error(influence: NDArray[np.float64], patterns: Patterns) -> float:
    """√(n/(n−1) Σ(wz)²) / Σw."""
    weight, n = patterns.weight, patterns.n
    if n < 2:
        return math.nan
    squares = patterns.totals(None if weight is None else weight**2)
    total = float(n) if weight is None else float(weight.sum())
    return math.sqrt(n / (n - 1) * float(squares @ influence**2)) / total


def _bounds(value: float, se: float, n_effective: float, level: float) -> tuple[float, float]:
    """Value ± t · se, cut off at 1."""
    if not (n_effective > 1 and se >= 0):
        return math.nan, math.nan
    reach = float(stats.t.ppf((1 + level) / 2, n_effective - 1)) * se
    return value - reach, min(value + reach, 1.0)


def _resampled(
    statistic: Callable[[NDArray[np.float64]], Statistic],
    patterns: Patterns,
    found: Statistic,
    level: float,
    replicates: int | Iterable[ArrayLike],
    random_state: int | None,
    method: str,
) -> Estimate:
    """The interval from replicate weights of the items."""
    from comoderate.metrics import estimate

    def value_of(code: NDArray[np.int64], *, sample_weight: NDArray[np.float64] | None = None) -> float:
        return statistic(patterns.totals(sample_weight)).value

    vectors = replicates if isinstance(replicates, int) else (patterns.of_given(np.asarray(w)) for w in replicates)
    made = estimate(
        value_of,
        patterns.code,
        sample_weight=patterns.weight,
        replicates=vectors,
        level=level,
        random_state=random_state,
    )
    assert isinstance(made, Estimate)
    return replace(made, value=found.value, method=f"{method}, {made.method}")
