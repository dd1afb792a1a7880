"""How many more labels: the chance that one more rating changes a post's label, and the posts worth another look."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.counts import check_counts, check_weight
from comoderate.agreement.kappa import fleiss_kappa
from comoderate.agreement.vote import Ties, majority_vote

LARGEST_CONCENTRATION = 1000.0


def flip_chance(
    counts: ArrayLike,
    *,
    ties: Ties = "abstain",
    positive: ArrayLike | None = None,
    concentration: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Chance that one more rating changes the majority's label; losing or gaining a label is a change too.

    Every post has its own distribution of answers, drawn from a Dirichlet distribution with the shares p_c of all
    posts and concentration A; the next answer is c with chance (n_c + A p_c) / (n + A). A = (1 − κ) / κ, since in this
    model the correlation of two ratings of a post is 1 / (1 + A), and κ estimates it. (Dirichlet-multinomial; Brier
    1980, *Biometrika* 67:591.)

    Args:
        counts: (n_items, q), ratings in each category.
        ties: the rule for ties, as :func:`majority_vote`; ``expert`` isn't possible.
        positive: as there.
        concentration: A; from κ by default, at most 1000 (which it is where κ is not positive or undefined).
        sample_weight: (n_items,) weights of items, for p_c and κ.

    Returns:
        (n_items,) in [0, 1]; 1 for posts without a rating, unless the rule abstains on what would come.

    Raises:
        ValueError: for bad counts or weights, or the rule ``expert``.
    """
    table = check_counts(counts)
    if ties == "expert":
        raise ValueError("the chance of a flip cannot follow ties='expert'; choose another rule")
    share = _shares(table, check_weight(sample_weight, len(table)))
    if concentration is None:
        concentration = concentration_of(fleiss_kappa(table, sample_weight=sample_weight).value)
    ahead = table + concentration * share
    ahead /= ahead.sum(axis=1, keepdims=True)
    now = majority_vote(table, ties=ties, positive=positive)
    chance = np.zeros(len(table))
    for category in range(table.shape[1]):
        then = table.copy()
        then[:, category] += 1
        chance += ahead[:, category] * (majority_vote(then, ties=ties, positive=positive) != now)
    return np.clip(chance, 0.0, 1.0)


def concentration_of(kappa: float) -> float:
    """A = (1 − κ) / κ, held to at most 1000; NaN and κ <= 0 give 1000: all posts alike."""
    if math.isnan(kappa) or kappa <= 0:
        return LARGEST_CONCENTRATION
    return min(max((1.0 - kappa) / kappa, 1e-6), LARGEST_CONCENTRATION)


def _shares(table: NDArray[np.float64], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """p_c over rated items; alike where nothing is rated."""
    ratings = table.sum(axis=1)
    rated = ratings > 0 if weight is None else (ratings > 0) & (weight > 0)
    if not rated.any():
        return np.full(table.shape[1], 1.0 / table.shape[1])
    own = table[rated] / ratings[rated, None]
    return np.asarray(np.average(own, axis=0, weights=None if weight is None else weight[rated]))


def posterior_flip_chance(probas: ArrayLike, confusion: ArrayLike) -> NDArray[np.float64]:
    """Chance that one more rating changes the likeliest category of an aggregation's posterior.

    The next rater answers a with chance Σ_t q_t π[t, a]; then q_t becomes proportional to q_t π[t, a].

    Args:
        probas: (n_items, q), q_t; NaN rows where nothing is known.
        confusion: (q, q), π[truth, answer] of the rater who would come next, such as a cohort's matrix.

    Returns:
        (n_items,) in [0, 1]; 1 for NaN rows.

    Raises:
        ValueError: for shapes that do not fit.
    """
    now, matrix = np.asarray(probas, dtype=np.float64), np.asarray(confusion, dtype=np.float64)
    if now.ndim != 2 or matrix.shape != (now.shape[1], now.shape[1]):
        raise ValueError(f"confusion must be square with a row for each of the categories; got {matrix.shape}")
    unknown = np.isnan(now).any(axis=1)
    filled = np.nan_to_num(now, nan=0.0)
    label = filled.argmax(axis=1)
    chance = np.zeros(len(now))
    for answer in matrix.T:
        joint = filled * answer
        chance += joint.sum(axis=1) * (joint.argmax(axis=1) != label)
    return np.where(unknown, 1.0, np.clip(chance, 0.0, 1.0))


def relabel_order(
    chance: ArrayLike, *, n_ratings: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Positions of posts, those whose relabelling is worth most first: largest chance of a flip times weight.

    Args:
        chance: (n_items,) from :func:`flip_chance` or :func:`posterior_flip_chance`.
        n_ratings: (n_items,) ratings so far; among equals, fewer come first.
        sample_weight: (n_items,) how much a post counts in the estimates; 1 by default.

    Returns:
        (n_items,) positions.

    Raises:
        ValueError: for bad weights.
    """
    worth = np.asarray(chance, dtype=np.float64)
    weight = check_weight(sample_weight, worth.size)
    worth = worth if weight is None else worth * weight
    ratings = np.zeros(worth.size) if n_ratings is None else np.asarray(n_ratings, dtype=np.float64)
    return np.lexsort((np.arange(worth.size), ratings, -worth)).astype(np.int64)
