"""Confidence limits for shares and means from a value, a standard error and degrees of freedom."""

from __future__ import annotations

import math
from functools import lru_cache

from scipy.special import betaincinv, expit, gammaincinv, logit, stdtrit

KINDS = ("logit", "wilson", "beta", "gamma", "wald")


@lru_cache(maxsize=4096)
def quantile(level: float, df: float) -> float:
    """The two-sided quantile of Student's t; of the normal distribution where ``df`` is infinite.

    Raises:
        ValueError: a level outside (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError("level must lie in (0, 1)")
    return float(stdtrit(min(df, 1e9), (1 + level) / 2))


def limits(
    value: float,
    se: float,
    *,
    kind: str,
    level: float,
    df: float = math.inf,
    n_effective: float = math.nan,
    heaviest: float = 0.0,
) -> tuple[float, float]:
    """Lower and upper limit.

    ``wald`` is symmetric; ``logit`` is symmetric on the log-odds and stays inside (0, 1); ``wilson`` and ``beta``
    (Korn and Graubard 1998: Clopper and Pearson at the effective size) are the binomial limits at ``n_effective``
    observations and remain defined at 0 and 1. ``gamma`` (Fay and Feuer 1997) is for rare outcomes under unequal
    weights: its upper limit allows for one more positive of the heaviest weight, which others forget when the heavy
    posts happen to hold none.

    Args:
        value: estimate.
        se: standard error.
        kind: one of :data:`KINDS`.
        level: coverage wanted, in (0, 1).
        df: degrees of freedom of the standard error.
        heaviest: the largest share of the weights that a single post has, for ``gamma``.
        n_effective: effective number of observations for ``wilson`` and ``beta``; value (1 - value) / se^2 where NaN.

    Raises:
        ValueError: an unknown kind.
    """
    t = quantile(level, df)
    if kind == "wald":
        return value - t * se, value + t * se
    if kind == "logit":
        centre, half = logit(value), t * se / (value * (1 - value))
        return float(expit(centre - half)), float(expit(centre + half))
    if kind == "gamma":
        return gamma_limits(value, se**2, level, heaviest)
    size = value * (1 - value) / se**2 if math.isnan(n_effective) else n_effective
    if kind == "wilson":
        return _wilson(value, size, t)
    if kind == "beta":
        return _beta(value, size, level)
    raise ValueError(f"interval must be one of {', '.join(KINDS)}, not {kind!r}")


def _wilson(p: float, n: float, t: float) -> tuple[float, float]:
    """Wilson 1927: the shares p0 with |p - p0| <= t sqrt(p0 (1 - p0) / n)."""
    scale = 1 + t * t / n
    centre, half = (p + t * t / (2 * n)) / scale, t * math.sqrt(p * (1 - p) / n + t * t / (4 * n * n)) / scale
    return (0.0 if p <= 0 else centre - half), (1.0 if p >= 1 else centre + half)


def gamma_limits(y: float, v: float, level: float, heaviest: float, *, more: float = 1.0) -> tuple[float, float]:
    """Limits of a weighted count of rare posts (Fay and Feuer 1997): quantiles of gamma distributions.

    Args:
        y: the weighted count, as a share.
        v: its variance.
        level: coverage wanted, in (0, 1).
        heaviest: the weight that an unseen positive may have, as a share.
        more: how many such positives the upper limit allows for. With one it covers at least as often as it says
            (Clopper and Pearson's limits are of that kind), with a half about as often (as Jeffreys' are).
    """
    tail = (1 - level) / 2
    low = v / y * float(gammaincinv(y * y / v, tail)) if y > 0 and v > 0 else y
    top, spread = y + more * heaviest, v + more * heaviest**2
    high = spread / top * float(gammaincinv(top * top / spread, 1 - tail)) if top > 0 else 1.0
    return low, min(1.0, max(y, high))  # where the error is many times the value, the quantile falls below it


def _beta(p: float, n: float, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    x = p * n
    low = 0.0 if x <= 0 else float(betaincinv(x, n - x + 1, tail))
    high = 1.0 if x >= n else float(betaincinv(x + 1, n - x, 1 - tail))
    return low, high
