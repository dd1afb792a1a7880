"""Inclusion probabilities: the chance that a design had of drawing each post."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def union_inclusion(
    N: ArrayLike, in_hand: ArrayLike, base_drawn: ArrayLike, enriched_rate: ArrayLike
) -> tuple[Floats, Floats]:
    """Inclusion probabilities of a base sample united with an enrichment by a classifier.

    Of ``N`` posts of a stratum (a day), ``in_hand`` (c) were collected at random, the base sample took ``base_drawn``
    (b) of those at random, and the enrichment took a share ``enriched_rate`` (f) of the classifier's positives left in
    hand. A negative enters with b / N; a positive with [b + f (c - b)] / N. (The weights of Delisle et al. 2019,
    appendix C, done exactly; f = 1 where the enrichment is a census.)

    Args:
        N: (strata,) posts in the population, at least ``in_hand``.
        in_hand: (strata,) posts collected.
        base_drawn: (strata,) posts in the base sample, at most ``in_hand``.
        enriched_rate: (strata,) or one number, share of the remaining positives that was taken, in [0, 1].

    Returns:
        (pi of negatives, pi of positives), float64 (strata,) each; NaN where ``N`` is 0.

    Raises:
        ValueError: counts out of order (base above in hand above N), or a rate outside [0, 1].
    """
    total, hand, base, rate = np.broadcast_arrays(
        *(np.asarray(a, dtype=np.float64) for a in (N, in_hand, base_drawn, enriched_rate))
    )
    if np.any(hand > total):
        raise ValueError("more posts in hand than the total of their stratum: totals must be at least the counts")
    if np.any(base > hand) or np.any(base < 0):
        raise ValueError("base_drawn must lie between 0 and in_hand")
    if not np.all((rate >= 0) & (rate <= 1)):
        raise ValueError("enriched_rate must lie in [0, 1]")
    with np.errstate(invalid="ignore"):
        return base / total, (base + rate * (hand - base)) / total


def independent_union(*pi: ArrayLike) -> Floats:
    """The chance of being in at least one of several samples drawn independently: 1 - prod(1 - pi).

    Args:
        pi: arrays (n,) of inclusion probabilities, 0 where a post cannot enter a sample.

    Returns:
        float64 (n,).

    Raises:
        ValueError: a probability outside [0, 1].
    """
    miss = np.ones(1)
    for one in pi:
        miss = miss * (1 - _probability(one, lowest=0.0))
    return np.asarray(1 - miss, dtype=np.float64)


def nested_union(*pi: ArrayLike) -> Floats:
    """The chance of being in at least one of several Poisson samples drawn with the same random number: the largest.

    A post enters sample j when its number is below ``pi_j``, so it enters one of them when it is below the largest.

    Args:
        pi: arrays (n,) of inclusion probabilities.

    Returns:
        float64 (n,).

    Raises:
        ValueError: a probability outside [0, 1].
    """
    chances = [_probability(one, lowest=0.0) for one in pi]
    return np.asarray(np.maximum.reduce(chances), dtype=np.float64)


def second_phase(first: ArrayLike, second: ArrayLike) -> Floats:
    """Inclusion probability after a second phase: of the first, times of the second given the first.

    Args:
        first: (n,) inclusion probabilities of the first phase, in (0, 1].
        second: (n,) chance of being drawn in the second phase, given membership of the first, in (0, 1].

    Returns:
        float64 (n,).

    Raises:
        ValueError: a probability outside (0, 1].
    """
    return _probability(first) * _probability(second)


@dataclass(frozen=True)
class PpsRule:
    """How a Poisson sample's chances follow from sizes: proportional between a floor and certainty.

    Attributes:
        factor: chance above the floor for each unit of size.
        limit: sizes from here on are certain.
        least: the floor.
    """

    factor: float
    limit: float
    least: float

    def __call__(self, size: ArrayLike) -> Floats:
        """Chances (n,) for sizes (n,), in [0, 1]."""
        amount = np.asarray(size, dtype=np.float64)
        share = np.where(amount >= self.limit, 1.0 - self.least, np.minimum(self.factor * amount, 1.0))
        return np.minimum(share + self.least, 1.0)


def pps_rule(size: ArrayLike, expected: float, *, least: float = 0.0) -> PpsRule:
    """The rule by which :func:`poisson_pps` turns sizes into chances, to apply it batch by batch.

    Args:
        size, expected, least: as for :func:`poisson_pps`; the order of ``size`` changes nothing, and where it is sorted
            it is not copied.

    Raises:
        ValueError: as :func:`poisson_pps`.
    """
    amount = np.asarray(size, dtype=np.float64)
    if amount.ndim != 1:
        raise ValueError("size must be one-dimensional, finite and 0 or more")
    if not np.all(amount[:-1] <= amount[1:]):
        amount = np.sort(amount)
    if len(amount) and not (amount[0] >= 0 and np.isfinite(amount[-1])):
        raise ValueError("size must be one-dimensional, finite and 0 or more")
    if not 0 <= least <= 1 or not len(amount) * least * (1 - 1e-12) <= expected <= len(amount):
        raise ValueError("expected must lie between least * n and n, and least in [0, 1]")
    room, spare = expected - least * len(amount), 1.0 - least
    factor, limit = 0.0, math.inf
    free = amount[np.searchsorted(amount, 0.0, side="right") :]
    while len(free) and room > 1e-12:
        factor = room / free.sum()
        first = int(np.searchsorted(free, spare / factor))
        if first == len(free):
            break
        limit = float(free[first])
        room -= spare * (len(free) - first)
        free, factor = free[:first], 0.0
    return PpsRule(float(factor), limit, least)


def poisson_pps(size: ArrayLike, expected: float, *, least: float = 0.0) -> Floats:
    """Inclusion probabilities proportional to a size (a score, or views), summing to ``expected``.

    Sizes so large that their probability would pass 1 are taken with certainty, and the rest is spread over the
    others. The draw is Poisson: a post enters when its random number is below its probability.

    Args:
        size: (n,) sizes, 0 or more.
        expected: expected number of posts, at most n.
        least: the smallest probability of any post. Above 0 no post is left out for good, which an estimate for the
            whole population needs where sizes of 0 occur.

    Returns:
        float64 (n,), in [0, 1].

    Raises:
        ValueError: negative or undefined sizes, or more posts expected than there are.
    """
    return pps_rule(size, expected, least=least)(size)


def _probability(values: ArrayLike, *, lowest: float | None = None) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    fits = array > 0 if lowest is None else array >= lowest
    if not np.all(fits & (array <= 1)):
        raise ValueError(f"inclusion probabilities must lie in {'(' if lowest is None else '['}0, 1]")
    return array
