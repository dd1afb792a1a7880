"""The classical F intervals of the intraclass correlation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scipy import stats

from comoderate.metrics.estimate import Estimate

if TYPE_CHECKING:
    from comoderate.agreement.icc import MeanSquares


def f_interval(found: Estimate, kind: str, squares: MeanSquares | str, k: int) -> Estimate:
    """The estimate with the interval of Shrout and Fleiss (1979), page 424 onwards, for normal ratings.

    Args:
        found: the estimate with another interval.
        kind: which of the six kinds.
        squares: the analysis of variance.
        k: number of raters.
    """
    assert not isinstance(squares, str)
    n = squares.items
    if kind[4] == "1":
        low, high = _ratio(squares.between, squares.within, n - 1, n * (k - 1), found.level)
    else:
        low, high = _ratio(squares.between, squares.error, n - 1, (n - 1) * (k - 1), found.level)
    single = kind.endswith("1)")
    if kind[4] == "2":
        low, high = _random_raters(squares, k, found.level)
        low, high = (low, high) if single else (_stepped_up(low, k), _stepped_up(high, k))
    elif single:
        low, high = (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)
    else:
        low, high = 1 - 1 / low, 1 - 1 / high
    return replace(found, low=low, high=high, method=f"{kind}, F interval")


def _ratio(top: float, bottom: float, df_top: float, df_bottom: float, level: float) -> tuple[float, float]:
    """Interval of a ratio of variances."""
    if bottom <= 0:
        return float("inf"), float("inf")
    upper = (1 + level) / 2
    value = top / bottom
    return value / float(stats.f.ppf(upper, df_top, df_bottom)), value * float(stats.f.ppf(upper, df_bottom, df_top))


def _stepped_up(value: float, k: int) -> float:
    """Spearman and Brown: from one rating to the mean of k."""
    return k * value / (1 + (k - 1) * value)


def _random_raters(squares: MeanSquares, k: int, level: float) -> tuple[float, float]:
    """Interval of ICC(2,1), with Satterthwaite's degrees of freedom."""
    n, b, j, e = squares.items, squares.between, squares.raters, squares.error
    rho = (b - e) / (b + (k - 1) * e + k * (j - e) / n)
    f_raters = j / e if e > 0 else float("inf")
    if not f_raters < float("inf"):
        return rho, rho
    part = n * (1 + (k - 1) * rho) - k * rho
    df = (k - 1) * (n - 1) * (k * rho * f_raters + part) ** 2
    df /= (n - 1) * k**2 * rho**2 * f_raters**2 + part**2
    upper = (1 + level) / 2
    f_low, f_high = float(stats.f.ppf(upper, n - 1, df)), float(stats.f.ppf(upper, df, n - 1))
    mixed = k * j + (k * n - k - n) * e
    return n * (b - f_low * e) / (f_low * mixed + n * b), n * (f_high * b - e) / (mixed + n * f_high * b)
