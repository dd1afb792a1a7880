"""How many posts each stratum gives to a sample of a wanted size."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DIGITS = 9  # remainders that agree to this many digits are ties, whatever the floating-point noise


def allocate(
    totals: ArrayLike, size: int, *, caps: ArrayLike | None = None, floors: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Shares of a sample proportional to ``totals``, whole, by largest remainder, never above ``caps``.

    Strata whose share exceeds their cap give all that they have, and what they lack is spread over the others in
    proportion. Ties between remainders go to the stratum that comes first, so the answer is the same everywhere.
    Largest remainders can take a post away from a stratum when the sample grows; give the earlier allocation as
    ``floors`` to extend a sample without redrawing.

    Args:
        totals: (strata,) posts of each stratum in the population, or any sizes to be proportional to; 0 or more.
        size: posts wanted in all.
        caps: (strata,) the most that a stratum can give (the posts in hand); ``totals`` where none are given;
            ``numpy.inf`` for no limit.
        floors: (strata,) the least that each stratum gives.

    Returns:
        int64 (strata,), summing to the smaller of ``size`` and the sum of the caps.

    Raises:
        ValueError: negative or undefined totals or caps, floors above caps or above ``size`` in all.
    """
    total = np.asarray(totals, dtype=np.float64)
    cap = np.floor(total if caps is None else np.asarray(caps, dtype=np.float64))
    floor = np.zeros(total.shape) if floors is None else np.asarray(floors, dtype=np.float64)
    _check(total, cap, floor, size)
    wanted = int(min(size, cap.sum()))
    share = _water_level(total, wanted, cap, floor)
    left = wanted - share.sum()
    if left > 0.5:  # strata without posts of their own, asked only once all others gave everything
        share += _water_level(np.where(total > 0, 0.0, np.minimum(cap, left)), round(left), cap - share, 0 * floor)
    return _round(share, wanted, cap)


def _check(total: NDArray[np.float64], cap: NDArray[np.float64], floor: NDArray[np.float64], size: int) -> None:
    if total.ndim != 1 or total.shape != cap.shape or total.shape != floor.shape:
        raise ValueError("totals, caps and floors must be one-dimensional and of the same length")
    if not (np.all(np.isfinite(total)) and np.all(total >= 0)):
        raise ValueError("totals must be finite and 0 or more")
    if not np.all(cap >= 0) or size < 0:
        raise ValueError("caps and size must be 0 or more")
    if np.any(floor > cap) or np.any(floor < 0) or floor.sum() > size:
        raise ValueError("floors must lie between 0 and the caps, and sum to no more than the size")


def _water_level(
    total: NDArray[np.float64], size: int, cap: NDArray[np.float64], floor: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Real-valued shares ``min(cap, max(floor, t * total))`` with the level ``t`` that makes them sum to size."""
    live = total > 0
    reach = np.where(live, cap, floor)
    if size >= reach.sum():
        return reach
    low, high = floor[live] / total[live], cap[live] / total[live]
    knots = np.unique(np.concatenate([low, high[np.isfinite(high)], [size / total[live].min()]]))

    def filled(level: float) -> float:
        return float(floor[~live].sum() + np.clip(level * total[live], floor[live], cap[live]).sum())

    first, last = 0, len(knots) - 1
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (middle, last) if filled(knots[middle]) <= size else (first, middle)
    start = float(knots[first])
    slope = float(total[live][(low <= start) & (start < high)].sum())
    level = start if slope == 0 else start + (size - filled(start)) / slope
    return np.where(live, np.clip(level * total, floor, cap), floor)


def _round(share: NDArray[np.float64], size: int, cap: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole shares by largest remainder."""
    whole = np.floor(np.round(share, _DIGITS))
    remainder = np.where(whole < cap, np.round(share - whole, _DIGITS), -1.0)
    missing = int(size - whole.sum())
    if missing > 0:
        whole[np.argsort(-remainder, kind="stable")[:missing]] += 1
    return whole.astype(np.int64)
