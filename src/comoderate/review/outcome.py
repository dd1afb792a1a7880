"""Three outcomes of a post: acted on automatically, read by a moderator, or left; their metrics and their cost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, as_labels, as_probabilities, as_vector, as_weights, ratio
from comoderate.metrics.order import Boundary, ReviewOrder, capacity
from comoderate.metrics.prepared import Weighted, prepared_by


class Outcomes(NamedTuple):
    """Weights of the six cells: what became of positive and of negative posts."""

    acted_positive: float
    acted_negative: float
    reviewed_positive: float
    reviewed_negative: float
    left_positive: float
    left_negative: float


class OutcomeMetrics(NamedTuple):
    """What the six cells amount to with moderators who are right; NaN where undefined.

    Attributes:
        acted, reviewed, left: shares of the posts.
        automatic_precision: positives among those acted on.
        automatic_false_positive_rate: negatives acted on among negatives.
        precision: of all posts taken down, by machine or by moderator.
        recall: positives acted on or read among positives.
        missed_rate: positives left among posts left.
        accuracy: share of the posts that end right.
    """

    acted: float
    reviewed: float
    left: float
    automatic_precision: float
    automatic_false_positive_rate: float
    precision: float
    recall: float
    missed_rate: float
    accuracy: float


class Cost(NamedTuple):
    """Money lost to mistakes and spent on reading, and the hours of reading, for the weight of the posts given."""

    mistakes: float
    reading: float
    total: float
    hours: float


def _outcomes(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    act_above: ArrayLike,
    review_fraction: float,
    leave_below: ArrayLike = -np.inf,
) -> Weighted:
    positive = as_labels(y_true)
    p = as_probabilities(y_proba, size=len(positive))
    score = as_vector(review_score, "review_score", size=len(p))
    acted = p > np.asarray(act_above, dtype=np.float64)
    open_ = ~acted & (p >= np.asarray(leave_below, dtype=np.float64))
    order = ReviewOrder(score[open_])

    def value(weight: Array) -> Outcomes:
        queue = weight[open_]
        totals = order.totals(queue)
        room = np.minimum(capacity(weight, np.array([float(review_fraction)])), totals[-1])
        read = np.zeros(len(weight))
        read[open_] = (1.0 - Boundary(totals, room).left(order.code, 0)) if len(queue) else 0.0
        cells = []
        for part in (acted.astype(np.float64), read, ~acted * (1.0 - read)):
            cells += [float(weight[positive] @ part[positive]), float(weight[~positive] @ part[~positive])]
        return Outcomes(*cells)

    return value


def outcomes(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    act_above: ArrayLike,
    review_fraction: float,
    leave_below: ArrayLike = -np.inf,
    sample_weight: ArrayLike | None = None,
) -> Outcomes:
    """What becomes of positive and negative posts under two thresholds and a capacity.

    Posts with p > ``act_above`` are acted on. Of the others, those with p ≥ ``leave_below`` are read by falling review
    score while the capacity lasts; the rest is left.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        review_score: (n,) larger is read first.
        act_above, leave_below: thresholds, one number or one a post (such as that of its group).
        review_fraction: capacity as a share of the weight of all posts.
        sample_weight: (n,) weights.
    """
    prepared = _outcomes(
        y_true, y_proba, review_score, act_above=act_above, review_fraction=review_fraction, leave_below=leave_below
    )
    cells: Outcomes = prepared(as_weights(sample_weight, np.size(y_true)))
    return cells


def metrics_of(cells: Outcomes) -> OutcomeMetrics:
    """The metrics of the three outcomes; reviewed posts are decided rightly."""
    acted = cells.acted_positive + cells.acted_negative
    reviewed = cells.reviewed_positive + cells.reviewed_negative
    left = cells.left_positive + cells.left_negative
    positive = cells.acted_positive + cells.reviewed_positive + cells.left_positive
    total = acted + reviewed + left
    down = cells.acted_positive + cells.reviewed_positive
    return OutcomeMetrics(
        float(ratio(acted, total)),
        float(ratio(reviewed, total)),
        float(ratio(left, total)),
        float(ratio(cells.acted_positive, acted)),
        float(ratio(cells.acted_negative, total - positive)),
        float(ratio(down, down + cells.acted_negative)),
        float(ratio(down, positive)),
        float(ratio(cells.left_positive, left)),
        float(ratio(total - cells.acted_negative - cells.left_positive, total)),
    )


def _metrics(*arrays: Any, **options: Any) -> Weighted:
    prepared = _outcomes(*arrays, **options)
    return lambda weight: metrics_of(prepared(weight))


@prepared_by(_metrics, undefined="needs posts of that outcome and class")
def outcome_metrics(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    act_above: ArrayLike,
    review_fraction: float,
    leave_below: ArrayLike = -np.inf,
    sample_weight: ArrayLike | None = None,
) -> OutcomeMetrics:
    """:func:`metrics_of` :func:`outcomes`, as a statistic for :func:`comoderate.metrics.estimate`."""
    return metrics_of(
        outcomes(
            y_true,
            y_proba,
            review_score,
            act_above=act_above,
            review_fraction=review_fraction,
            leave_below=leave_below,
            sample_weight=sample_weight,
        )
    )


def cost_of(
    cells: Outcomes, *, missed: float, removed: float, minute: float = 0.0, minutes_per_post: float = 1.0
) -> Cost:
    """Cost in money and in moderators' hours.

    Args:
        cells: weights of the six cells; scale weights to posts a day for cost a day.
        missed: cost of a positive post left up.
        removed: cost of a negative post acted on.
        minute: cost of a moderator's minute.
        minutes_per_post: mean time to read one post.
    """
    minutes = (cells.reviewed_positive + cells.reviewed_negative) * minutes_per_post
    mistakes = cells.left_positive * missed + cells.acted_negative * removed
    return Cost(mistakes, minutes * minute, mistakes + minutes * minute, minutes / 60.0)
