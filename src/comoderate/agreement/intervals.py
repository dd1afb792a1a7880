"""One way to an interval for every coefficient: linearised, or from replicate weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from comoderate.agreement.patterns import Patterns
from comoderate.metrics.estimate import Estimate

Interval = Literal["adjusted", "wald"]


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
    squares = float(np.square(weight).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else math.nan


Form = Callable[[NDArray[np.float64]], Statistic]


class Adjusted(NamedTuple):
    """A statistic with invented items (see :mod:`.adjust`).

    Attributes:
        statistic: from the total weights of (n_patterns + n_invented,).
        n_invented: how many patterns come after those of the data.
        doubt: why the interval is rough, if it is.
    """

    statistic: Form
    n_invented: int
    doubt: str | None = None


def interval_of(
    statistic: Form,
    patterns: Patterns,
    *,
    level: float,
    adjusted: Callable[[NDArray[np.float64]], Adjusted] | None = None,
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
    method: str,
) -> Estimate:
    """The estimate of a statistic of patterns.

    Args:
        statistic: from the total weight of each pattern (n_patterns,).
        patterns: the items.
        level: coverage of the interval, in (0, 1).
        adjusted: gives the statistic with invented items, from the patterns' total weights, for the interval's ends.
        replicates: None for the linearised interval; else as ``metrics.estimate`` takes them.
        random_state: seed of the bootstrap.
        method: name of the statistic.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; got {level}")
    totals = patterns.totals(patterns.weight)
    found = statistic(totals) if patterns.n else Statistic.undefined("no item has a rating")
    n, n_effective = patterns.n, kish(patterns.weight, patterns.n)
    if math.isnan(found.value):
        return Estimate.undefined(str(found.reason), level=level, method=method, n=n)
    if replicates is not None:
        return _resampled(statistic, patterns, found, level, replicates, random_state, method)
    squares = patterns.totals(None if patterns.weight is None else patterns.weight**2)
    se = _standard_error(found.influence, squares, patterns)
    more = None if adjusted is None else adjusted(totals)
    if more is None:
        low, high = _bounds(found.value, se, n_effective, level)
        return Estimate(found.value, se, low, high, level, f"{method}, linearised", n, n_effective, found.reason)
    middle, spread = _with_invented(more, totals, squares, patterns.n, n_effective)
    low, high = _bounds(middle, spread, n_effective, level)
    low, high = min(low, found.value), max(high, found.value)
    name = f"{method}, linearised, adjusted"
    return Estimate(found.value, se, low, high, level, name, n, n_effective, found.reason or more.doubt)


def _with_invented(
    more: Adjusted, totals: NDArray[np.float64], squares: NDArray[np.float64], n: int, n_effective: float
) -> tuple[float, float]:
    """Value and standard error with the invented items, each as heavy as an effective item."""
    heavy = float(totals.sum()) / n_effective
    found = more.statistic(np.append(totals, np.full(more.n_invented, heavy)))
    squares = np.append(squares, np.full(more.n_invented, heavy**2))
    if math.isnan(found.value) or n < 2:
        return math.nan, math.nan
    total = float(totals.sum()) + more.n_invented * heavy
    return found.value, math.sqrt(n / (n - 1) * float(squares @ found.influence**2)) / total


def _standard_error(influence: NDArray[np.float64], squares: NDArray[np.float64], patterns: Patterns) -> float:
    """√(n/(n−1) Σ(wz)²) / Σw, from Σw² of each pattern."""
    weight, n = patterns.weight, patterns.n
    if n < 2:
        return math.nan
    total = float(n) if weight is None else float(weight.sum())
    return math.sqrt(n / (n - 1) * float(squares @ influence**2)) / total


def _bounds(value: float, se: float, n_effective: float, level: float) -> tuple[float, float]:
    """Value ± t · se, cut off at 1; NaN where unknown."""
    if not (n_effective > 1 and se >= 0):
        return math.nan, math.nan
    reach = float(stats.t.ppf((1 + level) / 2, n_effective - 1)) * se
    return value - reach, min(value + reach, 1.0)


def _resampled(
    statistic: Form,
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
