"""How far an estimated surface lies from the true one, and how often its intervals hold the truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.surface.inputs import Floats


class SurfaceScores(NamedTuple):
    """Errors are mean squared errors of accuracies; NaN where no arm is judged.

    Attributes:
        macro: over arms, each counted once.
        worst: over the arms of lowest true accuracy.
        micro: over arms weighted by their pool size.
        least_frequent: over the arms of smallest pool among those judged.
        coverage: share of arms whose interval holds the truth.
        width: mean width of the intervals.
        n_arms: arms judged.
    """

    macro: float
    worst: float
    micro: float
    least_frequent: float
    coverage: float
    width: float
    n_arms: int


def surface_scores(
    truth: ArrayLike,
    mean: ArrayLike,
    *,
    pool_size: ArrayLike,
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    min_pool: float = 5,
    tail: int = 50,
) -> SurfaceScores:
    """Compare a surface with the truth on arms that have a pool of at least ``min_pool`` (Piratla et al. 2021, §4).

    Args:
        truth: (A,) true accuracies; NaN where unknown.
        mean: (A,) estimated accuracies.
        pool_size: (A,) examples in each arm.
        low, high: (A,) ends of intervals, for coverage and width.
        min_pool: smaller arms are not judged, since their truth is not known.
        tail: how many arms ``worst`` and ``least_frequent`` take.

    Raises:
        ValueError: if the arrays differ in shape.
    """
    true, guess, size = (np.asarray(x, dtype=np.float64) for x in (truth, mean, pool_size))
    if not true.shape == guess.shape == size.shape or true.ndim != 1:
        raise ValueError("truth, mean and pool_size must be one-dimensional and of one length")
    judged = (size >= min_pool) & np.isfinite(true)
    if not judged.any():
        return SurfaceScores(*(np.nan,) * 6, 0)
    error, weight = (guess[judged] - true[judged]) ** 2, size[judged]
    worst = np.argsort(true[judged], kind="stable")[:tail]
    rare = np.argsort(weight, kind="stable")[:tail]
    coverage, width = _intervals(true, low, high, judged)
    return SurfaceScores(
        float(error.mean()),
        float(error[worst].mean()),
        float(error @ weight / weight.sum()),
        float(error[rare].mean()),
        coverage,
        width,
        int(judged.sum()),
    )


def _intervals(
    true: Floats, low: ArrayLike | None, high: ArrayLike | None, judged: NDArray[np.bool_]
) -> tuple[float, float]:
    if low is None or high is None:
        return np.nan, np.nan
    bottom, top = (np.asarray(x, dtype=np.float64)[judged] for x in (low, high))
    held = (bottom <= true[judged] + 1e-9) & (true[judged] <= top + 1e-9)
    return float(held.mean()), float((top - bottom).mean())
