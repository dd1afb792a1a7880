"""A service, a pool of examples with known answers, and the arms that they fall into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from comoderate import surface

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """A pool whose answers are all known.

    Attributes:
        name: a word.
        what: the service and the pool, in words.
        attributes: (K) names.
        arms: (A, K) codes.
        pool_arm: (N,) arm of each example.
        correct: (N,) 1 where the service is right, else 0.
    """

    name: str
    what: str
    attributes: tuple[str, ...]
    arms: Codes
    pool_arm: NDArray[np.int64]
    correct: Floats

    @property
    def pool(self) -> Floats:
        """(A,) examples in each arm."""
        return np.bincount(self.pool_arm, minlength=len(self.arms)).astype(np.float64)

    @property
    def right(self) -> Floats:
        """(A,) of which right."""
        return np.asarray(np.bincount(self.pool_arm, weights=self.correct, minlength=len(self.arms)), dtype=np.float64)

    @property
    def truth(self) -> Floats:
        """(A,) accuracy in the pool; NaN in an arm without examples."""
        pool = self.pool
        return np.asarray(np.divide(self.right, pool, out=np.full(len(pool), np.nan), where=pool > 0))

    def counts(self, labelled: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """(A,) labelled examples and (A,) right ones."""
        arm, size = self.pool_arm[labelled], len(self.arms)
        n = np.bincount(arm, minlength=size).astype(np.float64)
        c = np.bincount(arm, weights=self.correct[labelled], minlength=size)
        return n, np.asarray(c, dtype=np.float64)


def from_frame(name: str, what: str, frame: pd.DataFrame, attributes: Sequence[str]) -> World:
    """A world from a row an example: attributes as text, and ``correct``."""
    encoder = surface.ArmEncoder({one: surface.Category(min_count=1, max_values=10_000) for one in attributes})
    codes = encoder.fit_transform({one: frame[one].to_numpy(dtype=object) for one in attributes})
    arms, arm = np.unique(codes, axis=0, return_inverse=True)
    return World(name, what, tuple(attributes), arms, arm.reshape(-1), frame["correct"].to_numpy(dtype=np.float64))


def synthetic(kind: str, *, seed: int, size: int = 20_000) -> World:
    """A surface over 576 arms of six attributes whose making is known.

    Args:
        kind: ``smooth`` (effects of values and of pairs of values), ``rough`` (the same, and noise of each arm's own)
            or ``pockets`` (high accuracy that falls on conjunctions of two or three values).
        seed: of the surface and of the pool.
        size: examples in the pool; arms have shares that differ by orders of magnitude.
    """
    rng: np.random.Generator = np.random.default_rng([seed, len(kind)])
    levels = (2, 2, 3, 4, 3, 4)
    arms = np.stack(np.meshgrid(*map(np.arange, levels), indexing="ij"), axis=-1).reshape(-1, len(levels))
    logit = _pockets(arms, levels, rng) if kind == "pockets" else _effects(arms, levels, rng, rough=kind == "rough")
    shares = [rng.dirichlet(np.ones(level)) for level in levels]
    traffic = np.prod([share[arms[:, k]] for k, share in enumerate(shares)], axis=0)
    pool_arm = rng.choice(len(arms), size, p=traffic / traffic.sum())
    correct = (rng.random(size) < expit(logit)[pool_arm]).astype(np.float64)
    what = (
        f"made up: {kind}, {len(arms)} arms of {len(levels)} attributes, {size:,} examples; each seed makes a surface "
        "and a pool of its own"
    )
    return World(kind, what, tuple(f"attribute {k + 1}" for k in range(len(levels))), arms, pool_arm, correct)


def _effects(arms: Codes, levels: Sequence[int], rng: np.random.Generator, *, rough: bool) -> Floats:
    logit = np.full(len(arms), 1.5)
    for k, level in enumerate(levels):
        logit += rng.normal(0, 0.7, level)[arms[:, k]]
    for i in range(len(levels)):
        for j in range(i):
            logit += rng.normal(0, 0.3, (levels[i], levels[j]))[arms[:, i], arms[:, j]]
    return logit + rng.normal(0, 1.0 if rough else 0.2, len(arms))


def _pockets(arms: Codes, levels: Sequence[int], rng: np.random.Generator) -> Floats:
    logit = np.full(len(arms), 2.5) + rng.normal(0, 0.2, len(arms))
    for order in (2, 2, 2, 3, 3, 3):
        chosen = rng.choice(len(levels), order, replace=False)
        held = np.all([arms[:, k] == rng.integers(levels[k]) for k in chosen], axis=0)
        logit -= 3.0 * held
    return logit
