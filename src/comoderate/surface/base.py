"""What every estimator of an accuracy surface has in common: counts in, a :class:`Prediction` out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.surface.inputs import Codes, Counts, Floats, as_codes, as_counts, find_rows
from comoderate.surface.posterior import Posterior, nearest, pool_draws

CHUNK = 4096
DRAWS = 400


@dataclass(frozen=True)
class Prediction:
    """Accuracy of each arm with its uncertainty; all arrays (A,), accuracies in [0, 1].

    Attributes:
        mean: expected accuracy.
        variance: its posterior variance.
        low, high: a short interval that holds the share ``level`` of the posterior; of a finite pool's, whose mean has
            few possible values, the share nearest to it, be it a little less or more. Where all of the pool is
            labelled both are the mean.
        level: coverage of the intervals over many arms.
        n: labelled examples that the arm itself had in fitting.
    """

    mean: Floats
    variance: Floats
    low: Floats
    high: Floats
    level: float
    n: Floats


class Surface(ABC):
    """An estimator of the accuracy in every arm from counts of labelled examples.

    ``fit`` takes counts by arm; ``predict`` answers for any arms, also those that fitting never saw. The target is
    the arm's accuracy in general, or with ``pool_size`` the mean over a finite pool of which the labelled examples
    are a part.

    Attributes:
        counts_: the :class:`Counts` of the last fit, every arm once.
    """

    counts_: Counts

    def fit(self, arms: ArrayLike, n: ArrayLike, c: ArrayLike) -> Self:
        """Learn from counts.

        Args:
            arms: (A, K) integer codes; arms without labels may be left out.
            n: (A,) labelled examples, >= 0, fractional or weighted if need be.
            c: (A,) of which right (for a loss in [0, 1]: its sum), 0 <= c <= n.

        Raises:
            ValueError: for wrong shapes, NaN, or counts outside these bounds.
        """
        self.counts_ = as_counts(arms, n, c)
        self._fit(self.counts_.labelled())
        return self

    def refit(self, arms: ArrayLike, n: ArrayLike, c: ArrayLike) -> Self:
        """Fit again after a batch of labels, from where the last fit stopped if the estimator can."""
        return self.fit(arms, n, c)

    def predict(self, arms: ArrayLike, *, pool_size: ArrayLike | None = None, level: float = 0.95) -> Prediction:
        """The accuracy of each arm.

        Args:
            arms: (A, K) integer codes, with values and combinations that fitting need not have seen.
            pool_size: (A,) examples that each arm's finite pool holds, the labelled ones included: the target is then
                the mean over that pool. None or 0: the accuracy in general.
            level: coverage of the intervals over many arms, in (0, 1); see :class:`Prediction`.

        Raises:
            ValueError: for a wrong number of attributes, a pool smaller than its labelled part, or a bad level.
        """
        codes = self._asked(arms)
        if not 0 < level < 1:
            raise ValueError(f"level must lie between 0 and 1, not {level}")
        own, n, c = self.own_counts(codes)
        pool = _pool(pool_size, n)
        parts = [
            _summary(self._posterior(codes[s], own[s], n[s], c[s]), n[s], c[s], pool[s], level)
            for s in chunks(len(codes))
        ]
        mean, variance, low, high = (np.concatenate(column) for column in zip(*parts))
        return Prediction(mean, variance, low, high, level, n)

    def posterior(self, arms: ArrayLike) -> Posterior:
        """The whole posterior of each arm's accuracy in general, on a grid."""
        codes = self._asked(arms)
        own, n, c = self.own_counts(codes)
        parts = [self._posterior(codes[s], own[s], n[s], c[s]) for s in chunks(len(codes))]
        return Posterior(np.concatenate([p.logit for p in parts]), np.concatenate([p.mass for p in parts]))

    def own_counts(self, codes: Codes) -> tuple[NDArray[np.intp], Floats, Floats]:
        """(A,) each: rows of the arms in ``counts_`` or -1, their labelled examples, and how many are right."""
        own = find_rows(self.counts_.arms, codes)
        n, c = (np.where(own >= 0, x[own], 0.0) for x in (self.counts_.n, self.counts_.c))
        return own, n, c

    def _asked(self, arms: ArrayLike) -> Codes:
        if not hasattr(self, "counts_"):
            raise ValueError(f"{type(self).__name__} must be fitted before it predicts")
        codes = as_codes(arms)
        if codes.shape[1] != self.counts_.arms.shape[1]:
            raise ValueError(f"arms have {codes.shape[1]} attributes, but {self.counts_.arms.shape[1]} in fitting")
        if not len(codes):
            raise ValueError("predict needs at least one arm")
        return codes

    @abstractmethod
    def _fit(self, counts: Counts) -> None:
        """Learn from arms that all have labels (perhaps none at all)."""

    @abstractmethod
    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        """Posterior of ``codes`` (A, K); ``own`` is their row in ``counts_`` or -1, ``n`` and ``c`` their counts."""


def chunks(size: int) -> list[slice]:
    """Places of so many arms that what is drawn for them fits into memory."""
    return [slice(start, start + CHUNK) for start in range(0, size, CHUNK)]


def _pool(pool_size: ArrayLike | None, n: Floats) -> Floats:
    if pool_size is None:
        return np.zeros(len(n))
    pool = np.asarray(pool_size, dtype=np.float64)
    if pool.shape != n.shape or not np.isfinite(pool).all():
        raise ValueError(f"pool_size must have one finite value for each of the {len(n)} arms")
    if ((pool < n - 1e-6) & (pool != 0)).any() or (pool < 0).any():
        raise ValueError("pool_size must count the labelled examples too: it is smaller than their number in some arm")
    return pool


def _summary(
    posterior: Posterior, n: Floats, c: Floats, pool: Floats, level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    mean, variance, draws = posterior.mean, posterior.variance, posterior.draws(DRAWS)
    if (pool > 0).any():
        draws = pool_draws(draws, n, c, pool)
        size, rest = np.where(pool > 0, pool, 1.0), np.where(pool > 0, pool - n, 1.0).clip(0)
        binomial = np.where(pool > 0, mean * (1 - mean) - variance, 0.0)
        variance = (rest**2 * variance + rest * binomial) / size**2
        mean = (np.where(pool > 0, c, 0.0) + rest * mean) / size
    low, high = nearest(draws, level)
    # An interval that reaches the last draw leaves out a sliver where the density is highest: the end belongs to it.
    general = pool == 0
    low = np.where(general & (low <= draws[:, 0]), 0.0, low)
    high = np.where(general & (high >= draws[:, -1]), 1.0, high)
    return np.clip(mean, 0.0, 1.0), variance.clip(0), np.minimum(low, mean), np.maximum(high, mean)
