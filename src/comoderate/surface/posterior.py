"""The posterior of each arm's accuracy on a grid of log-odds, and the intervals read from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, expit, log1p, polygamma

from comoderate.surface.inputs import Floats

POINTS = 161
REACH = 8.0  # standard deviations to each side


def spread(centre: Floats, sd: Floats) -> Floats:
    """(A, Q) log-odds around ``centre``, dense in the middle, reaching ``REACH`` standard deviations."""
    steps = np.sinh(np.linspace(-2.5, 2.5, POINTS)) / np.sinh(2.5) * REACH
    return np.asarray(centre[:, None] + sd[:, None] * steps)


@dataclass(frozen=True)
class Posterior:
    """Probability mass on a grid for every arm.

    Attributes:
        logit: (A, Q) log-odds of the accuracy, increasing along each row.
        mass: (A, Q) probabilities, each row summing to 1.
    """

    logit: Floats
    mass: Floats

    @classmethod
    def from_log_density(cls, logit: Floats, log_density: Floats) -> Posterior:
        """Normalise a density over log-odds that is known up to a factor; both (A, Q)."""
        width = np.gradient(logit, axis=1)
        mass = np.exp(log_density - log_density.max(axis=1, keepdims=True)) * width
        return cls(logit, mass / mass.sum(axis=1, keepdims=True))

    @classmethod
    def beta(cls, a: Floats, b: Floats) -> Posterior:
        """Beta(a, b) accuracies, (A,) each and > 0, on the scale of log-odds, where their density is smooth."""
        sd = np.sqrt(polygamma(1, a) + polygamma(1, b))
        logit = spread(np.asarray(digamma(a) - digamma(b)), np.asarray(sd))
        density = a[:, None] * logit - (a + b)[:, None] * np.logaddexp(0.0, logit)
        return cls.from_log_density(logit, density)

    @classmethod
    def beta_mixture(cls, a: Floats, b: Floats, weight: Floats) -> Posterior:
        """Mixtures of Beta(a, b) accuracies, (A, J) each and > 0, with weights (A, J) whose rows sum to 1."""
        centres, squares = digamma(a) - digamma(b), polygamma(1, a) + polygamma(1, b)
        middle = (weight * centres).sum(axis=1)
        sd = np.sqrt((weight * (squares + (centres - middle[:, None]) ** 2)).sum(axis=1))
        logit = spread(np.asarray(middle), np.asarray(sd))
        mass, base, width = np.zeros(logit.shape), np.logaddexp(0.0, logit), np.gradient(logit, axis=1)
        for j in range(a.shape[1]):
            density = a[:, [j]] * logit - (a + b)[:, [j]] * base
            part = np.exp(density - density.max(axis=1, keepdims=True)) * width
            mass += weight[:, [j]] * part / np.maximum(part.sum(axis=1, keepdims=True), 1e-300)
        return cls(logit, mass / mass.sum(axis=1, keepdims=True))

    @property
    def mean(self) -> Floats:
        """(A,) expected accuracy."""
        return np.asarray((expit(self.logit) * self.mass).sum(axis=1))

    @property
    def variance(self) -> Floats:
        """(A,) variance of the accuracy."""
        deviation = expit(self.logit) - self.mean[:, None]
        return np.asarray((deviation**2 * self.mass).sum(axis=1))

    def draws(self, size: int = 400) -> Floats:
        """(A, size) accuracies at evenly spaced quantiles, increasing along each row: draws without noise."""
        at = (np.arange(size) + 0.5) / size
        below = np.cumsum(self.mass, axis=1) - 0.5 * self.mass
        return np.asarray(expit(np.array([np.interp(at, f, x) for f, x in zip(below, self.logit)])))

    def below(self, threshold: float | Floats) -> Floats:
        """(A,) probability that the accuracy lies below ``threshold`` (a number or (A,)), in [0, 1]."""
        cut = np.broadcast_to(np.asarray(threshold, dtype=np.float64), (len(self.logit),))
        x = np.log(np.clip(cut, 1e-300, 1)) - log1p(-np.clip(cut, 0, 1 - 1e-16))
        cumulative = np.cumsum(self.mass, axis=1) - 0.5 * self.mass
        return np.array([np.interp(v, g, f, left=0.0, right=1.0) for v, g, f in zip(x, self.logit, cumulative)])


def shortest(draws: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends (A,) of the shortest interval that holds the share ``level`` of each row of ``draws`` (A, S), or more.

    Of several that are equally short, as on a lattice, the one that holds most.
    """
    ordered = np.sort(draws, axis=1)
    size = ordered.shape[1]
    inside = min(size, int(np.ceil(level * size)))
    width = ordered[:, inside - 1 :] - ordered[:, : size - inside + 1]
    first, rows = width.argmin(axis=1), np.arange(len(ordered))
    ties = width <= width[rows, first][:, None] + 1e-12
    # An interval with m draws begins at m - inside + 1 of them, which are equal: the commonest beginning holds most.
    for row in np.flatnonzero(ties.sum(axis=1) > 1):
        begins = np.flatnonzero(ties[row])
        _, at, times = np.unique(ordered[row, begins], return_index=True, return_counts=True)
        first[row] = begins[at[times.argmax()]]
    return ordered[rows, first], ordered[rows, first + inside - 1]


def nearest(draws: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends (A,) of the short interval that holds a share of each row of ``draws`` (A, S) as near ``level`` as can be.

    The mean of a small pool lies on a lattice. The shortest interval that holds *at least* the level then holds more,
    by half a lattice point's probability on average, and many such intervals are too wide. Here the less likely of its
    two ends is left out where the rest is nearer to the level: over many arms, intervals hold the truth as often as
    the level says, not more often. Where draws are continuous this is :func:`shortest`.
    """
    low, high = shortest(draws, level)
    at_low, at_high = (draws == low[:, None]), (draws == high[:, None])
    inside = (draws >= low[:, None]) & (draws <= high[:, None])
    first, last = at_low.mean(axis=1), at_high.mean(axis=1)
    less = (inside.mean(axis=1) - 0.5 * np.minimum(first, last) > level + 1e-9) & (low < high)
    rows = np.flatnonzero(less)
    rest = inside[rows] & np.where((first <= last)[rows, None], ~at_low[rows], ~at_high[rows])
    low[rows] = np.where(rest, draws[rows], np.inf).min(axis=1)
    high[rows] = np.where(rest, draws[rows], -np.inf).max(axis=1)
    return low, high


def pool_draws(draws: Floats, n: Floats, c: Floats, pool_size: Floats, seed: int = 0) -> Floats:
    """(A, S) accuracies of finite pools: labelled examples known, the rest binomial given each drawn accuracy.

    Args:
        draws: (A, S) drawn accuracies.
        n, c: (A,) labelled examples of the pool, and how many are right.
        pool_size: (A,) size of the pool in each arm; arms without a pool keep the general accuracy.
        seed: of the binomial draws, so that the same input gives the same intervals.
    """
    rest = np.maximum(np.rint(pool_size - n), 0).astype(np.int64)
    rng: np.random.Generator = np.random.default_rng(seed)
    right: NDArray[np.int64] = rng.binomial(rest[:, None], np.clip(draws, 0.0, 1.0))
    whole = np.where(pool_size > 0, n + rest, 1.0)
    return np.where((pool_size > 0)[:, None], (c[:, None] + right) / whole[:, None], draws)
