"""Metrics of decisions at a threshold: a post is predicted positive where p > threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Mask, as_labels, as_probabilities, as_threshold, as_weights, ratio
from comoderate.metrics.prepared import Weighted, prepared_by
from comoderate.metrics.ranking import cumulated_counts
from comoderate.metrics.shares import effective_size


class Confusion(NamedTuple):
    """Weights of true and false positives, false and true negatives."""

    true_positive: float
    false_positive: float
    false_negative: float
    true_negative: float


class BestF1(NamedTuple):
    """The best F1, its precision and recall, and the threshold at which p > threshold reproduces them."""

    f1: float
    precision: float
    recall: float
    threshold: float


def accuracy_of(counts: Confusion) -> float:
    """Share of right decisions; NaN where nothing has weight."""
    return float(ratio(counts.true_positive + counts.true_negative, sum(counts)))


def precision_of(counts: Confusion) -> float:
    """True positives among predicted positives; NaN where none is predicted positive."""
    return float(ratio(counts.true_positive, counts.true_positive + counts.false_positive))


def recall_of(counts: Confusion) -> float:
    """True positives among positives; NaN where there is none."""
    return float(ratio(counts.true_positive, counts.true_positive + counts.false_negative))


def false_positive_rate_of(counts: Confusion) -> float:
    """False positives among negatives; NaN where there is none."""
    return float(ratio(counts.false_positive, counts.false_positive + counts.true_negative))


def f1_of(counts: Confusion) -> float:
    """Harmonic mean of precision and recall, 2TP / (2TP + FP + FN); NaN where all three are 0."""
    twice = 2.0 * counts.true_positive
    return float(ratio(twice, twice + counts.false_positive + counts.false_negative))


def _counts(y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5) -> Callable[[Array], Confusion]:
    positive = as_labels(y_true)
    predicted = as_probabilities(y_proba, size=len(positive)) > as_threshold(threshold)
    cell = 2 * (~predicted).astype(np.int64) + (predicted != positive)

    def value(weight: Array) -> Confusion:
        right_yes, wrong_yes, right_no, wrong_no = np.bincount(cell, weights=weight, minlength=4).tolist()
        return Confusion(right_yes, wrong_yes, wrong_no, right_no)

    return value


def _prepare(of: Callable[[Confusion], float]) -> Callable[..., Weighted]:
    def prepare(y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5) -> Weighted:
        counts = _counts(y_true, y_proba, threshold=threshold)
        return lambda weight: of(counts(weight))

    return prepare


def _among(which: Callable[[Mask, Mask], Mask]) -> Callable[..., Weighted]:
    """The effective number of posts of which a share is taken: ``which(positive, predicted)``."""

    def sizes(y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5) -> Weighted:
        positive = as_labels(y_true)
        inside = which(positive, as_probabilities(y_proba, size=len(positive)) > as_threshold(threshold))
        return lambda weight: effective_size(weight[inside])

    return sizes


def confusion(
    y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5, sample_weight: ArrayLike | None = None
) -> Confusion:
    """Weighted counts of right and wrong decisions at ``threshold``.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        threshold: a post is predicted positive where p > threshold.
        sample_weight: (n,) weights.

    Raises:
        ValueError: for NaN, out-of-range values or unequal lengths.
    """
    return _counts(y_true, y_proba, threshold=threshold)(as_weights(sample_weight, np.size(y_true)))


@prepared_by(_prepare(accuracy_of), undefined="needs a post with weight", sizes=_among(lambda yes, called: yes | ~yes))
def accuracy(
    y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5, sample_weight: ArrayLike | None = None
) -> float:
    """Share of posts decided rightly at ``threshold``; arguments as :func:`confusion`."""
    return accuracy_of(confusion(y_true, y_proba, threshold=threshold, sample_weight=sample_weight))


@prepared_by(
    _prepare(precision_of),
    undefined="needs a post that is predicted positive",
    sizes=_among(lambda yes, called: called),
)
def precision(
    y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5, sample_weight: ArrayLike | None = None
) -> float:
    """Share of predicted positives that are positive; NaN where none is predicted; as :func:`confusion`."""
    return precision_of(confusion(y_true, y_proba, threshold=threshold, sample_weight=sample_weight))


@prepared_by(_prepare(recall_of), undefined="needs a positive post", sizes=_among(lambda yes, called: yes))
def recall(
    y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5, sample_weight: ArrayLike | None = None
) -> float:
    """Share of positives that are predicted positive; NaN without positives; as :func:`confusion`."""
    return recall_of(confusion(y_true, y_proba, threshold=threshold, sample_weight=sample_weight))


@prepared_by(_prepare(f1_of), undefined="needs a post that is positive or predicted positive")
def f1(
    y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5, sample_weight: ArrayLike | None = None
) -> float:
    """2TP / (2TP + FP + FN) at ``threshold``; NaN where all three are 0; as :func:`confusion`."""
    return f1_of(confusion(y_true, y_proba, threshold=threshold, sample_weight=sample_weight))


@prepared_by(
    _prepare(false_positive_rate_of), undefined="needs a negative post", sizes=_among(lambda yes, called: ~yes)
)
def false_positive_rate(
    y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float = 0.5, sample_weight: ArrayLike | None = None
) -> float:
    """Share of negatives that are predicted positive; NaN without negatives; as :func:`confusion`."""
    return false_positive_rate_of(confusion(y_true, y_proba, threshold=threshold, sample_weight=sample_weight))


def best_f1(y_true: ArrayLike, y_proba: ArrayLike, *, sample_weight: ArrayLike | None = None) -> BestF1:
    """The highest F1 over all thresholds and where it is; of several, the one at the highest threshold.

    The threshold is midway between two neighbouring probabilities, so that p > threshold reproduces the values.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        sample_weight: (n,) weights.

    Returns:
        All NaN without weight on positives.
    """
    positive = as_labels(y_true)
    score = as_probabilities(y_proba, size=len(positive))
    weight = as_weights(sample_weight, len(score))
    total = float(weight[positive].sum())
    if not total > 0:
        return BestF1(np.nan, np.nan, np.nan, np.nan)
    hits, false, level = cumulated_counts(positive, score, weight)
    values = 2.0 * hits / (hits + false + total)
    at = int(np.argmax(values))
    below = level[at + 1] if at + 1 < len(level) else np.nextafter(level[at], -np.inf)
    middle = (level[at] + below) / 2.0
    cut = middle if middle < level[at] else below
    return BestF1(float(values[at]), float(ratio(hits[at], hits[at] + false[at])), float(hits[at] / total), float(cut))
