"""What unequal weights and the design cost: Kish's effective size and the design effect."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.estimate import Estimate


def kish_effective_size(weight: ArrayLike) -> float:
    """Kish's effective sample size, (sum w)^2 / sum w^2: what unequal weights alone leave of n.

    It knows nothing of strata, clusters or of y, so it differs from n divided by the design effect, often by much
    where an enrichment gives the interesting posts small weights.

    Args:
        weight: (n,) weights, 0 or more; NaN (no label) is left out.

    Returns:
        A number between 1 and n; NaN where no weight is positive.

    Raises:
        ValueError: a negative weight.
    """
    w = np.asarray(weight, dtype=np.float64)
    w = w[~np.isnan(w)]
    if np.any(w < 0):
        raise ValueError("weights must be 0 or more")
    return float(w.sum() ** 2 / (w**2).sum()) if np.any(w > 0) else float("nan")


def design_effect(estimate: Estimate, *, variance: float | None = None) -> float:
    """Variance of an estimate by that of a simple random sample (with replacement) of as many labels.

    Args:
        estimate: an estimate with standard error and n.
        variance: variance of y in the population; p (1 - p) of the estimate where None (a share).

    Returns:
        The ratio; below 1 where the design helps; NaN where undefined.
    """
    spread = estimate.value * (1 - estimate.value) if variance is None else variance
    if not spread > 0 or estimate.n < 1:
        return float("nan")
    return float(estimate.se**2 * estimate.n / spread)
