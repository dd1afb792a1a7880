"""Kappa where it is known who rated: Cohen's for pairs of raters, and Conger's, its mean for many."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.adjust import doubt, invented_counts
from comoderate.agreement.counts import check_ratings, check_weight
from comoderate.agreement.intervals import Adjusted, Statistic, interval_of
from comoderate.agreement.kappa import ONE_CLASS, ONE_RATING, corrected, observed
from comoderate.agreement.patterns import Patterns, rating_patterns
from comoderate.agreement.scales import Scale, agreement_weights
from comoderate.metrics.estimate import Estimate


class Pair(NamedTuple):
    """Cohen's κ of two raters (columns of the ratings) on the items that both rated."""

    rater: int
    other: int
    kappa: Estimate


def conger_kappa(
    ratings: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "identity",
    level: float = 0.95,
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Conger's κ: as Fleiss', but every rater keeps habits of their own, and chance is that of two different raters.

    p_e is the mean over pairs of raters (g, h) of Σ w_kl p_gk p_hl, with p_gk the share of category k among the ratings
    of g. With two raters and no missing rating it is Cohen's κ. Conger (1980), *Psychological Bulletin* 88:322.

    Args:
        ratings: (n_items, n_raters), NaN where missing; columns without ratings are left out.
        categories: (q,) values in their order; by default those that occur, ascending.
        sample_weight, scale, level, replicates, random_state: as :func:`fleiss_kappa`.

    Returns:
        Estimate; NaN with a reason where no item has two ratings, or chance agreement is certain.

    Raises:
        ValueError: for bad ratings, weights or scale.
    """
    table = check_ratings(ratings)
    values = _values(table, categories)
    patterns = rating_patterns(table, check_weight(sample_weight, len(table)))
    return _conger(patterns, values, agreement_weights(len(values), scale), level, replicates, random_state, "Conger")


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "identity",
    level: float = 0.95,
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Cohen's κ of two raters, on the items that both rated.

    Cohen (1960), *Educational and Psychological Measurement* 20:37; with a scale, Cohen (1968), *Psychological
    Bulletin* 70:213.

    Args:
        first, second: (n_items,) ratings, NaN where missing.
        categories: (q,) values in their order; by default those that occur on items that both rated.
        sample_weight, scale, level, replicates, random_state: as :func:`fleiss_kappa`.

    Returns:
        Estimate; NaN with a reason where no item was rated by both, or chance agreement is certain.

    Raises:
        ValueError: for bad ratings, weights or scale.
    """
    table = check_ratings(np.stack([np.asarray(first, np.float64), np.asarray(second, np.float64)], axis=1))
    both = np.where(np.isnan(table).any(axis=1, keepdims=True), np.nan, table)
    values = _values(both, categories)
    patterns = rating_patterns(both, check_weight(sample_weight, len(table)))
    return _conger(patterns, values, agreement_weights(len(values), scale), level, replicates, random_state, "Cohen")


def pairwise_cohen_kappa(
    ratings: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "identity",
    level: float = 0.95,
    min_shared: int = 1,
) -> list[Pair]:
    """Cohen's κ of every pair of raters that rated some of the same items.

    Args:
        ratings: (n_items, n_raters), NaN where missing; meant for tens of raters, not thousands.
        categories: (q,) values in their order; by default those that occur.
        sample_weight, scale, level: as :func:`cohen_kappa`.
        min_shared: pairs with fewer items in common are left out.

    Returns:
        a Pair each, in the order of the columns.

    Raises:
        ValueError: for bad ratings, weights or scale.
    """
    table = check_ratings(ratings)
    values = _values(table, categories)
    given = (~np.isnan(table)).astype(np.float64)
    shared = given.T @ given
    return [
        Pair(
            g,
            h,
            cohen_kappa(
                table[:, g], table[:, h], categories=values, sample_weight=sample_weight, scale=scale, level=level
            ),
        )
        for g in range(table.shape[1])
        for h in range(g + 1, table.shape[1])
        if shared[g, h] >= max(min_shared, 1)
    ]


def _values(table: NDArray[np.float64], categories: ArrayLike | None) -> NDArray[np.float64]:
    """Values of the categories."""
    present = np.unique(table[~np.isnan(table)])
    if categories is None:
        return present
    values = np.asarray(categories, dtype=np.float64)
    if not np.isin(present, values).all():
        raise ValueError("ratings hold a value that is not among the categories")
    return values


def _conger(
    patterns: Patterns,
    values: NDArray[np.float64],
    matrix: NDArray[np.float64],
    level: float,
    replicates: int | Iterable[ArrayLike] | None,
    random_state: int | None,
    name: str,
) -> Estimate:
    """The estimate; ``patterns`` hold rows of ratings."""
    method = f"{name}'s kappa"
    if patterns.n == 0:
        return Estimate.undefined(ONE_RATING, level=level, method=method)
    given = (patterns.rows[:, :, None] == values).astype(np.float64)
    counts = given.sum(axis=1)

    def adjusted(totals: NDArray[np.float64]) -> Adjusted:
        extra = invented_counts(counts, totals)
        spread = np.repeat(extra[:, None, :] / given.shape[1], given.shape[1], axis=1)
        both = np.concatenate([given, spread])
        return Adjusted(
            lambda weight: conger_statistic(both, weight, matrix), len(extra), doubt(counts, patterns.totals(None))
        )

    return interval_of(
        lambda weight: conger_statistic(given, weight, matrix),
        patterns,
        level=level,
        adjusted=adjusted,
        replicates=replicates,
        random_state=random_state,
        method=method,
    )


def conger_statistic(given: NDArray[np.float64], weight: NDArray[np.float64], scale: NDArray[np.float64]) -> Statistic:
    """Conger's κ with influences.

    Args:
        given: (n_patterns, n_raters, q), 1 where the rater chose the category.
        weight: (n_patterns,) total weight of each.
        scale: (q, q) agreement of categories.
    """
    seen = observed(given.sum(axis=1), weight, scale)
    if seen is None:
        return Statistic.undefined(ONE_RATING)
    votes = np.tensordot(weight, given, axes=1)
    rated = votes.sum(axis=1)
    given, votes, rated = given[:, rated > 0], votes[rated > 0], rated[rated > 0]
    n_raters = len(rated)
    if n_raters < 2:
        return Statistic.undefined(ONE_RATING)
    habit = votes / rated[:, None]
    met = (habit.sum(axis=0) - habit) @ scale / (n_raters * (n_raters - 1))
    chance = float((habit * met).sum())
    moved = given - given.sum(axis=2, keepdims=True) * habit
    d_chance = 2.0 * float(weight.sum()) * (moved * (met / rated[:, None])).sum(axis=(1, 2))
    return corrected(seen, chance, d_chance, reason=ONE_CLASS)
