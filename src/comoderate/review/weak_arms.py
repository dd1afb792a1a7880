"""Posts from the attribute combinations where the accuracy surface says that the scorer fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from comoderate.metrics.inputs import Array, Codes, as_probabilities, ratio
from comoderate.review.extras import error_probability, needed, weight_of


@dataclass(frozen=True)
class WeakArms:
    """Expected error, moved within each arm so that its mean is the error that the accuracy surface gives the arm.

    The log odds of an error get one constant an arm: logit e' = logit e + δ_arm with mean e' = 1 − accuracy. Where the
    arms are all alike this is :class:`comoderate.review.ExpectedError`.

    Extras: ``arm_accuracy`` (n,), the surface's accuracy for the post's arm; ``arm`` (n,), codes of arms (where not
    given, arms of equal accuracy count as one); ``calibrated``, ``threshold``, ``sample_weight``.
    """

    name: str = "weak_arms"
    needs: ClassVar[tuple[str, ...]] = ("arm_accuracy",)

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Probability of a wrong decision, corrected by arm, shape (n,)."""
        p = as_probabilities(y_proba)
        accuracy = as_probabilities(needed("arm_accuracy", self.name, p, extras), name="arm_accuracy")
        arm = np.unique(accuracy if extras.get("arm") is None else np.asarray(extras["arm"]), return_inverse=True)[1]
        return move_means(error_probability(p, extras), 1.0 - accuracy, arm, weight_of(p, extras))

    def explain(self) -> str:
        """Why a post is read."""
        return "the classifier is weak on posts of this kind"


def move_means(error: Array, target: Array, arm: Codes, weight: Array, *, steps: int = 60) -> Array:
    """``error`` (n,) moved by one constant an arm in log odds, so that each arm's weighted mean is its ``target``.

    Args:
        error: (n,) probabilities.
        target: (n,) mean wanted in the post's arm.
        arm: (n,) codes from 0.
        weight: (n,) weights.
        steps: halvings of the interval in which each constant is sought, between −30 and 30.
    """
    size = int(arm.max(initial=-1)) + 1
    odds = logit(np.clip(error, 1e-9, 1.0 - 1e-9))
    mass = np.bincount(arm, weights=weight, minlength=size)
    wanted = ratio(np.bincount(arm, weights=weight * target, minlength=size), mass)
    low, high = np.full(size, -30.0), np.full(size, 30.0)
    for _ in range(steps):
        middle = (low + high) / 2.0
        mean = ratio(np.bincount(arm, weights=weight * expit(odds + middle[arm]), minlength=size), mass)
        high, low = np.where(mean > wanted, middle, high), np.where(mean > wanted, low, middle)
    return np.asarray(expit(odds + ((low + high) / 2.0)[arm]))
