"""How well a review score finds the classifier's errors: label 1 where the prediction is wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Mask, as_labels, as_probabilities, as_threshold, as_vector, as_weights
from comoderate.metrics.prepared import Weighted, prepared_by
from comoderate.metrics.ranking import auroc_of_scores, average_precision_of_scores


def _errors(y_true: ArrayLike, y_proba: ArrayLike, review_score: ArrayLike, threshold: float) -> tuple[Mask, Array]:
    positive = as_labels(y_true)
    predicted = as_probabilities(y_proba, size=len(positive)) > as_threshold(threshold)
    return predicted != positive, as_vector(review_score, "review_score", size=len(positive))


def _calibration_auroc(
    y_true: ArrayLike, y_proba: ArrayLike, review_score: ArrayLike, *, threshold: float = 0.5
) -> Weighted:
    return auroc_of_scores(*_errors(y_true, y_proba, review_score, threshold))


def _calibration_average_precision(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    threshold: float = 0.5,
    interpolation: str = "step",
) -> Weighted:
    wrong, score = _errors(y_true, y_proba, review_score, threshold)
    return average_precision_of_scores(wrong, score, interpolation=interpolation)


@prepared_by(_calibration_auroc, undefined="needs at least one wrong and one right decision")
def calibration_auroc(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> float:
    """AUROC of the review score as a predictor of wrong decisions.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        review_score: (n,) any real score, such as an uncertainty.
        threshold: a post is predicted positive where p > threshold.
        sample_weight: (n,) weights.

    Returns:
        A number in [0, 1]; NaN unless decisions of both kinds have weight.

    Source: Kivlichan et al. (2021), section 4; the label is prediction ≠ y.
    """
    prepared = _calibration_auroc(y_true, y_proba, review_score, threshold=threshold)
    return float(prepared(as_weights(sample_weight, np.size(y_true))))


@prepared_by(_calibration_average_precision, undefined="needs at least one wrong decision")
def calibration_average_precision(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    threshold: float = 0.5,
    interpolation: str = "step",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under precision–recall of the review score as a predictor of wrong decisions.

    Args as :func:`calibration_auroc`; ``interpolation`` as :func:`comoderate.metrics.average_precision`.

    Returns:
        A number in (0, 1]; NaN where no decision is wrong.
    """
    prepared = _calibration_average_precision(
        y_true, y_proba, review_score, threshold=threshold, interpolation=interpolation
    )
    return float(prepared(as_weights(sample_weight, np.size(y_true))))
