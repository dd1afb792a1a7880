"""What the sampling design buys: a campaign drawn many times, each way of weighting beside the known truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.papers.troll_patrol.campaign import Sizes
from comoderate.papers.troll_patrol.sources import Floats
from comoderate.sampling import allocate, hajek_mean, union_inclusion

Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Table:
    """The world as the design sees it, an entry a post.

    Attributes:
        day: (n,) number of the day.
        positive: (n,) whether the filter flags the post.
        y: what is estimated, by name: (n,) in {0, 1}, NaN where raters are tied.
    """

    day: NDArray[np.int64]
    positive: Bools
    y: dict[str, Floats]


WAYS = {
    "B": "the unbiased sample alone, stratified by day",
    "B + F": "united with the filter's posts, exact inclusion probabilities",
    "B + F, eq. 17": "the same posts, weights as printed: p(k|d) normalised over days instead of classes",
    "B + F, days ignored": "the same posts, weighted by class alone",
    "B + F, unweighted": "the same posts, all weights alike",
}
"""Ways to draw and to weigh."""


def repeat(table: Table, size: Sizes, *, draws: int, seed: int) -> pd.DataFrame:
    """Every way's estimates over many draws: way, quantity, truth, bias, spread, coverage, width, n.

    Args:
        table: the world.
        size: of the campaign; each draw collects the day's capped posts anew.
        draws: how many.
        seed: of them.
    """
    rng: np.random.Generator = np.random.default_rng([seed, 51])
    rows = [row for _ in range(draws) for row in _draw(table, size, rng)]
    frame = pd.DataFrame(rows)
    frame["truth"] = frame["quantity"].map({name: float(np.nanmean(y)) for name, y in table.y.items()})
    frame["error"] = frame["value"] - frame["truth"]
    frame["covers"] = (frame["low"] <= frame["truth"]) & (frame["truth"] <= frame["high"])
    frame["width"] = frame["high"] - frame["low"]
    grouped = frame.groupby(["quantity", "way"], sort=False)
    return grouped.agg(
        truth=("truth", "first"), bias=("error", "mean"), spread=("value", "std"), coverage=("covers", "mean"),
        width=("width", "mean"), n=("n", "mean"), draws=("value", "size"),
    ).reset_index()  # fmt: skip


def _draw(table: Table, size: Sizes, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    order = rng.permutation(len(table.day))
    rank = _rank(table.day, order)
    N = np.bincount(table.day)
    hand = np.minimum(N, size.cap)
    base = allocate(N, size.base, caps=hand)
    held = rank < hand[table.day]
    in_base = rank < base[table.day]
    left = np.flatnonzero(held & ~in_base & table.positive)
    rate = min(1.0, size.enriched / max(len(left), 1))
    enriched = _by_day(table.day, left, rate, rng)
    both = np.concatenate([np.flatnonzero(in_base), enriched])
    taken = np.bincount(table.day[enriched], minlength=len(N))
    there = np.bincount(table.day[left], minlength=len(N))
    share = np.divide(taken, there, out=np.zeros(len(N)), where=there > 0)
    negative, positive = union_inclusion(N, hand, base, share)
    pi = np.where(table.positive, positive[table.day], negative[table.day])
    yield from _estimates("B", table, np.flatnonzero(in_base), (N / np.maximum(base, 1))[table.day], by_class=False)
    yield from _estimates("B + F", table, both, 1 / np.maximum(pi, 1e-12), by_class=True)
    printed = printed_weights(table.day, table.positive, held, both, N)
    yield from _estimates("B + F, eq. 17", table, both, printed, by_class=True)
    yield from _estimates("B + F, days ignored", table, both, _class_weight(table, held, both), by_class=True)
    yield from _estimates("B + F, unweighted", table, both, np.ones(len(table.day)), by_class=True)


def _rank(day: NDArray[np.int64], order: Indices) -> NDArray[np.int64]:
    """(n,) place of each post among its day's posts, in random order."""
    place = np.empty(len(day), dtype=np.int64)
    by_day = order[np.argsort(day[order], kind="stable")]
    starts = np.cumsum(np.bincount(day)) - np.bincount(day)
    place[by_day] = np.arange(len(day)) - starts[day[by_day]]
    return place


def _by_day(day: NDArray[np.int64], left: Indices, rate: float, rng: np.random.Generator) -> Indices:
    """The same share of each day's posts that are left, at random, rounded at random."""
    shuffled = rng.permutation(left)
    rank = _rank(day[shuffled], np.arange(len(shuffled))) if len(shuffled) else shuffled
    size = np.bincount(day[shuffled], minlength=int(day.max()) + 1) * rate
    quota = np.floor(size + rng.random(len(size)))
    return np.asarray(shuffled[rank < quota[day[shuffled]]], dtype=np.intp)


def printed_weights(
    day: NDArray[np.int64], positive: Bools, held: Bools, both: Indices, N: NDArray[np.int64]
) -> Floats:
    """(n,) weights by eqns 17 and 18 as printed, in which p(k|d) is normalised over days instead of classes.

    Args:
        day: (n,) number of the day.
        positive: (n,) whether the filter flags the post.
        held: (n,) whether the post is in hand.
        both: the posts drawn.
        N: (days,) posts a day.
    """
    k, days = positive.astype(int), len(N)
    counts = np.zeros((days, 2))
    np.add.at(counts, (day[held], k[held]), 1)
    world = counts / np.maximum(counts.sum(axis=0, keepdims=True), 1)
    drawn = np.zeros((days, 2))
    np.add.at(drawn, (day[both], k[both]), 1)
    given = drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1)
    of_day = drawn.sum(axis=1) / len(both)
    weight = world * (N / N.sum())[:, None] / np.maximum(given * of_day[:, None], 1e-12)
    return np.asarray(weight[day, k])


def _class_weight(table: Table, held: Bools, both: Indices) -> Floats:
    """Weights by the filter's class alone, as if all days were one."""
    k = table.positive.astype(int)
    share = np.bincount(k[held], minlength=2) / held.sum()
    drawn = np.bincount(k[both], minlength=2) / len(both)
    return np.asarray((share / np.maximum(drawn, 1e-12))[k])


def _estimates(way: str, table: Table, chosen: Indices, weight: Floats, *, by_class: bool) -> Iterator[dict[str, Any]]:
    for name, y in table.y.items():
        rows = chosen[~np.isnan(y[chosen])]
        stratum = 2 * table.day[rows] + (table.positive[rows] if by_class else 0)
        found = hajek_mean(y[rows], weight[rows], stratum=stratum)
        yield {"way": way, "quantity": name, "value": found.value, "low": found.low, "high": found.high, "n": len(rows)}
