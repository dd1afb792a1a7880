"""Intraclass correlation: agreement of ratings that are numbers, from an analysis of variance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.adjust import doubt, invented_counts
from comoderate.agreement.counts import check_ratings, check_weight, counts_from_ratings
from comoderate.agreement.icc_intervals import f_interval
from comoderate.agreement.intervals import Adjusted, Statistic, interval_of
from comoderate.agreement.patterns import Patterns, rating_patterns
from comoderate.metrics.estimate import Estimate

Kind = Literal["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]
KINDS: tuple[str, ...] = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")

STEPS, MANY_ROWS = 10, 100_000

FEW_ITEMS = "fewer than two rated items; weights are read as numbers of items"
ONE_RATING = "no item has two ratings"
NO_VARIANCE = "all ratings are equal"
INCOMPLETE = "kinds 2 and 3 need every rater's rating on every item"


class MeanSquares(NamedTuple):
    """Mean squares of the analysis of variance and their derivatives by the weight of an item of each pattern."""

    between: float
    within: float
    raters: float
    error: float
    n0: float
    items: float
    d_between: NDArray[np.float64]
    d_within: NDArray[np.float64]
    d_raters: NDArray[np.float64]
    d_error: NDArray[np.float64]
    d_n0: NDArray[np.float64]


def intraclass_correlation(
    ratings: ArrayLike,
    *,
    kind: Kind = "ICC(1,1)",
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    interval: Literal["linearised", "F"] = "linearised",
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Intraclass correlation of one of Shrout and Fleiss's six kinds.

    - 1: each item has raters of its own; 2: the same raters, drawn from many; 3: the same raters, and no others.
    - (·, 1): reliability of one rating; (·, k): of the mean of an item's ratings.

    Kind 1 takes any number of ratings an item: one-way analysis of variance over all rated items with
    n0 = (N − Σnᵢ²/N) / (I − 1) ratings an item, and (1, k) is about the mean of n0 ratings. An item with one rating
    counts between items. Kinds 2 and 3 need a complete table. Weights are read as numbers of items, so that a weight
    of 3 is the item three times. Negative where items differ less than their raters' noise would make them; never
    below −1/(n0 − 1).

    Shrout and Fleiss (1979), *Psychological Bulletin* 86:420; unequal numbers: Donner (1986), *International
    Statistical Review* 54:67.

    Args:
        ratings: (n_items, n_raters), NaN where missing.
        kind: which of the six.
        sample_weight: (n_items,) weights of items; 1 by default.
        level: coverage of the interval.
        interval: ``linearised`` holds for answers in a few steps, for weights and for unequal numbers of ratings;
            for answers in at most ten steps it is adjusted for rare ones (see :mod:`.adjust`);
            ``F`` is the classical one, for normal ratings, a complete table and no weights.
        replicates: weights for a resampled interval instead, as in :func:`fleiss_kappa`.
        random_state: seed of the bootstrap.

    Returns:
        Estimate; NaN with a reason where fewer than two items are rated, no item has two ratings, all ratings are
        equal, or a two-way kind lacks ratings.

    Raises:
        ValueError: for bad ratings or weights, an unknown kind, or ``F`` with weights or missing ratings.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
    if interval not in ("linearised", "F"):
        raise ValueError(f"interval must be 'linearised' or 'F'; got {interval!r}")
    table = check_ratings(ratings)
    patterns = rating_patterns(table, check_weight(sample_weight, len(table)))
    missing = bool(np.isnan(patterns.rows).any())
    if kind[4] != "1" and missing:
        return Estimate.undefined(INCOMPLETE, level=level, method=kind, n=patterns.n)
    summary = _summary(patterns)

    def statistic(weight: NDArray[np.float64]) -> Statistic:
        return icc_statistic(summary, weight, kind)

    found = interval_of(
        statistic,
        patterns,
        level=level,
        adjusted=(lambda totals: _adjusted(patterns, summary, kind, totals)) if _in_steps(patterns) else None,
        replicates=replicates,
        random_state=random_state,
        method=kind,
    )
    if interval == "linearised" or np.isnan(found.value):
        return found
    if missing or patterns.weight is not None:
        raise ValueError("the F interval needs a complete table without weights; use the linearised one")
    squares = mean_squares(summary, patterns.totals(None))
    return f_interval(found, kind, squares, patterns.rows.shape[1])


def _in_steps(patterns: Patterns) -> bool:
    """Whether ratings are answers in a few steps, and not measurements."""
    return 0 < len(patterns.rows) <= MANY_ROWS and np.unique(patterns.rows[~np.isnan(patterns.rows)]).size <= STEPS


def _adjusted(patterns: Patterns, summary: Summary, kind: str, totals: NDArray[np.float64]) -> Adjusted:
    """The coefficient with invented items, which have every value as a category."""
    rows = patterns.rows
    values = np.unique(rows[~np.isnan(rows)])
    counts = counts_from_ratings(rows, categories=values).astype(np.float64)
    extra = invented_counts(counts, totals)
    if kind[4] != "1":
        extra *= rows.shape[1] / extra.sum(axis=1, keepdims=True)
    centred = values - summary.centre
    number, total = extra.sum(axis=1), extra @ centred
    spread = np.repeat((total / number)[:, None], rows.shape[1], axis=1)
    both = Summary(
        np.vstack([summary.ratings, spread]),
        np.append(summary.number, number),
        np.append(summary.total, total),
        np.append(summary.squares, extra @ centred**2),
        summary.centre,
    )
    why = doubt(counts, patterns.totals(None))
    return Adjusted(lambda weight: icc_statistic(both, weight, kind), len(extra), why)


class Summary(NamedTuple):
    """What the analysis of variance needs of each pattern: ratings about their mean, number, sum, sum of squares."""

    ratings: NDArray[np.float64]
    number: NDArray[np.float64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    centre: float


def _summary(patterns: Patterns) -> Summary:
    """Numbers, sums and sums of squares of each row, column by column; centred, which changes no mean square."""
    rows = patterns.rows
    centre = float(np.nanmean(rows)) if rows.size and patterns.n else 0.0
    filled = np.nan_to_num(rows - centre, nan=0.0)
    number, total, squares = (np.zeros(len(rows)) for _ in range(3))
    for raw, column in zip(rows.T, filled.T):
        number += ~np.isnan(raw)
        total += column
        squares += column**2
    return Summary(filled, number, total, squares, centre)


def mean_squares(data: Summary, weight: NDArray[np.float64]) -> MeanSquares | str:
    """The analysis of variance of weighted patterns; a reason where it has none.

    Args:
        data: of each pattern.
        weight: (n_patterns,) total weight of each.
    """
    m, total, squares = data.number, data.total, data.squares
    items, n = float(weight.sum()), float(weight @ m)
    if not items > 1:
        return FEW_ITEMS
    if not n > items * (1 + 1e-12):
        return ONE_RATING
    own = total**2 / m
    grand, sizes = float(weight @ total), float(weight @ m**2)
    sum_between = float(weight @ own) - grand**2 / n
    between, within = sum_between / (items - 1), float(weight @ (squares - own)) / (n - items)
    n0 = (n - sizes / n) / (items - 1)
    d_between = (own - 2 * grand / n * total + (grand / n) ** 2 * m - between) / (items - 1)
    d_within = (squares - own - within * (m - 1)) / (n - items)
    d_n0 = (m - m**2 / n + sizes / n**2 * m - n0) / (items - 1)
    raters, error, d_raters, d_error = _two_way(data, weight, items, float(weight @ (squares - own)))
    return MeanSquares(between, within, raters, error, n0, items, d_between, d_within, d_raters, d_error, d_n0)


def _two_way(
    data: Summary, weight: NDArray[np.float64], items: float, sum_within: float
) -> tuple[float, float, NDArray[np.float64], NDArray[np.float64]]:
    """Mean squares of raters and of error, and their derivatives, as if the table were complete."""
    k = data.ratings.shape[1]
    by_rater = weight @ data.ratings
    grand = float(by_rater.sum())
    sum_raters = float(by_rater @ by_rater) / items - grand**2 / (items * k)
    d_sum = 2 * (data.ratings @ by_rater) / items - float(by_rater @ by_rater) / items**2
    d_sum = d_sum - 2 * grand * data.total / (items * k) + grand**2 / (items**2 * k)
    freedom = (items - 1) * max(k - 1, 1)
    raters, error = sum_raters / max(k - 1, 1), (sum_within - sum_raters) / freedom
    d_within = data.squares - data.total**2 / data.number
    d_error = (d_within - d_sum - error * max(k - 1, 1)) / freedom
    return raters, error, d_sum / max(k - 1, 1), d_error


def icc_statistic(data: Summary, weight: NDArray[np.float64], kind: str) -> Statistic:
    """The coefficient with influences; see :func:`intraclass_correlation`."""
    found = mean_squares(data, weight)
    if isinstance(found, str):
        return Statistic.undefined(found)
    k, n = data.ratings.shape[1], found.items
    top, d_top = found.between - found.within, found.d_between - found.d_within
    bottom, d_bottom = found.between, found.d_between
    if kind[4] != "1":
        top, d_top = found.between - found.error, found.d_between - found.d_error
    if kind[4] == "2":
        extra, d_extra = (found.raters - found.error) / n, (found.d_raters - found.d_error) / n
        scale = k if kind.endswith("1)") else 1
        bottom = bottom + scale * extra
        d_bottom = d_bottom + scale * (d_extra - extra / n)
    if kind.endswith("1)"):
        noise, d_noise = (found.within, found.d_within) if kind[4] == "1" else (found.error, found.d_error)
        size, d_size = (found.n0, found.d_n0) if kind[4] == "1" else (float(k), np.zeros(len(weight)))
        bottom = bottom + (size - 1) * noise
        d_bottom = d_bottom + (size - 1) * d_noise + noise * d_size
    if not bottom > 1e-12 * max(float(data.squares.max()), 1e-300):
        return Statistic.undefined(NO_VARIANCE)
    value = top / bottom
    influence = (d_top - value * d_bottom) / bottom * n
    return Statistic(value, influence - float(weight @ influence) / n)
