"""Rates among the posts of one class, such as false-positive rates, for a finite pool whose classes are unknown.

:func:`predict_decided` is for a scorer whose decision on every post of the pool is known, :func:`predict_class` for one
whose decisions are known of labelled posts only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from comoderate.surface.base import DRAWS, Prediction, Surface, chunks
from comoderate.surface.inputs import Floats, as_codes
from comoderate.surface.posterior import Posterior, nearest


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
    (_, labelled, _), (_, known, right) = share.own_counts(codes), rate.own_counts(codes)
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


def predict_decided(
    member: Surface, arms: ArrayLike, *, pool_size: ArrayLike, level: float = 0.95, random_state: int = 0
) -> Prediction:
    """The share of what is decided right among those posts of a finite pool that belong to a class.

    What is decided is known of every post, and of a post of the class also whether that is right. Unknown is only which
    of the unlabelled posts belong to the class. ``member`` says so by arm and decision, from all labels: of a class
    that is flagged seldom, the posts that were not flagged tell most. The rate is then right members over all members.

    Args:
        member: fitted to arms with one attribute more, the last: 1 where what is decided would be right in the class,
            0 where it would be wrong; to labelled posts, how many there are and how many of them belong to the class.
        arms: (A, K) arms without that attribute.
        pool_size: (A, 2) posts of the pool that would be wrong and right in the class, labelled ones included.
        level: coverage of the intervals, in (0, 1).
        random_state: of the draws.

    Raises:
        ValueError: for shapes that don't fit, an arm without a post, a pool smaller than its labelled part, or a bad
            level.
    """
    codes, pool = as_codes(arms), np.asarray(pool_size, dtype=np.float64)
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    if pool.shape != (len(codes), 2) or not np.isfinite(pool).all() or not (pool.sum(axis=1) > 0).all():
        raise ValueError(f"pool_size must have two finite values, not both 0, for each of the {len(codes)} arms")
    cells = [np.column_stack([codes, np.full(len(codes), side)]) for side in (0, 1)]
    counts = [member.own_counts(cell)[1:] for cell in cells]
    if any((pool[:, side] < counts[side][0] - 1e-6).any() for side in (0, 1)):
        raise ValueError("pool_size must count the labelled posts too: it is smaller than their number in some arm")
    rng: np.random.Generator = np.random.default_rng(random_state)
    parts = []
    for s in chunks(len(codes)):
        wrong, right = (
            _members(member.posterior(cells[side][s]), counts[side][0][s], counts[side][1][s], pool[s, side], rng)
            for side in (0, 1)
        )
        value = _share(right[0], wrong[0] + right[0], right[1] / (wrong[1] + right[1]))
        parts.append((value.mean(axis=1), value.var(axis=1), *nearest(value, level)))
    mean, variance, low, high = (np.concatenate(column) for column in zip(*parts))
    known = counts[0][1] + counts[1][1]
    return Prediction(mean, variance, np.minimum(low, mean), np.maximum(high, mean), level, known)


def _members(
    chance: Posterior, labelled: Floats, known: Floats, pool: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(A, S) drawn numbers of posts of the class, and those to expect of a pool of which nothing is known."""
    drawn = rng.permuted(np.clip(chance.draws(DRAWS), 1e-9, 1.0), axis=1)
    rest = np.rint(pool - labelled).clip(0).astype(np.int64)[:, None]
    return known[:, None] + rng.binomial(rest, drawn), pool[:, None] * drawn


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
    return expected.mean(axis=1), value.var(axis=1), *nearest(value, level)


def _share(part: Floats, total: Floats, otherwise: Floats) -> Floats:
    return np.where(total > 0, part / np.maximum(total, 1e-12), otherwise)
