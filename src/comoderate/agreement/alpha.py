"""Krippendorff's alpha: agreement from disagreements of pairs, for answers of any level of measurement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.counts import categories_of, check_counts, check_ratings, check_weight, counts_from_ratings
from comoderate.agreement.intervals import Interval, Statistic
from comoderate.agreement.kappa import of_counts
from comoderate.agreement.patterns import patterns_of
from comoderate.metrics.estimate import Estimate

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[str, ...] = ("nominal", "ordinal", "interval", "ratio")

ONE_RATING = "no item has two ratings"
LIGHT = "the weights, read as numbers of items, amount to a single rating or less"
ONE_VALUE = "all ratings that can be paired are equal"


def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    level: Level = "nominal",
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.95,
    interval: Interval = "adjusted",
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Krippendorff's α of a table of ratings; items with one rating do not enter.

    α = 1 − (n − 1) Σ o_cd δ_cd / Σ n_c n_d δ_cd over pairs of values, with o the coincidences within items, n_c the
    ratings of value c that can be paired, n their number. δ: nominal 1 for different values; interval (c − d)²;
    ratio ((c − d) / (c + d))²; ordinal the square of the number of ratings from c to d, half of both ends taken off.
    Krippendorff (2011), *Computing Krippendorff's Alpha-Reliability*. The interval is linearised as for
    :func:`fleiss_kappa`. Weights are read as numbers of items.

    Args:
        ratings: (n_items, n_raters) numbers, NaN where missing.
        level: level of measurement.
        sample_weight: (n_items,) weights of items; 1 by default.
        confidence: coverage of the interval.
        interval: ``adjusted`` or ``wald``, as :func:`fleiss_kappa`.
        replicates: weights for a resampled interval instead, as in :func:`fleiss_kappa`.
        random_state: seed of the bootstrap.

    Returns:
        Estimate; NaN with a reason where no item has two ratings, or these are all equal.

    Raises:
        ValueError: for bad ratings or weights, or an unknown level.
    """
    table = check_ratings(ratings)
    values = categories_of(table)
    counts = counts_from_ratings(table, categories=values)
    return krippendorff_alpha_counts(
        counts,
        level=level,
        values=values,
        sample_weight=sample_weight,
        confidence=confidence,
        interval=interval,
        replicates=replicates,
        random_state=random_state,
    )


