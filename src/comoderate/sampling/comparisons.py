"""Many comparisons at once: corrected levels and p-values."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from comoderate.metrics.estimate import Estimate
from comoderate.sampling.intervals import quantile

Floats = NDArray[np.float64]


def p_value(estimate: Estimate, *, null: float = 0.0, log: bool = False) -> float:
    """Two-sided p-value of an estimate against a null value, from its interval's own scale and width.

    Args:
        estimate: a difference (null 0) or a ratio (null 1, ``log=True``).
        null: the value under test.
        log: whether the interval is symmetric on the log scale.

    Returns:
        A number in [0, 1]; NaN where there is no standard error or interval.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if not math.isfinite(high - low) or (log and not (value > 0 and null > 0)):
        return math.nan
    away = math.log(value / null) if log else value - null
    width = math.log(high / low) if log else high - low
    se = width / (2 * quantile(estimate.level, math.inf))
    if se == 0:
        return 1.0 if away == 0 else 0.0
    return float(2 * ndtr(-abs(away) / se))


def simultaneous_level(level: float, comparisons: int) -> float:
    """The level of each of several intervals so that all cover together with ``level`` at least (Bonferroni).

    Args:
        level: joint coverage wanted, in (0, 1).
        comparisons: how many intervals, 1 or more.

    Raises:
        ValueError: no comparison, or a level outside (0, 1).
    """
    if comparisons < 1 or not 0 < level < 1:
        raise ValueError("there must be a comparison, and level must lie in (0, 1)")
    return 1 - (1 - level) / comparisons


def holm(p: ArrayLike) -> Floats:
    """Holm's (1979) adjusted p-values: the chance of any false finding stays below the level compared with.

    Args:
        p: (m,) p-values; NaN (undefined) stays NaN and does not count.

    Returns:
        float64 (m,).

    Raises:
        ValueError: p outside [0, 1].
    """
    values, order, m = _ordered(p)
    stepped = np.maximum.accumulate(values[order] * np.arange(m, 0, -1))
    return _put_back(values, order, stepped)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Benjamini and Hochberg's (1995) adjusted p-values: of the findings, the share that is false stays below.

    Args:
        p: (m,) p-values; NaN (undefined) stays NaN and does not count.

    Returns:
        float64 (m,).

    Raises:
        ValueError: p outside [0, 1].
    """
    values, order, m = _ordered(p)
    stepped = values[order] * m / np.arange(1, m + 1)
    return _put_back(values, order, np.minimum.accumulate(stepped[::-1])[::-1])


def _ordered(p: ArrayLike) -> tuple[Floats, NDArray[np.int64], int]:
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or np.any((values < 0) | (values > 1)):
        raise ValueError("p must be one-dimensional, each value in [0, 1]")
    m = int(np.count_nonzero(~np.isnan(values)))
    return values, np.argsort(values, kind="stable")[:m], m


def _put_back(values: Floats, order: NDArray[np.int64], stepped: Floats) -> Floats:
    result = np.full(values.shape, np.nan)
    result[order] = np.minimum(stepped, 1.0)
    return result
