"""Areas under the ROC and precision–recall curves, and the curves themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Mask, as_labels, as_probabilities, as_weights, ratio
from comoderate.metrics.order import ClassRanks, ClassWeights
from comoderate.metrics.prepared import Weighted, prepared_by

NEEDS_BOTH = "needs at least one positive and one negative post"
NEEDS_POSITIVE = "needs at least one positive post"


def roc_area(ranks: ClassRanks, at: ClassWeights) -> float:
    """Weight of the pairs of a positive and a negative that are ordered rightly, ties counting half."""
    below = at.false[-1] - 0.5 * (at.false[ranks.above] + at.false[ranks.reach])
    return float(at.positive @ below)


def precision_area(ranks: ClassRanks, at: ClassWeights, *, head: float = 0.0) -> float:
    """Positive weight times precision at its threshold, summed; ``head`` is positive weight ranked before all.

    The result is not yet divided by the positive weight.
    """
    hits = head + at.hits[ranks.last]
    return head + float(at.positive @ np.nan_to_num(ratio(hits, hits + at.false[ranks.reach])))


def interpolated_area(ranks: ClassRanks, at: ClassWeights, *, head: float = 0.0) -> float:
    """As :func:`precision_area`, with Davis–Goadrich interpolation between thresholds.

    Between two thresholds false positives grow linearly with true positives, FP = FP_a + h (TP − TP_a), so that the
    area is the integral of x / ((1 + h) x + b), b = FP_a − h TP_a.
    Source: Davis and Goadrich (2006), The relationship between precision-recall and ROC curves, section 4.
    """
    starts = np.flatnonzero(ranks.first == np.arange(len(ranks.first)))
    x0, x1 = head + at.hits[ranks.first[starts]], head + at.hits[ranks.last[starts]]
    f0, f1 = at.false[ranks.above[starts]], at.false[ranks.reach[starts]]
    kept = x1 > x0
    x0, x1, f0, f1 = x0[kept], x1[kept], f0[kept], f1[kept]
    slope = (f1 - f0) / (x1 - x0)
    a, b = 1.0 + slope, f0 - slope * x0
    bends = np.abs(b) > 1e-12 * x1
    b = np.where(bends, b, 0.0)
    grown = np.log(np.where(bends, (x1 + f1) / np.where(bends, x0 + f0, 1.0), 1.0))
    return head + float(np.sum((x1 - x0) / a - b / a**2 * grown))


def _checked(y_true: ArrayLike, y_proba: ArrayLike) -> tuple[Mask, Array]:
    positive = as_labels(y_true)
    return positive, as_probabilities(y_proba, size=len(positive))


def auroc_of_scores(positive: Mask, score: Array) -> Weighted:
    """AUROC of any real score as a function of the weights."""
    ranks = ClassRanks(positive, score)

    def value(weight: Array) -> float:
        p, n = weight[ranks.positives], weight[ranks.negatives]
        return float(ratio(roc_area(ranks, ranks.weigh(p, n)), p.sum() * n.sum()))

    return value


def average_precision_of_scores(positive: Mask, score: Array, *, interpolation: str = "step") -> Weighted:
    """Area under precision–recall of any real score as a function of the weights."""
    area = area_of(interpolation)
    ranks = ClassRanks(positive, score)

    def value(weight: Array) -> float:
        p, n = weight[ranks.positives], weight[ranks.negatives]
        total = p.sum()
        return float(ratio(area(ranks, ranks.weigh(p, n)), total)) if total > 0 else float("nan")

    return value


def area_of(interpolation: str) -> Callable[..., float]:
    """The area function for ``interpolation``: 'step' (average precision) or 'davis-goadrich'."""
    kinds: dict[str, Callable[..., float]] = {"step": precision_area, "davis-goadrich": interpolated_area}
    if interpolation not in kinds:
        raise ValueError(f"interpolation must be one of {sorted(kinds)}, got {interpolation!r}")
    return kinds[interpolation]


def _auroc(y_true: ArrayLike, y_proba: ArrayLike) -> Weighted:
    return auroc_of_scores(*_checked(y_true, y_proba))


def _average_precision(y_true: ArrayLike, y_proba: ArrayLike, *, interpolation: str = "step") -> Weighted:
    return average_precision_of_scores(*_checked(y_true, y_proba), interpolation=interpolation)


@prepared_by(_auroc, undefined=NEEDS_BOTH)
def auroc(y_true: ArrayLike, y_proba: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Probability that a random positive post scores above a random negative one, ties counting half.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        sample_weight: (n,) weights, finite and not negative.

    Returns:
        A number in [0, 1]; NaN without weight on both classes.

    Raises:
        ValueError: for NaN, out-of-range values or unequal lengths.
    """
    return float(_auroc(y_true, y_proba)(as_weights(sample_weight, np.size(y_true))))


