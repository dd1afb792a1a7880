"""A synthetic year of posts with known truth and bursts, and the designs that draw from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from comoderate.sampling import DayTable, FirstPhase, allocate, poisson_pps, second_phase, union_sample


class World(NamedTuple):
    """Arrays (posts,): day, flagged (the cheap classifier), y, rare (a rare type), group, score, views, author."""

    day: np.ndarray
    flagged: np.ndarray
    y: np.ndarray
    rare: np.ndarray
    group: np.ndarray
    score: np.ndarray
    views: np.ndarray
    author: np.ndarray


class Drawn(NamedTuple):
    """Labelled posts with all that the estimators take; ``held``: the posts in hand where collection was capped."""

    index: np.ndarray
    weight: np.ndarray
    options: dict
    held: np.ndarray | None = None


def make_world(seed=0, *, days=60, mean=400, sharp=1.0):
    """Days with lognormal volumes; on burst days abuse is three times as likely. ``sharp``: how good the scores are."""
    rng = np.random.default_rng(seed)
    volume = np.maximum(rng.lognormal(np.log(mean) - 0.3, 0.8, days).astype(int), 8)
    burst = rng.random(days) < 0.1
    volume[burst] *= 4
    day = np.repeat(np.arange(days), volume)
    n = len(day)
    group = (rng.random(n) < 0.3).astype(int)
    chance = np.clip(0.05 * np.where(burst[day], 3, 1) * np.where(group == 1, 1.8, 1) * rng.gamma(0.5, 2, n), 0, 0.95)
    y = (rng.random(n) < chance).astype(float)
    rare = y * (rng.random(n) < 0.12)
    latent = sharp * (2.2 * y + 0.6 * rng.normal(size=n)) + rng.normal(size=n)
    score = 1 / (1 + np.exp(-(latent - 3.0)))
    views = rng.lognormal(3, 1, n) * np.where(y > 0, 0.7, 1)
    return World(day, (latent > 2.2).astype(int), y, rare, group, score, views, rng.integers(0, n // 4, n))


def top(u, group, quota):
    """Indices of the posts with the smallest numbers of each group: the draw as the corpus does it."""
    order = np.lexsort((u, group))
    size = np.bincount(group, minlength=len(quota))
    rank = np.arange(len(u)) - np.repeat(np.cumsum(size) - size, size)
    return order[rank < quota[group[order]]]


def collect(world, rng, cap):
    """Indices in hand after a daily cap, and N_d and c_d."""
    total = np.bincount(world.day)
    hand = np.minimum(total, cap)
    return top(rng.random(len(world.y)), world.day, hand), total, hand


def uniform_design(world, rng, n=1500, **_):
    index = rng.permutation(len(world.y))[:n]
    return Drawn(index, np.full(n, len(world.y) / n), {"pi": np.full(n, n / len(world.y))})


def stratified_design(world, rng, n=1500, cap=10**9):
    held, total, hand = collect(world, rng, cap)
    quota = allocate(total, n, caps=hand)
    index = held[top(rng.random(len(held)), world.day[held], quota)]
    day = world.day[index]
    if np.array_equal(total, hand):
        return Drawn(index, total[day] / quota[day], {"stratum": day, "pi": quota[day] / total[day]})
    options = {"stratum": day, "first_phase": FirstPhase(day, total[day], hand[day])}
    return Drawn(index, total[day] / quota[day], options, held)


def draw_union(world, rng, n, cap, rate):
    """Base and enrichment as the corpus draws them, with every count that estimation needs."""
    held, total, hand = collect(world, rng, cap)
    day, flagged, u = world.day[held], world.flagged[held], rng.random(len(held))
    base = allocate(total, n, caps=hand)
    first = top(u, day, base)
    rest = np.setdiff1d(np.flatnonzero(flagged == 1), first)
    left = np.bincount(day[rest], minlength=len(total))
    quota = np.floor(rate * left + rng.random(len(left))).astype(int)
    second = rest[top(u[rest], day[rest], quota)]
    positive_in_hand = np.bincount(day, flagged, minlength=len(total))
    return held[np.concatenate([first, second])], total, hand, base, positive_in_hand, held


def union_design(world, rng, n=1000, cap=10**9, rate=1.0, how="phases", response=1.0):
    """B and F. ``how``: 1/pi weights with days as strata ("days"), with the two phases ("phases"), or weights
    post-stratified to (day, flagged) cells ("post").
    """
    index, total, hand, base, positive, held = draw_union(world, rng, n, cap, rate)
    day, flagged = world.day[index], world.flagged[index]
    labelled = rng.random(len(index)) < response
    table = DayTable(np.arange(len(total)), total, hand, base, rate, positive if how == "post" else None)
    sample = union_sample(day, flagged, labelled, table)
    options = {"stratum": day} if how == "days" else sample.options
    return Drawn(index, sample.weight, options, held)


def poisson_design(world, rng, n=1500, by="score", **_):
    size = getattr(world, by)
    pi = poisson_pps(size, n, least=0.2 * n / len(size))
    index = np.flatnonzero(rng.random(len(pi)) < pi)
    return Drawn(index, 1 / pi[index], {"pi": pi[index]})


def expert_design(world, rng, n=1500, each=300, **_):
    """A second phase from a stratified first one, in two strata made of two classifiers' answers."""
    first = stratified_design(world, rng, n)
    index, weight = first.index, first.weight
    stratum = ((world.flagged[index] == 1) & (world.score[index] > 0.2)).astype(int)
    size = np.bincount(stratum, minlength=2)
    quota = np.minimum(size, each)
    chosen = top(rng.random(len(index)), stratum, quota)
    stratum = stratum[chosen]
    pi = second_phase(1 / weight[chosen], (quota / size)[stratum])
    whole, one = np.full(len(chosen), len(world.y)), np.zeros(len(chosen))
    return Drawn(index[chosen], 1 / pi, {"stratum": stratum, "first_phase": FirstPhase(one, whole, 0 * whole + n)})


DESIGNS: dict[str, Callable[..., Drawn]] = {
    "uniform": uniform_design,
    "stratified by day": stratified_design,
    "stratified, capped": lambda w, r: stratified_design(w, r, cap=150),
    "one or two a day": lambda w, r: stratified_design(w, r, n=150),
    "enriched, census, days": lambda w, r: union_design(w, r, how="days"),
    "enriched, census": union_design,
    "enriched, census, post-stratified": lambda w, r: union_design(w, r, how="post"),
    "enriched, sample, capped": lambda w, r: union_design(w, r, cap=150, rate=0.5),
    "enriched, sample, capped, post-stratified": lambda w, r: union_design(w, r, cap=150, rate=0.5, how="post"),
    "enriched, capped, non-response": lambda w, r: union_design(w, r, cap=150, rate=0.5, response=0.6),
    "enriched, few a cell": lambda w, r: union_design(w, r, n=150, cap=20, rate=0.5, how="post"),
    "enriched, few a cell, days": lambda w, r: union_design(w, r, n=150, cap=20, rate=0.5, how="days"),
    "Poisson by score": poisson_design,
    "Poisson by views": lambda w, r: poisson_design(w, r, by="views"),
    "second phase for experts": expert_design,
}
