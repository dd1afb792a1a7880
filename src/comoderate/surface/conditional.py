"""Rates among the posts of one class, such as false-positive rates, for a finite pool whose classes are unknown."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from comoderate.surface.base import DRAWS, Prediction, Surface, chunks
from comoderate.surface.inputs import Codes, Floats, as_codes, find_rows
from comoderate.surface.posterior import Posterior, shortest


def predict_class(
    rate: Surface, share: Surface, arms: ArrayLike, *, pool_size: ArrayLike, level: float = 0.95, random_state: int = 0
) -> Prediction:
    """The mean over those posts of a finite pool that belong to a class, where only labels tell the class.

    Of an arm's unlabelled posts, a binomial number K belongs to the class, with the chance that ``share`` gives; each
    of these is right with the chance that ``rate`` gives. Both posteriors are independent, since the likelihood of
    labels is a product of one factor for the class and one for what is right within it. Where no post of the class is
    in the pool, the mean has no meaning, and the accuracy in general takes its place.

    Args:
        rate: fitted to labelled posts of the class: how many there are, and how many of them are right.
        share: fitted to all labelled posts: how many there are, and how many of them belong to the class.
        arms: (A, K) arms.
        pool_size: (A,) posts in each arm's pool, of either class, the labelled ones included.
        level: coverage of the intervals, in (0, 1).
        random_state: of the draws.

    Raises:
        ValueError: for shapes that don't fit, a pool smaller than its labelled part, or a bad level.
    """
    codes, pool = as_codes(arms), np.asarray(pool_size, dtype=np.float64)
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    (labelled, _), (known, right) = _own(share, codes), _own(rate, codes)
    if pool.shape != labelled.shape or not np.isfinite(pool).all():
        raise ValueError(f"pool_size must have one finite value for each of the {len(codes)} arms")
    if (pool < labelled - 1e-6).any():
        raise ValueError("pool_size must count the labelled posts too: it is smaller than their number in some arm")
    rng: np.random.Generator = np.random.default_rng(random_state)
    parts = [
        _drawn(
            rate.posterior(codes[s]), share.posterior(codes[s]), known[s], right[s], (pool - labelled)[s], level, rng
        )
        for s in chunks(len(codes))
    ]
    mean, variance, low, high = (np.concatenate(column) for column in zip(*parts))
    return Prediction(mean, variance, np.minimum(low, mean), np.maximum(high, mean), level, known)


def _drawn(
    rho: Posterior, share: Posterior, known: Floats, right: Floats, left: Floats, level: float, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats, Floats]:
    """Mean, variance and interval of each arm (A,), of whose posts ``left`` (A,) have no label."""
    chance, drawn = share.draws(DRAWS), rng.permuted(rho.draws(DRAWS), axis=1)
    rest = np.rint(left).clip(0).astype(np.int64)[:, None]
    others = rng.binomial(rest, np.clip(chance, 0, 1))
    total = known[:, None] + others
    value = _share(right[:, None] + rng.binomial(others, np.clip(drawn, 0, 1)), total, drawn)
    centre = rho.mean[:, None]
    expected = _share(right[:, None] + others * centre, total, np.broadcast_to(centre, total.shape))
    return expected.mean(axis=1), value.var(axis=1), *shortest(value, level)


def _own(surface: Surface, codes: Codes) -> tuple[Floats, Floats]:
    """Labelled posts of each arm in a fitted surface, and how many of them count as right."""
    own = find_rows(surface.counts_.arms, codes)
    n, c = (np.where(own >= 0, x[own], 0.0) for x in (surface.counts_.n, surface.counts_.c))
    return n, c


def _share(part: Floats, total: Floats, otherwise: Floats) -> Floats:
    return np.where(total > 0, part / np.maximum(total, 1e-12), otherwise)
