"""Isotonic calibration: the best step function that never falls."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from comoderate.calibration.base import checked
from comoderate.metrics.inputs import Array, as_probabilities


class Isotonic:
    """The rising function of p that minimises the weighted squared error, linear between the posts it was fitted on.

    Attributes:
        knots_: (k,) probabilities, rising.
        values_: (k,) calibrated probabilities there, never falling.

    Source: Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates.
    """

    def fit(self, y_proba: ArrayLike, y_true: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from probabilities (n,), labels (n,) in {0, 1} and weights (n,)."""
        p, y, weight = checked(y_proba, y_true, sample_weight)
        p, y, weight = p[weight > 0], y[weight > 0], weight[weight > 0]
        self.knots_, code = np.unique(p, return_inverse=True)
        mass = np.bincount(code, weights=weight)
        self.values_: Array = isotonic_regression(np.bincount(code, weights=weight * y) / mass, weights=mass).x
        return self

    def predict(self, y_proba: ArrayLike) -> Array:
        """Calibrated probabilities (n,); the nearest end outside the fitted range."""
        return np.interp(as_probabilities(y_proba), self.knots_, self.values_)