@prepared_by(_average_precision, undefined=NEEDS_POSITIVE)
def average_precision(
    y_true: ArrayLike, y_proba: ArrayLike, *, sample_weight: ArrayLike | None = None, interpolation: str = "step"
) -> float:
    """Area under the precision–recall curve.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        sample_weight: (n,) weights.
        interpolation: 'step', the sum of precision times growth in recall over thresholds; or 'davis-goadrich',
            which interpolates false positives linearly between thresholds.

    Returns:
        A number in (0, 1]; NaN without weight on the positive class.
    """
    prepared = _average_precision(y_true, y_proba, interpolation=interpolation)
    return float(prepared(as_weights(sample_weight, np.size(y_true))))


class PrecisionRecallCurve(NamedTuple):
    """Points of a precision–recall curve by falling threshold; predictions are p >= threshold at a point."""

    precision: Array
    recall: Array
    threshold: Array


class RocCurve(NamedTuple):
    """Points of a ROC curve by falling threshold; the first has threshold inf and predicts nothing."""

    false_positive_rate: Array
    true_positive_rate: Array
    threshold: Array


def cumulated_counts(positive: Mask, score: Array, weight: Array) -> tuple[Array, Array, Array]:
    """True positives, false positives and the score at each distinct score, from the highest down."""
    order = np.argsort(-score)
    ranked = score[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1) if len(ranked) else np.arange(0)
    hits = np.cumsum(np.where(positive[order], weight[order], 0.0))[ends]
    total = np.cumsum(weight[order])[ends]
    return hits, np.maximum(total - hits, 0.0), ranked[ends]


def precision_recall_curve(
    y_true: ArrayLike, y_proba: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> PrecisionRecallCurve:
    """Precision and recall at every distinct probability, from the highest threshold down.

    Returns:
        Three arrays of one length, a point a distinct probability: predict positive at p >= threshold. Recall is NaN
        without positives, precision where the points so far weigh nothing.
    """
    positive, score = _checked(y_true, y_proba)
    weight = as_weights(sample_weight, len(score))
    hits, false, threshold = cumulated_counts(positive, score, weight)
    return PrecisionRecallCurve(ratio(hits, hits + false), ratio(hits, weight[positive].sum()), threshold)


def roc_curve(y_true: ArrayLike, y_proba: ArrayLike, *, sample_weight: ArrayLike | None = None) -> RocCurve:
    """False and true positive rates at every distinct probability, from the highest threshold down.

    Returns:
        Three arrays of one length; the first point is (0, 0) at threshold inf, the others predict at p >= threshold.
        A rate is NaN where its class has no weight.
    """
    positive, score = _checked(y_true, y_proba)
    weight = as_weights(sample_weight, len(score))
    hits, false, threshold = cumulated_counts(positive, score, weight)
    hits, false = np.concatenate([[0.0], hits]), np.concatenate([[0.0], false])
    return RocCurve(
        ratio(false, weight[~positive].sum()),
        ratio(hits, weight[positive].sum()),
        np.concatenate([[np.inf], threshold]),
    )