def krippendorff_alpha_counts(
    counts: ArrayLike,
    *,
    level: Level = "nominal",
    values: ArrayLike | None = None,
    distance: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.95,
    interval: Interval = "adjusted",
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Krippendorff's α of counts, also with a distance of one's own; see :func:`krippendorff_alpha`.

    Args:
        counts: (n_items, q), ratings in each category.
        level: level of measurement; without effect where there is a ``distance``.
        values: (q,) the categories' values for levels interval and ratio; 0, 1, 2, … by default.
        distance: (q, q) distances δ of categories: symmetric, 0 on the diagonal.
        sample_weight, confidence, interval, replicates, random_state: as there.

    Returns:
        Estimate; NaN with a reason where no item has two ratings, or these are all equal.

    Raises:
        ValueError: for bad counts, weights, values or distances, or an unknown level.
    """
    table = check_counts(counts)
    weight = check_weight(sample_weight, len(table))
    paired = np.where(table.sum(axis=1, keepdims=True) >= 2, table, 0.0)
    patterns = patterns_of(paired, weight)
    fixed = _distance(level, table.shape[1], values, distance)
    method = f"Krippendorff's alpha ({level if distance is None else 'given distance'})"
    if patterns.n == 0:
        return Estimate.undefined(ONE_RATING, level=confidence, method=method)
    return of_counts(
        lambda rows, w: alpha_statistic(rows, w, fixed),
        patterns,
        level=confidence,
        interval=interval,
        replicates=replicates,
        random_state=random_state,
        method=method,
    )


def _distance(
    level: str, n_categories: int, values: ArrayLike | None, distance: ArrayLike | None
) -> NDArray[np.float64] | None:
    """The matrix of distances; None for ordinal, whose distances depend on the ratings."""
    if distance is not None:
        given = np.asarray(distance, dtype=np.float64)
        if given.shape != (n_categories, n_categories) or not np.allclose(given, given.T) or np.diag(given).any():
            raise ValueError(f"distance must be symmetric ({n_categories}, {n_categories}) with 0 on its diagonal")
        checked: NDArray[np.float64] = given
        return checked
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}; got {level!r}")
    if level == "ordinal":
        return None
    x = np.arange(n_categories, dtype=np.float64) if values is None else np.asarray(values, dtype=np.float64)
    if x.shape != (n_categories,):
        raise ValueError(f"values must have shape ({n_categories},); got {x.shape}")
    gap: NDArray[np.float64] = np.subtract.outer(x, x)
    if level == "nominal":
        return np.asarray(gap != 0, dtype=np.float64)
    if level == "interval":
        return np.asarray(gap**2)
    both = np.add.outer(x, x)
    np.divide(gap, both, out=gap, where=both != 0)
    return np.asarray(gap**2)


class _Sums(NamedTuple):
    """Observed and expected disagreement with their derivatives by an item's weight."""

    observed: float
    expected: float
    d_observed: NDArray[np.float64]
    d_expected: NDArray[np.float64]


def alpha_statistic(
    rows: NDArray[np.float64], weight: NDArray[np.float64], distance: NDArray[np.float64] | None
) -> Statistic:
    """α of patterns with two ratings or more, with influences.

    Args:
        rows: (n_patterns, q) counts.
        weight: (n_patterns,) total weight of each.
        distance: (q, q), or None for ordinal.
    """
    m = rows.sum(axis=1)
    n = float(weight @ m)
    if not n > 1:
        return Statistic.undefined(LIGHT)
    sums = _ordinal_sums(rows, weight, m) if distance is None else _fixed_sums(rows, weight, m, distance)
    if not sums.expected > 1e-12 * n * n * (1.0 if distance is None else float(distance.max(initial=0.0))):
        return Statistic.undefined(ONE_VALUE)
    ratio = sums.observed / sums.expected
    change = (sums.d_observed - ratio * sums.d_expected) / sums.expected
    influence = -(m * ratio + (n - 1) * change) * float(weight.sum())
    return Statistic(1.0 - (n - 1) * ratio, influence - float(weight @ influence) / float(weight.sum()))


def _fixed_sums(
    rows: NDArray[np.float64], weight: NDArray[np.float64], m: NDArray[np.float64], distance: NDArray[np.float64]
) -> _Sums:
    """Sums for distances that do not depend on the ratings."""
    totals = weight @ rows
    far = distance @ totals
    own = ((rows @ distance) * rows).sum(axis=1) / (m - 1)
    return _Sums(float(weight @ own), float(totals @ far), own, 2.0 * (rows @ far))


def _ordinal_sums(rows: NDArray[np.float64], weight: NDArray[np.float64], m: NDArray[np.float64]) -> _Sums:
    """Sums for ordinal distances (M_c − M_d)², M_c = the ratings below c and half of those at c."""
    totals = weight @ rows
    middle = np.cumsum(totals) - totals / 2.0
    gap = np.subtract.outer(middle, middle)
    fixed = _fixed_sums(rows, weight, m, gap**2)
    shift = np.cumsum(rows, axis=1) - rows / 2.0
    coincidence = rows.T @ (rows * (weight / (m - 1))[:, None])
    d_observed = fixed.d_observed + shift @ (4.0 * (coincidence * gap).sum(axis=1))
    d_expected = fixed.d_expected + shift @ (4.0 * totals * (gap @ totals))
    return fixed._replace(d_observed=d_observed, d_expected=d_expected)
