"""The weak arms, with a guard against being misled by having looked at many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.surface.base import Surface
from comoderate.surface.inputs import Codes, Floats, as_codes


@dataclass(frozen=True)
class WeakArms:
    """Arms in the order of their probability of being weak, the surest first.

    Attributes:
        index: (A,) rows of the arms that were asked for.
        probability: (A,) posterior probability that the arm's accuracy lies below the threshold.
        jointly: how many of the first arms are all below the threshold with probability >= the level.
        expected: how many of the first arms may be named so that at most 1 − level of those named are expected to be
            no weaker than the threshold; never fewer than ``jointly``.
        threshold: the accuracy compared with.
        level: as given.
    """

    index: NDArray[np.intp]
    probability: Floats
    jointly: int
    expected: int
    threshold: float
    level: float

    def sentence(self) -> str:
        """What may be said of the arms, in words."""
        if not self.jointly:
            return f"No arm is below an accuracy of {self.threshold:.2f} at {self.level:.0%} when all are looked at."
        if self.jointly == 1:
            return f"One arm is below an accuracy of {self.threshold:.2f} at {self.level:.0%}."
        return f"These {self.jointly} arms are below an accuracy of {self.threshold:.2f} at {self.level:.0%} jointly."


def weak_arms(
    surface: Surface,
    arms: ArrayLike,
    *,
    threshold: float | None = None,
    weight: ArrayLike | None = None,
    level: float = 0.95,
) -> WeakArms:
    """Which arms are worse than the mean, or than a given accuracy.

    The joint statement holds whatever the dependence between arms: the probability that all named arms are weak is at
    least 1 − Σ (1 − p_a) (Bonferroni's inequality for posterior probabilities), and arms are named while this stays
    at the level or above.

    Args:
        surface: a fitted estimator.
        arms: (A, K) arms to compare.
        threshold: an accuracy in [0, 1]; None for the mean of the arms' estimates, weighted by ``weight``.
        weight: (A,) share of traffic of each arm; equal if None.
        level: joint probability, in (0, 1).

    Raises:
        ValueError: for wrong shapes or values.
    """
    codes: Codes = as_codes(arms)
    w = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=np.float64)
    if w.shape != (len(codes),) or (w < 0).any() or not w.sum() > 0:
        raise ValueError("weight must have one value >= 0 for each arm, not all of them 0")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    posterior = surface.posterior(codes)
    cut = float(posterior.mean @ w / w.sum()) if threshold is None else float(threshold)
    probability = posterior.below(cut)
    order = np.argsort(-probability, kind="stable")
    miss = np.cumsum(1 - probability[order])
    jointly = int((miss <= 1 - level).sum())
    expected = int((miss / np.arange(1, len(miss) + 1) <= 1 - level).sum())
    return WeakArms(order, probability[order], jointly, max(jointly, expected), cut, level)
