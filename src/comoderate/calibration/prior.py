"""A base rate that differs between where a scorer was calibrated and where it is used."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, as_probabilities, as_weights, ratio
from comoderate.metrics.prepared import Weighted, prepared_by


class PriorShift(NamedTuple):
    """The base rate where the scorer is used, calibrated probabilities there, and the number of steps taken."""

    prior: float
    proba: Array
    steps: int


def shift_prior(y_proba: ArrayLike, *, source_prior: float, target_prior: float) -> Array:
    """Calibrated probabilities at base rate ``source_prior`` as they are at ``target_prior``.

    q' ∝ q · target / source and (1 − q') ∝ (1 − q)(1 − target) / (1 − source): right where the two populations differ
    in their base rate alone.

    Args:
        y_proba: (n,) calibrated probabilities.
        source_prior, target_prior: base rates strictly between 0 and 1 (the target may be 0 or 1).

    Source: Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori
    probabilities, equation 2.4.
    """
    q = as_probabilities(y_proba)
    if not (0.0 < source_prior < 1.0 and 0.0 <= target_prior <= 1.0):
        raise ValueError("source_prior must lie strictly between 0 and 1, target_prior between 0 and 1")
    up: Array = q * (target_prior / source_prior)
    down = (1.0 - q) * ((1.0 - target_prior) / (1.0 - source_prior))
    shifted: Array = np.nan_to_num(ratio(up, up + down), nan=target_prior)
    return shifted


def correct_prior(
    y_proba: ArrayLike,
    *,
    source_prior: float,
    sample_weight: ArrayLike | None = None,
    tolerance: float = 1e-10,
    max_steps: int = 10_000,
) -> PriorShift:
    """The base rate of unlabelled posts by expectation and maximisation, and their probabilities at that rate.

    Args:
        y_proba: (n,) probabilities of the unlabelled posts, calibrated at ``source_prior``.
        source_prior: base rate strictly between 0 and 1 where they were calibrated.
        sample_weight: (n,) weights.
        tolerance: steps end when the base rate moves by less.
        max_steps: most steps.

    Source: Saerens et al. (2002), equation 2.9. Valid where only the base rate differs; a classifier that orders the
    new posts no better than chance gives no sign that it is not.
    """
    q = as_probabilities(y_proba)
    weight = as_weights(sample_weight, len(q))
    if not weight.sum() > 0:
        return PriorShift(np.nan, q, 0)
    prior, steps = source_prior, 0
    while steps < max_steps:
        steps += 1
        shifted = shift_prior(q, source_prior=source_prior, target_prior=prior)
        old, prior = prior, float(weight @ shifted / weight.sum())
        if abs(prior - old) < tolerance:
            break
    return PriorShift(prior, shift_prior(q, source_prior=source_prior, target_prior=prior), steps)


def _prior(y_proba: ArrayLike, *, source_prior: float) -> Weighted:
    return lambda weight: correct_prior(y_proba, source_prior=source_prior, sample_weight=weight, tolerance=1e-7).prior


@prepared_by(_prior, undefined="needs a post with weight")
def base_rate(y_proba: ArrayLike, *, source_prior: float, sample_weight: ArrayLike | None = None) -> float:
    """The base rate that :func:`correct_prior` finds, as a statistic for :func:`comoderate.metrics.estimate`."""
    return float(_prior(y_proba, source_prior=source_prior)(as_weights(sample_weight, np.size(y_proba))))
