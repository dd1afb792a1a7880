"""Replicate weights: resampled samples as vectors of weights, for any statistic that takes weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.sampling.response import PostStrata, post_stratify, respondent_weights
from comoderate.sampling.strata import Ints, collapse_single, encode

Floats = NDArray[np.float64]
Seed = int | np.random.Generator | None


def replicate_weights(
    weight: ArrayLike,
    *,
    stratum: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    n_replicates: int = 200,
    random_state: Seed = None,
) -> Iterator[Floats]:
    """Weights of the rescaled bootstrap of a stratified sample (Rao, Wu and Yue 1992).

    In every stratum n - 1 of its n units (clusters, or posts) are drawn with replacement; a unit drawn t times has its
    weight multiplied by t n / (n - 1). Strata with one unit are joined as for the linearised variance. Clusters that
    cross strata are drawn all together, and weights are then rescaled so that each stratum keeps its sum.

    Args:
        weight: (n,) weights; NaN or 0 (no label) give 0 in every replicate.
        stratum: (n,) strata; for 1/pi weights of a base sample with enrichment, the base sample's strata.
        cluster: (n,) clusters.
        n_replicates: how many.
        random_state: seed or generator; the same seed gives the same weights.

    Yields:
        float64 (n,) weights.

    Raises:
        ValueError: negative weights or wrong lengths.
    """
    w = np.asarray(weight, dtype=np.float64)
    if w.ndim != 1 or np.any(w < 0):
        raise ValueError("weights must be one-dimensional and 0 or more (NaN for posts without a label)")
    used = np.flatnonzero(w > 0)
    if not len(used):
        yield from (np.zeros(len(w)) for _ in range(n_replicates))
        return
    pick = [None if a is None else np.asarray(a)[used] for a in (stratum, cluster)]
    factors = multiplicities(len(used), stratum=pick[0], cluster=pick[1], weight=w[used], random_state=random_state)
    for _ in range(n_replicates):
        result = np.zeros(len(w))
        result[used] = w[used] * next(factors)
        yield result


def bootstrap_weights(
    pi: ArrayLike,
    cell: ArrayLike,
    labelled: ArrayLike,
    *,
    stratum: ArrayLike | None = None,
    kind: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    known: PostStrata | None = None,
    n_replicates: int = 200,
    random_state: Seed = None,
) -> Iterator[Floats]:
    """A bootstrap that recomputes weights: drawn posts are resampled, then weights rebuilt for the labelled ones.

    Each replicate resamples the drawn posts (labelled or not) within ``stratum`` as :func:`replicate_weights` does, and
    adjusts anew for missing labels in the cells that :func:`respondent_weights` found, and to known totals where given,
    so that the noise of these steps is in the interval (of totals that were themselves estimated under a cap, only the
    linearised error with a first phase knows). Where a resample holds no labelled post of a cell, that cell's
    drawn mass is spread over its stratum.

    Args:
        pi, cell, labelled, stratum, kind: as in :func:`respondent_weights`.
        cluster: (n,) clusters.
        known: cells and totals for :func:`post_stratify`, in terms of ``cell``.
        n_replicates, random_state: as in :func:`replicate_weights`.

    Yields:
        float64 (n,) weights, 0 for posts without a label.

    Raises:
        ValueError: as :func:`respondent_weights`.
    """
    chance, has = np.asarray(pi, dtype=np.float64), np.asarray(labelled, dtype=bool)
    if not has.any():
        yield from (np.zeros(len(chance)) for _ in range(n_replicates))
        return
    base = respondent_weights(chance, cell, has, stratum=stratum, kind=kind)
    cells, strata = encode(base.cell, len(chance), name="cell"), encode(stratum, len(chance)).code
    home = np.zeros(len(cells.values), dtype=np.int64)
    home[cells.code[has]] = strata[has]
    factors = multiplicities(
        len(chance), stratum=stratum, cluster=cluster, weight=1 / chance, random_state=random_state
    )
    for _ in range(n_replicates):
        drawn = next(factors) / chance
        sums = np.bincount(cells.code, drawn, minlength=len(home))
        weight = _scale(np.where(has, drawn, 0.0), cells.code, sums)
        weight = _scale(weight, home[cells.code], np.bincount(home, sums))
        yield weight if known is None else np.nan_to_num(post_stratify(weight, cell, known).weight)


def _scale(weight: Floats, code: Ints, goal: NDArray[Any]) -> Floats:
    """Weights brought to sum to ``goal`` in every group that has any."""
    reached = np.bincount(code, weight, minlength=len(goal))
    factor = np.divide(goal, reached, out=np.zeros(len(goal)), where=reached > 0)
    return np.asarray(weight * factor[code], dtype=np.float64)


def multiplicities(
    n: int,
    *,
    stratum: ArrayLike | None,
    cluster: ArrayLike | None,
    weight: Floats,
    random_state: Seed,
) -> Iterator[Floats]:
    """Endless factors (n,) by which a resample multiplies the weights of n posts."""
    generator = np.random.default_rng(random_state)
    code = encode(stratum, n).code
    if cluster is None:
        return _within(collapse_single(code, np.bincount(code)), np.arange(n), generator)
    clusters = encode(cluster, n, name="cluster").code
    pairs = np.unique(np.stack([clusters, code]), axis=1)
    if n and pairs.shape[1] > clusters.max() + 1:
        return _crossing(code, clusters, weight, generator)
    return _within(collapse_single(pairs[1], np.bincount(pairs[1])), clusters, generator)


def _within(home: Ints, unit: Ints, generator: np.random.Generator) -> Iterator[Floats]:
    """Factors for posts whose units lie in the strata ``home`` (units,)."""
    coded = encode(home, len(home))
    order, sizes = (
        np.argsort(coded.code.astype(np.int16 if len(coded.values) < 2**15 else np.int64), kind="stable"),
        coded.counts,
    )
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    draws = np.maximum(sizes - 1, 1)
    begin, width = np.repeat(start, draws), np.repeat(sizes, draws)
    factor = np.repeat(sizes / draws, sizes)
    while True:
        hit = begin + (generator.random(len(begin)) * width).astype(np.int64)
        result = np.empty(len(home))
        result[order] = np.bincount(hit, minlength=len(home)) * factor
        yield result[unit]


def _crossing(code: Ints, clusters: Ints, weight: Floats, generator: np.random.Generator) -> Iterator[Floats]:
    """Factors for clusters that cross strata: all clusters are one pool; each stratum keeps its sum of weights."""
    goal = np.bincount(code, weight)
    for factor in _within(np.zeros(int(clusters.max()) + 1, dtype=np.int64), clusters, generator):
        reached = np.bincount(code, weight * factor, minlength=len(goal))
        yield factor * np.divide(goal, reached, out=np.zeros(len(goal)), where=reached > 0)[code]
