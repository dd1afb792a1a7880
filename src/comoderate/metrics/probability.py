"""Whether probabilities mean what they say: Brier score, calibration error, reliability diagrams."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Codes, as_labels, as_probabilities, as_threshold, as_weights, ratio
from comoderate.metrics.prepared import Weighted, prepared_by


class ReliabilityDiagram(NamedTuple):
    """One row a bin that holds weight, by rising probability.

    Attributes:
        mean: (b,) mean predicted probability (or confidence).
        observed: (b,) share of positives (or of right decisions).
        weight: (b,) weight of the bin.
    """

    mean: Array
    observed: Array
    weight: Array


def _brier(y_true: ArrayLike, y_proba: ArrayLike) -> Weighted:
    positive = as_labels(y_true)
    squared = (as_probabilities(y_proba, size=len(positive)) - positive) ** 2
    return lambda weight: float(ratio(weight @ squared, weight.sum()))


@prepared_by(_brier, undefined="needs a post with weight")
def brier_score(y_true: ArrayLike, y_proba: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean squared difference of probability and label.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        sample_weight: (n,) weights.

    Returns:
        A number in [0, 1]; NaN where nothing has weight.
    """
    return float(_brier(y_true, y_proba)(as_weights(sample_weight, np.size(y_true))))


def _outcome(y_true: ArrayLike, y_proba: ArrayLike, kind: str, threshold: float) -> tuple[Array, Array]:
    """What is predicted and what came of it: p and y, or max(p, 1 − p) and whether the decision is right."""
    positive = as_labels(y_true)
    p = as_probabilities(y_proba, size=len(positive))
    if kind == "probability":
        return p, positive.astype(np.float64)
    if kind == "confidence":
        return np.maximum(p, 1.0 - p), ((p > as_threshold(threshold)) == positive).astype(np.float64)
    raise ValueError(f"kind must be 'probability' or 'confidence', got {kind!r}")


def _binner(score: Array, binning: str, n_bins: int) -> Callable[[Array], Codes]:
    """The bin of each post as a function of the weights."""
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins}")
    if binning == "width":
        fixed = np.minimum((score * n_bins).astype(np.int64), n_bins - 1)
        return lambda weight: fixed
    if binning == "mass":
        levels, code = np.unique(score, return_inverse=True)

        def by_mass(weight: Array) -> Codes:
            mass = np.bincount(code, weights=weight, minlength=len(levels))
            middle = np.cumsum(mass) - mass / 2.0
            share = np.nan_to_num(ratio(middle, mass.sum()))
            bins: Codes = np.minimum((share * n_bins).astype(np.int64), n_bins - 1)[code]
            return bins

        return by_mass
    raise ValueError(f"binning must be 'width' or 'mass', got {binning!r}")


def _diagram(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    kind: str = "probability",
    binning: str = "width",
    threshold: float = 0.5,
) -> Callable[[Array], ReliabilityDiagram]:
    score, outcome = _outcome(y_true, y_proba, kind, threshold)
    bins = _binner(score, binning, n_bins)

    def value(weight: Array) -> ReliabilityDiagram:
        code = bins(weight)
        mass, scored, seen = (
            np.asarray(np.bincount(code, weights=part, minlength=n_bins), dtype=np.float64)
            for part in (weight, weight * score, weight * outcome)
        )
        held = mass > 0
        return ReliabilityDiagram(scored[held] / mass[held], seen[held] / mass[held], mass[held])

    return value


def reliability_diagram(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    kind: str = "probability",
    binning: str = "width",
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> ReliabilityDiagram:
    """Predicted against observed shares in bins of the prediction.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        n_bins: number of bins; those without weight are left out.
        kind: 'probability' sets p against y; 'confidence' sets max(p, 1 − p) against right decisions.
        binning: 'width' for bins [i/b, (i+1)/b), the last closed; 'mass' for bins of about equal weight, in which
            posts of one probability stay together.
        threshold: a decision is positive where p > threshold; for 'confidence' only.
        sample_weight: (n,) weights.
    """
    prepared = _diagram(y_true, y_proba, n_bins=n_bins, kind=kind, binning=binning, threshold=threshold)
    return prepared(as_weights(sample_weight, np.size(y_true)))


def _calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    kind: str = "probability",
    binning: str = "width",
    threshold: float = 0.5,
) -> Weighted:
    diagram = _diagram(y_true, y_proba, n_bins=n_bins, kind=kind, binning=binning, threshold=threshold)

    def value(weight: Array) -> float:
        mean, observed, mass = diagram(weight)
        return float(ratio(mass @ np.abs(mean - observed), mass.sum()))

    return value


@prepared_by(_calibration_error, undefined="needs a post with weight")
def expected_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    kind: str = "probability",
    binning: str = "width",
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean absolute difference of predicted and observed shares over bins, each by its weight.

    Args as :func:`reliability_diagram`. The paper's appendix mixes the two kinds; its published numbers are those of
    'confidence' with 15 bins of equal width.

    Returns:
        A number in [0, 1]; NaN where nothing has weight.

    Source: Guo et al. (2017), On calibration of modern neural networks, equation 3.
    """
    prepared = _calibration_error(y_true, y_proba, n_bins=n_bins, kind=kind, binning=binning, threshold=threshold)
    return float(prepared(as_weights(sample_weight, np.size(y_true))))
