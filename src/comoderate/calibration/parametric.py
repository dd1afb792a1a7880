"""Calibrators with one to three parameters: temperature, Platt, beta."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import expit

from comoderate.calibration.base import SMALLEST, checked, log_odds
from comoderate.calibration.logistic import fit_logistic, smoothed_targets
from comoderate.metrics.inputs import Array, as_probabilities


class Identity:
    """Leaves probabilities as they are: the yardstick for every calibrator."""

    def fit(self, y_proba: ArrayLike, y_true: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Check the arrays, learn nothing."""
        checked(y_proba, y_true, sample_weight)
        return self

    def predict(self, y_proba: ArrayLike) -> Array:
        """The same probabilities (n,)."""
        return as_probabilities(y_proba)


class Platt:
    """logit q = slope · logit p + intercept.

    Attributes:
        slope_, intercept_: learned by maximum likelihood with Platt's smoothed targets.

    Source: Platt (1999), Probabilistic outputs for support vector machines, applied to log odds.
    """

    def fit(self, y_proba: ArrayLike, y_true: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from probabilities (n,), labels (n,) in {0, 1} and weights (n,)."""
        p, y, weight = checked(y_proba, y_true, sample_weight)
        columns = np.column_stack([log_odds(p), np.ones(len(p))])
        self.slope_, self.intercept_ = fit_logistic(columns, smoothed_targets(y, weight), weight).tolist()
        return self

    def predict(self, y_proba: ArrayLike) -> Array:
        """Calibrated probabilities (n,)."""
        return np.asarray(expit(self.slope_ * log_odds(as_probabilities(y_proba)) + self.intercept_))


class Temperature:
    """logit q = logit p / T: keeps the order and the decisions at .5.

    Attributes:
        temperature_: T > 0, learned by maximum likelihood between e⁻⁶ and e⁶.

    Source: Guo et al. (2017), On calibration of modern neural networks, section 4.2.
    """

    def fit(self, y_proba: ArrayLike, y_true: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from probabilities (n,), labels (n,) in {0, 1} and weights (n,)."""
        p, y, weight = checked(y_proba, y_true, sample_weight)
        odds = log_odds(p)

        def loss(log_temperature: float) -> float:
            eta = odds * np.exp(-log_temperature)
            return float(weight @ (np.logaddexp(0.0, eta) - y * eta))

        found = minimize_scalar(loss, bounds=(-6.0, 6.0), method="bounded", options={"xatol": 1e-8})
        self.temperature_ = float(np.exp(found.x))
        return self

    def predict(self, y_proba: ArrayLike) -> Array:
        """Calibrated probabilities (n,)."""
        return np.asarray(expit(log_odds(as_probabilities(y_proba)) / self.temperature_))


class Beta:
    """logit q = a ln p − b ln(1 − p) + c with a, b ≥ 0: bends the two ends apart.

    Attributes:
        a_, b_, c_: learned by maximum likelihood; a negative a or b is set to 0 and the others refitted.

    Source: Kull, Silva Filho and Flach (2017), Beta calibration, section 4.
    """

    def fit(self, y_proba: ArrayLike, y_true: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from probabilities (n,), labels (n,) in {0, 1} and weights (n,)."""
        p, y, weight = checked(y_proba, y_true, sample_weight)
        target = smoothed_targets(y, weight)
        columns = np.column_stack([*_ends(p), np.ones(len(p))])
        kept = [0, 1, 2]
        found = fit_logistic(columns, target, weight)
        while len(kept) > 1 and found[: len(kept) - 1].min() < 0.0:
            kept.pop(int(np.argmin(found[: len(kept) - 1])))
            found = fit_logistic(columns[:, kept], target, weight)
        full = np.zeros(3)
        full[kept] = found
        self.a_, self.b_, self.c_ = full.tolist()
        return self

    def predict(self, y_proba: ArrayLike) -> Array:
        """Calibrated probabilities (n,)."""
        low, high = _ends(as_probabilities(y_proba))
        return np.asarray(expit(self.a_ * low + self.b_ * high + self.c_))


class Frugal:
    """Beta where it is fitted on enough posts of each class, else Platt, whose two parameters need fewer.

    Args:
        least: posts of the rarer class from which a third parameter is worth its noise. On 26 to 30 it was not.

    Attributes:
        chosen_: the fitted calibrator.
    """

    def __init__(self, *, least: int = 50) -> None:
        self.least = least

    def fit(self, y_proba: ArrayLike, y_true: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from probabilities (n,), labels (n,) in {0, 1} and weights (n,)."""
        p, y, weight = checked(y_proba, y_true, sample_weight)
        rarer = min(int(((y == side) & (weight > 0)).sum()) for side in (0.0, 1.0))
        self.chosen_: Beta | Platt = (Beta() if rarer >= self.least else Platt()).fit(p, y, sample_weight=weight)
        return self

    def predict(self, y_proba: ArrayLike) -> Array:
        """Calibrated probabilities (n,)."""
        return self.chosen_.predict(y_proba)


def _ends(p: Array) -> tuple[Array, Array]:
    """ln p and −ln(1 − p), held off infinity."""
    return np.log(np.maximum(p, SMALLEST)), -np.log(np.maximum(1.0 - p, SMALLEST))
