"""What a calibrator is, and the checks that all share."""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from comoderate.metrics.inputs import Array, as_labels, as_probabilities, as_weights

SMALLEST = 1e-10


@runtime_checkable
class Calibrator(Protocol):
    """Learns from labelled posts what a scorer's probabilities mean.

    The constructor only stores; ``fit`` returns the calibrator itself; fitted names end in an underscore.
    """

    def fit(self, y_proba: ArrayLike, y_true: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from probabilities (n,) and labels (n,) in {0, 1}, weighted."""

    def predict(self, y_proba: ArrayLike) -> Array:
        """Calibrated probabilities (n,)."""


def checked(y_proba: ArrayLike, y_true: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Array, Array, Array]:
    """Probabilities, labels as 0.0 and 1.0, and weights; ValueError where they are no such thing or weigh nothing."""
    positive = as_labels(y_true)
    p = as_probabilities(y_proba, size=len(positive))
    weight = as_weights(sample_weight, len(p))
    if not weight.sum() > 0:
        raise ValueError("a calibrator needs at least one labelled post with weight")
    return p, positive.astype(np.float64), weight


def log_odds(p: Array) -> Array:
    """logit(p) with p held off 0 and 1 by 1e-10."""
    return np.asarray(logit(np.clip(p, SMALLEST, 1.0 - SMALLEST)))
