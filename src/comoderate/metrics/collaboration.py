"""Metrics of a classifier with an oracle moderator who reviews the posts with the largest review scores.

Source: Kivlichan, Lin, Liu and Vasserman (2021), Measuring and improving model-moderator collaboration using
uncertainty estimation, section 4, in the exact limit: reviewed posts get their true label. Posts tied at the end of
the queue are split.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.decisions import Confusion, f1_of, precision_of, recall_of
from comoderate.metrics.inputs import Array, as_fractions, as_weights, like_fractions, ratio
from comoderate.metrics.pair import Pair, ReviewCounts
from comoderate.metrics.prepared import Weighted, prepared_by
from comoderate.metrics.ranking import NEEDS_BOTH, NEEDS_POSITIVE, area_of
from comoderate.metrics.shares import effective_size


class CollaborationCurves(NamedTuple):
    """The metrics of the pair at each review fraction, arrays of shape (f,)."""

    oracle_collaborative_accuracy: Array
    oracle_collaborative_auroc: Array
    oracle_collaborative_average_precision: Array
    review_efficiency: Array
    review_effectiveness: Array


def _accuracy_of(counts: ReviewCounts) -> Array:
    total = counts.wrong_reviewed + counts.right_reviewed + counts.wrong_left + counts.right_left
    return np.asarray(ratio(total - counts.wrong_left, total))


def _efficiency_of(counts: ReviewCounts) -> Array:
    return np.asarray(ratio(counts.wrong_reviewed, counts.wrong_reviewed + counts.right_reviewed))


def _effectiveness_of(counts: ReviewCounts) -> Array:
    return np.asarray(ratio(counts.wrong_reviewed, counts.wrong_reviewed + counts.wrong_left))


def _prepared(value: Callable[[Pair, Array, Array], Array]) -> Callable[..., Weighted]:
    """The prepared form of a metric that needs no ranking: its values from a pair, (f,) fractions and (n,) weights."""

    def prepare(
        y_true: ArrayLike,
        y_proba: ArrayLike,
        review_score: ArrayLike,
        *,
        review_fraction: ArrayLike,
        threshold: float = 0.5,
    ) -> Weighted:
        fractions = as_fractions(review_fraction)
        pair = Pair(y_true, y_proba, review_score, threshold=threshold)
        return lambda weight: like_fractions(value(pair, fractions, weight), review_fraction)

    return prepare


def _cells(of: Callable[[ReviewCounts], Array]) -> Callable[..., Weighted]:
    return _prepared(lambda pair, fractions, weight: of(pair.counts(pair.weigh(weight, fractions))))


def _decisions(of: Callable[[Confusion], float]) -> Callable[..., Weighted]:
    return _prepared(
        lambda pair, fractions, weight: np.array([of(cells) for cells in pair.confusion(pair.weigh(weight, fractions))])
    )


def _auroc(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
) -> Weighted:
    fractions = as_fractions(review_fraction)
    pair = Pair(y_true, y_proba, review_score, threshold=threshold).rank()
    return lambda w: like_fractions(pair.areas(pair.weigh(w, fractions), roc=True, precision=None).roc, review_fraction)


def _average_precision(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    interpolation: str = "step",
) -> Weighted:
    fractions, area = as_fractions(review_fraction), area_of(interpolation)
    pair = Pair(y_true, y_proba, review_score, threshold=threshold).rank()
    return lambda w: like_fractions(
        pair.areas(pair.weigh(w, fractions), roc=False, precision=area).precision, review_fraction
    )


def _curves(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
) -> Callable[[Array], CollaborationCurves]:
    fractions, area = as_fractions(review_fraction), area_of("step")
    pair = Pair(y_true, y_proba, review_score, threshold=threshold).rank()

    def value(weight: Array) -> CollaborationCurves:
        at = pair.weigh(weight, fractions)
        counts, areas = pair.counts(at), pair.areas(at, roc=True, precision=area)
        return CollaborationCurves(
            _accuracy_of(counts), areas.roc, areas.precision, _efficiency_of(counts), _effectiveness_of(counts)
        )

    return value


def _sizes(of: Callable[[Pair, Array, Array], float]) -> Callable[..., Weighted]:
    """Of how many posts a share is a share of, from weights (n,) and the part of each post that is reviewed (n,)."""

    def value(pair: Pair, fractions: Array, weight: Array) -> Array:
        edge = pair.weigh(weight, fractions).edge
        read = (1.0 - edge.left(pair.order.code, i) for i in range(len(fractions)))
        return np.array([of(pair, weight, part) for part in read])

    return _prepared(value)


def _read(pair: Pair, weight: Array, read: Array) -> float:
    return effective_size(weight * read)


def _errors(pair: Pair, weight: Array, read: Array) -> float:
    wrong = pair.wrong & (weight > 0)
    return math.inf if np.all(read[wrong] == 1.0) else effective_size(weight[wrong])


_accuracy = _cells(_accuracy_of)
_efficiency = _cells(_efficiency_of)
_effectiveness = _cells(_effectiveness_of)
_precision = _decisions(precision_of)
_recall = _decisions(recall_of)
_f1 = _decisions(f1_of)


@prepared_by(_accuracy, undefined="needs a post with weight")
def oracle_collaborative_accuracy(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Accuracy of the pair: reviewed posts are right, the others as the classifier decides.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        review_score: (n,) larger is reviewed first; ties at the end of the queue are split.
        review_fraction: share of the weight that is reviewed, in [0, 1], or an array (f,) of them.
        threshold: a post is predicted positive where p > threshold.
        sample_weight: (n,) weights; the review fraction is then a share of weight.

    Returns:
        1 − wrong among the left / all = accuracy + (k/n)·review efficiency, k the capacity; NaN without weight.
        A float, or an array (f,) where ``review_fraction`` is one.

    Raises:
        ValueError: for NaN, out-of-range values or unequal lengths.
    """
    prepared = _accuracy(y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


@prepared_by(_efficiency, undefined="needs a review capacity of at least one post", sizes=_sizes(_read))
def review_efficiency(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Share of the reviewed posts that the classifier had wrong.

    Args and errors as :func:`oracle_collaborative_accuracy`.

    Returns:
        Errors among the reviewed / reviewed; NaN where nothing can be reviewed.
        A float, or an array (f,) where ``review_fraction`` is one.
    """
    prepared = _efficiency(y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


@prepared_by(_effectiveness, undefined="needs at least one wrong decision", sizes=_sizes(_errors))
def review_effectiveness(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Share of the classifier's errors that the review catches.

    Args and errors as :func:`oracle_collaborative_accuracy`.

    Returns:
        Errors among the reviewed / all errors; NaN where the classifier makes none.
        A float, or an array (f,) where ``review_fraction`` is one.
    """
    prepared = _effectiveness(y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


@prepared_by(_precision, undefined="needs a post that the pair decides positive")
def oracle_collaborative_precision(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Precision of the pair at the threshold: reviewed posts are decided rightly.

    Args and errors as :func:`oracle_collaborative_accuracy`.

    Returns:
        TP / (TP + FP) of the pair; NaN where it decides nothing positive.
        A float, or an array (f,) where ``review_fraction`` is one.
    """
    prepared = _precision(y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


@prepared_by(_recall, undefined=NEEDS_POSITIVE)
def oracle_collaborative_recall(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Recall of the pair at the threshold: reviewed posts are decided rightly.

    Args and errors as :func:`oracle_collaborative_accuracy`.

    Returns:
        TP / (TP + FN) of the pair; NaN without positives.
        A float, or an array (f,) where ``review_fraction`` is one.
    """
    prepared = _recall(y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


@prepared_by(_f1, undefined="needs a post that is positive or decided positive")
def oracle_collaborative_f1(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """F1 of the pair at the threshold: reviewed posts are decided rightly.

    Args and errors as :func:`oracle_collaborative_accuracy`.

    Returns:
        2TP / (2TP + FP + FN) of the pair; NaN where all three are 0.
        A float, or an array (f,) where ``review_fraction`` is one.
    """
    prepared = _f1(y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


@prepared_by(_auroc, undefined=NEEDS_BOTH)
def oracle_collaborative_auroc(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """AUROC of the pair: reviewed positives rank above all posts, reviewed negatives below.

    Args and errors as :func:`oracle_collaborative_accuracy`.

    Returns:
        A number in [0, 1]; NaN without weight on both classes. ``threshold`` has no part in it.
        A float, or an array (f,) where ``review_fraction`` is one.
    """
    prepared = _auroc(y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


@prepared_by(_average_precision, undefined=NEEDS_POSITIVE)
def oracle_collaborative_average_precision(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    interpolation: str = "step",
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Area under precision–recall of the pair: reviewed positives rank above all posts, reviewed negatives below.

    Args and errors as :func:`oracle_collaborative_auroc`; ``interpolation`` as
    :func:`comoderate.metrics.average_precision`.

    Returns:
        A number in (0, 1], NaN without positives; an array (f,) where ``review_fraction`` is one.
    """
    prepared = _average_precision(
        y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold, interpolation=interpolation
    )
    return prepared(as_weights(sample_weight, np.size(y_true)))


def review_counts(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> ReviewCounts:
    """Weights of wrong and right decisions, reviewed and left, at each review fraction.

    Args and errors as :func:`oracle_collaborative_accuracy`.

    Source: figure 1 of the paper.
    """
    pair = Pair(y_true, y_proba, review_score, threshold=threshold)
    counts = pair.counts(pair.weigh(as_weights(sample_weight, np.size(y_true)), as_fractions(review_fraction)))
    return ReviewCounts(*(like_fractions(cell, review_fraction) for cell in counts))


def review_accuracy_curves(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> tuple[Array, Array, Array]:
    """OC-Acc, review efficiency and review effectiveness together, from one sort; arrays of shape (f,).

    Args and errors as :func:`oracle_collaborative_accuracy`.
    """
    pair = Pair(y_true, y_proba, review_score, threshold=threshold)
    counts = pair.counts(pair.weigh(as_weights(sample_weight, np.size(y_true)), as_fractions(review_fraction)))
    return _accuracy_of(counts), _efficiency_of(counts), _effectiveness_of(counts)


@prepared_by(_curves, undefined="needs posts of both classes, a wrong decision and a capacity of at least one post")
def collaboration_curves(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> CollaborationCurves:
    """All metrics of the pair at each review fraction, from one sort of each score; arrays of shape (f,).

    Args and errors as :func:`oracle_collaborative_accuracy`.
    """
    prepared = _curves(y_true, y_proba, review_score, review_fraction=review_fraction, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))
