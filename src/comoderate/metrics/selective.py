"""Selective classification: the risk of what the classifier keeps, and its area over coverage.

The classifier keeps a share c of the posts, those with the smallest review scores. With α = 1 − c reviewed,
OC-Acc(α) = 1 − (1 − k/n) · risk(1 − k/n), k the capacity; so AURC = ∫ (1 − OC-Acc(α)) / (1 − α) dα.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, as_fractions, as_weights, like_fractions, ratio
from comoderate.metrics.pair import Pair
from comoderate.metrics.prepared import Weighted, prepared_by


def _risk(
    y_true: ArrayLike, y_proba: ArrayLike, review_score: ArrayLike, *, coverage: ArrayLike, threshold: float = 0.5
) -> Weighted:
    fractions = 1.0 - as_fractions(coverage)
    pair = Pair(y_true, y_proba, review_score, threshold=threshold)

    def value(weight: Array) -> Any:
        counts = pair.counts(pair.weigh(weight, fractions))
        return like_fractions(ratio(counts.wrong_left, counts.wrong_left + counts.right_left), coverage)

    return value


@prepared_by(_risk, undefined="needs a post that is kept")
def risk_at_coverage(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    coverage: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Share of wrong decisions among the posts that the classifier keeps.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        review_score: (n,) the largest are given away first; ties at the boundary are split.
        coverage: share of the weight that is kept, in [0, 1], or an array (f,) of them; the review fraction is the
            rest and follows the same rule of capacity.
        threshold: a post is predicted positive where p > threshold.
        sample_weight: (n,) weights.

    Returns:
        A float, or an array (f,) where ``coverage`` is one; NaN where nothing is kept.
    """
    prepared = _risk(y_true, y_proba, review_score, coverage=coverage, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


def _aurc(y_true: ArrayLike, y_proba: ArrayLike, review_score: ArrayLike, *, threshold: float = 0.5) -> Weighted:
    pair = Pair(y_true, y_proba, review_score, threshold=threshold)

    def value(weight: Array) -> float:
        kept = _from_the_end(pair.order.totals(weight))
        wrong = _from_the_end(pair.order.totals_of(pair.wrong, weight))
        width, errors = np.diff(kept), np.diff(wrong)
        slope = np.nan_to_num(ratio(errors, width))
        start = kept[:-1]
        grown = np.log(np.where(start > 0, np.where(start > 0, kept[1:], 1.0) / np.where(start > 0, start, 1.0), 1.0))
        return float(ratio(np.sum(errors + (wrong[:-1] - slope * start) * grown), kept[-1]))

    return value


def _from_the_end(totals: Array) -> Array:
    """Cumulative sums by code turned round: of the posts that are kept longest first."""
    turned: Array = totals[-1] - totals[::-1]
    return turned


@prepared_by(_aurc, undefined="needs a post with weight")
def area_under_risk_coverage(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean risk over all coverages, AURC, as an integral over the share of weight that is kept.

    Args as :func:`risk_at_coverage`.

    Returns:
        A number in [0, 1], smaller is better; NaN where nothing has weight.

    Source: Geifman, Uziel and El-Yaniv (2019), Bias-reduced uncertainty estimation, section 2; the integral in place
    of their sum, so that weights and ties need no rule of their own.
    """
    prepared = _aurc(y_true, y_proba, review_score, threshold=threshold)
    return float(prepared(as_weights(sample_weight, np.size(y_true))))
