"""Shares of 0 or 1 that no replicate moves: limits that still say how little a few posts prove."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from comoderate.metrics.estimate import Estimate
from comoderate.metrics.inputs import Array, ratio

UNMOVED = "no replicate differs: limits by Wilson at Kish's size"
"""The reason of an estimate whose limits are not the replicates'."""


def effective_size(weight: Array) -> float:
    """Kish's effective sample size, (Σw)² / Σw²; NaN where nothing has weight."""
    return float(ratio(weight.sum() ** 2, (weight**2).sum()))


def wilson(share: float, size: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a share seen in ``size`` independent posts; of no width where these are infinite.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    if math.isinf(size):
        return share, share
    z = float(ndtri((1.0 + level) / 2.0))
    middle = (share + z**2 / (2.0 * size)) / (1.0 + z**2 / size)
    reach = z / (1.0 + z**2 / size) * math.sqrt(share * (1.0 - share) / size + z**2 / (4.0 * size**2))
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def unmoved(value: float, column: Array) -> bool:
    """Whether a share is 0 or 1, and all its replicates (r,) too: a bootstrap then gives an interval of no width."""
    kept = column[~np.isnan(column)]
    return value in {0.0, 1.0} and len(kept) > 1 and bool(np.all(kept == value))


def with_limits(found: Estimate, size: float) -> Estimate:
    """The estimate of a share of 0 or 1 with Wilson's limits at ``size`` posts; as it is where the share is exact.

    Args:
        found: with an interval of no width.
        size: effective number of posts that the share is a share of; infinite where it could be no other.
    """
    if math.isinf(size) or not size > 0:
        return found
    low, high = wilson(found.value, size, found.level)
    return replace(found, low=low, high=high, reason=UNMOVED)
