"""A base rate that differs between where a scorer was calibrated and where it is used."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from comoderate.metrics.inputs import Array, as_probabilities, as_weights, ratio
from comoderate.metrics.prepared import Weighted, prepared_by


class PriorShift(NamedTuple):
    """The base rate where the scorer is used, and calibrated probabilities there."""

    prior: float
    proba: Array


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


def correct_prior(y_proba: ArrayLike, *, source_prior: float, sample_weight: ArrayLike | None = None) -> PriorShift:
    """The most likely base rate of unlabelled posts, and their probabilities at that rate.

    With r = q / source and s = (1 − q) / (1 − source) the log likelihood of base rate π is Σ w log(π r + (1 − π) s). It
    is concave, so the maximum to which the paper's expectation and maximisation climbs is found as the root of its
    slope.

    Args:
        y_proba: (n,) probabilities of the unlabelled posts, calibrated at ``source_prior``.
        source_prior: base rate strictly between 0 and 1 where they were calibrated.
        sample_weight: (n,) weights.

    Returns:
        A prior of NaN, and the probabilities as they were, where nothing has weight.

    Source: Saerens et al. (2002), section 2.2. Valid where only the base rate differs; a classifier that orders the new
    posts no better than chance gives no sign that it is not.
    """
    q = as_probabilities(y_proba)
    weight = as_weights(sample_weight, len(q))
    if not 0.0 < source_prior < 1.0:
        raise ValueError("source_prior must lie strictly between 0 and 1")
    if not weight.sum() > 0:
        return PriorShift(np.nan, q)
    up, down = q / source_prior, (1.0 - q) / (1.0 - source_prior)

    def slope(prior: float) -> float:
        return float(weight @ ((up - down) / np.maximum(prior * up + (1.0 - prior) * down, 1e-300)))

    if slope(0.0) <= 0.0:
        prior = 0.0
    elif slope(1.0) >= 0.0:
        prior = 1.0
    else:
        prior = float(brentq(slope, 0.0, 1.0, xtol=1e-12))
    return PriorShift(prior, shift_prior(q, source_prior=source_prior, target_prior=prior))


def _prior(y_proba: ArrayLike, *, source_prior: float) -> Weighted:
    return lambda weight: correct_prior(y_proba, source_prior=source_prior, sample_weight=weight).prior


@prepared_by(_prior, undefined="needs a post with weight")
def base_rate(y_proba: ArrayLike, *, source_prior: float, sample_weight: ArrayLike | None = None) -> float:
    """The base rate that :func:`correct_prior` finds, as a statistic for :func:`comoderate.metrics.estimate`."""
    return float(_prior(y_proba, source_prior=source_prior)(as_weights(sample_weight, np.size(y_proba))))
