"""The statistics once more, by loops over pairs of ratings: slow and plain."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np


def given(row: np.ndarray) -> list[float]:
    return [x for x in row if not np.isnan(x)]


def pair_agreement(row: np.ndarray) -> float:
    pairs = list(combinations(given(row), 2))
    return sum(a == b for a, b in pairs) / len(pairs)


def fleiss(ratings: np.ndarray) -> float:
    rated = [row for row in ratings if len(given(row)) >= 1]
    many = [row for row in rated if len(given(row)) >= 2]
    if not many:
        return np.nan
    observed = np.mean([pair_agreement(row) for row in many])
    values = sorted({x for row in rated for x in given(row)})
    share = [np.mean([given(row).count(v) / len(given(row)) for row in rated]) for v in values]
    chance = sum(p * p for p in share)
    return (observed - chance) / (1 - chance) if chance < 1 - 1e-12 else np.nan


def gwet(ratings: np.ndarray, categories: int) -> float:
    rated = [row for row in ratings if len(given(row)) >= 1]
    many = [row for row in rated if len(given(row)) >= 2]
    if not many:
        return np.nan
    observed = np.mean([pair_agreement(row) for row in many])
    share = [np.mean([given(row).count(v) / len(given(row)) for row in rated]) for v in range(categories)]
    chance = sum(p * (1 - p) for p in share) / (categories - 1)
    return (observed - chance) / (1 - chance)


def alpha(ratings: np.ndarray, level: str) -> float:
    units = [given(row) for row in ratings if len(given(row)) >= 2]
    pool = [x for unit in units for x in unit]
    if len(set(pool)) < 2:
        return np.nan
    between = {v: pool.count(v) for v in set(pool)}

    def distance(c: float, d: float) -> float:
        if level == "nominal":
            return float(c != d)
        if level == "interval":
            return (c - d) ** 2
        if level == "ratio":
            return ((c - d) / (c + d)) ** 2 if c + d else 0.0
        low, high = min(c, d), max(c, d)
        inside = sum(k for v, k in between.items() if low <= v <= high)
        return (inside - (between[c] + between[d]) / 2) ** 2 if c != d else 0.0

    seen = sum(distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)) / len(pool)
    chance = sum(distance(a, b) for a, b in permutations(pool, 2)) / (len(pool) * (len(pool) - 1))
    return 1 - seen / chance


def one_way_icc(ratings: np.ndarray) -> float:
    groups = [np.array(given(row)) for row in ratings if given(row)]
    sizes = np.array([len(g) for g in groups])
    n, items = sizes.sum(), len(groups)
    if items < 2 or n == items:
        return np.nan
    grand = np.concatenate(groups).mean()
    between = sum(len(g) * (g.mean() - grand) ** 2 for g in groups) / (items - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - items)
    n0 = (n - (sizes**2).sum() / n) / (items - 1)
    bottom = between + (n0 - 1) * within
    return (between - within) / bottom if bottom > 1e-12 else np.nan


def dawid_skene(
    item: np.ndarray, rater: np.ndarray, answer: np.ndarray, *, n_iter: int, smoothing: float
) -> np.ndarray:
    """Posterior after ``n_iter`` steps, with loops over annotations."""
    n, raters, q = item.max() + 1, rater.max() + 1, answer.max() + 1
    post = np.zeros((n, q))
    for i, a in zip(item, answer):
        post[i, a] += 1
    post /= post.sum(axis=1, keepdims=True)
    for _ in range(n_iter):
        prior = post.mean(axis=0)
        matrix = np.full((raters, q, q), smoothing)
        for i, r, a in zip(item, rater, answer):
            matrix[r, :, a] += post[i]
        matrix /= matrix.sum(axis=2, keepdims=True)
        post = np.tile(np.log(prior), (n, 1))
        for i, r, a in zip(item, rater, answer):
            post[i] += np.log(matrix[r, :, a])
        post = np.exp(post - post.max(axis=1, keepdims=True))
        post /= post.sum(axis=1, keepdims=True)
    return post


def flip_chance(counts: np.ndarray, ahead: np.ndarray) -> float:
    """For one item, by the majority with abstention on ties."""

    def label(votes: np.ndarray) -> int:
        top = np.flatnonzero(votes == votes.max())
        return int(top[0]) if len(top) == 1 and votes.max() > 0 else -1

    chance = 0.0
    for category, p in enumerate(ahead):
        then = counts.copy()
        then[category] += 1
        chance += p * (label(then) != label(counts))
    return chance
