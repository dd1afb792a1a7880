"""Ratios and differences of domains, with intervals: "84 % more likely than"."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.metrics.estimate import Estimate
from comoderate.sampling.intervals import limits, quantile
from comoderate.sampling.sample import Sample, labelled_sample, rows

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def ratio(
    numerator: ArrayLike, denominator: ArrayLike, weight: ArrayLike, *, level: float = 0.95, **design: Any
) -> Estimate:
    """The ratio of two weighted totals, sum w u / sum w v, with a linearised error and an interval on the log scale.

    Args:
        numerator, denominator: (n,) u and v, 0 or more (for views: views of abusive posts, views).
        weight: (n,) weights; NaN or 0 leaves a post out.
        level: coverage wanted.
        design: ``stratum``, ``cluster``, ``pi``, ``first_phase`` as in :func:`comoderate.sampling.hajek_mean`.

    Returns:
        An Estimate; undefined where the denominator is 0, without an interval where the numerator is.

    Raises:
        ValueError: as :func:`comoderate.sampling.hajek_mean`.
    """
    sample = labelled_sample(numerator, weight, **design)
    below = np.asarray(rows(denominator, sample.used, "denominator"), dtype=np.float64)
    share = sample.weight / sample.weight.sum() if len(sample.y) else sample.weight
    top, bottom = float(share @ sample.y), float(share @ below)
    if not bottom > 0:
        return Estimate.undefined("the denominator is 0", level=level, method="ratio", n=len(below))
    z = share * (sample.y - top / bottom * below) / bottom
    return _log_estimate(top / bottom, z, sample, level, "ratio of totals")


def relative_risk(
    y: ArrayLike, weight: ArrayLike, first: ArrayLike, second: ArrayLike, *, level: float = 0.95, **design: Any
) -> Estimate:
    """The mean of y in one domain by that in another: 1.84 reads "84 % more likely".

    The two may overlap (a post that mentions both), and the covariance between them is counted.

    Args:
        y: (n,) outcomes, 0 or more.
        weight: (n,) weights; NaN or 0 leaves a post out.
        first, second: (n,) bool, membership of the domains.
        level: coverage wanted.
        design: as in :func:`ratio`.

    Returns:
        An Estimate; undefined where a domain is empty or the second mean is 0. Its interval is value times
        exp(± 2 arsinh(t se / (2 value))), Newcombe's (2001) form of the one on the log scale: with few positives that
        one is too wide, with many the two are the same.

    Raises:
        ValueError: as :func:`comoderate.sampling.hajek_mean`.
    """
    sample = labelled_sample(y, weight, **design)
    one, two = (_inside(sample, d) for d in (first, second))
    n = int((one | two).sum())
    if not (one.any() and two.any()):
        return Estimate.undefined("a domain holds no labelled post", level=level, method="relative risk", n=n)
    (p, zp), (q, zq) = _mean(sample, one), _mean(sample, two)
    if q == 0:
        return Estimate.undefined("the mean of the second domain is 0", level=level, method="relative risk", n=n)
    return _log_estimate(p / q, (zp - p / q * zq) / q, sample, level, "relative risk", n, few=True)


def difference(
    y: ArrayLike, weight: ArrayLike, first: ArrayLike, second: ArrayLike, *, level: float = 0.95, **design: Any
) -> Estimate:
    """The mean of y in one domain less that in another, with a symmetric interval; as :func:`relative_risk`."""
    sample = labelled_sample(y, weight, **design)
    one, two = (_inside(sample, d) for d in (first, second))
    n = int((one | two).sum())
    if not (one.any() and two.any()):
        return Estimate.undefined("a domain holds no labelled post", level=level, method="difference", n=n)
    (p, zp), (q, zq) = _mean(sample, one), _mean(sample, two)
    z = zp - zq
    se = math.sqrt(max(sample.design.variance(z), 0.0))
    low, high = limits(p - q, se, kind="wald", level=level, df=sample.design.effective_df(z))
    return Estimate(p - q, se, low, high, level, "difference of domains", n)


def domain_ratios(
    y: ArrayLike, weight: ArrayLike, domain: ArrayLike, *, reference: Any, level: float = 0.95, **design: Any
) -> list[tuple[Any, Estimate]]:
    """The relative risk of every domain against a reference domain.

    Args:
        y, weight, level, design: as in :func:`relative_risk`.
        domain: (n,) domain values; None or NaN for none.
        reference: the domain value to compare with.

    Returns:
        Pairs (domain value, Estimate), in sorted order, without the reference.

    Raises:
        ValueError: no labelled post in the reference, and as :func:`relative_risk`.
    """
    values = np.asarray(domain)
    names = _names(values, np.asarray(weight, dtype=np.float64))
    if reference not in names:
        raise ValueError(f"no labelled post in the reference domain {reference!r}")
    base = values == reference
    return [
        (name, relative_risk(y, weight, values == name, base, level=level, **design))
        for name in names
        if name != reference
    ]


def domain_differences(
    y: ArrayLike, weight: ArrayLike, domain: ArrayLike, *, level: float = 0.95, **design: Any
) -> list[tuple[tuple[Any, Any], Estimate]]:
    """The difference of means for every pair of domains, in sorted order; see also the comparisons' corrections.

    Raises:
        ValueError: as :func:`difference`.
    """
    values = np.asarray(domain)
    names = _names(values, np.asarray(weight, dtype=np.float64))
    return [
        ((a, b), difference(y, weight, values == a, values == b, level=level, **design))
        for a, b in combinations(names, 2)
    ]


def scaled(estimate: Estimate, factor: float, *, method: str | None = None) -> Estimate:
    """An estimate in another unit: a share times the number of posts a year, or a day, or in 30 seconds.

    Args:
        estimate: what to multiply.
        factor: a known positive number.
        method: says what the factor was.

    Raises:
        ValueError: a factor that is not positive.
    """
    if not factor > 0:
        raise ValueError("factor must be positive")
    e, text = estimate, estimate.method if method is None else f"{estimate.method}; {method}"
    value, se, low, high = factor * e.value, factor * e.se, factor * e.low, factor * e.high
    return Estimate(value, se, low, high, e.level, text, e.n, e.n_effective, e.reason)


def _names(values: NDArray[Any], weight: Floats) -> list[Any]:
    held = values[weight > 0].tolist()
    return sorted({v for v in held if v is not None and v == v}, key=_sort_key(held))


def _sort_key(held: Iterable[Any]) -> Any:
    kinds = {type(v) for v in held if v is not None and v == v}
    return None if len(kinds) <= 1 else str


def _inside(sample: Sample, domain: ArrayLike) -> Bools:
    return np.asarray(rows(domain, sample.used, "domain"), dtype=bool)


def _mean(sample: Sample, inside: Bools) -> tuple[float, Floats]:
    """A domain's mean and its linearised values."""
    share = np.where(inside, sample.weight, 0.0)
    share = share / share.sum()
    value = float(share @ sample.y)
    return value, share * (sample.y - value)


def _log_estimate(
    value: float, z: Floats, sample: Sample, level: float, method: str, n: int | None = None, *, few: bool = False
) -> Estimate:
    """A ratio with its interval, value times exp(± t se / value); ``few``: as :func:`relative_risk` says."""
    size, variance = len(z) if n is None else n, sample.design.variance(z)
    se = math.sqrt(variance) if variance >= 0 else math.nan
    if not value > 0:
        return Estimate(value, se, level=level, method=method, n=size, reason="no positives: no interval")
    if math.isnan(se):
        return Estimate(value, level=level, method=method, n=size, reason="one unit has no standard error")
    step = quantile(level, sample.design.effective_df(z)) * se / value
    factor = math.exp(2 * math.asinh(step / 2) if few else step)
    return Estimate(value, se, value / factor, value * factor, level, f"{method}, {'arsinh' if few else 'log'}", size)
