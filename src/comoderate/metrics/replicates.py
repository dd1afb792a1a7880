"""Poisson bootstrap weights: the stream of weight vectors that every interval here is made from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, as_weights

Seed = int | np.random.Generator | None


def poisson_replicates(
    n_or_weight: int | ArrayLike,
    n_replicates: int,
    *,
    cluster: ArrayLike | None = None,
    random_state: Seed = None,
) -> Iterator[Array]:
    """Weight vectors of a Poisson bootstrap: each post (or cluster) is taken Poisson(1) times.

    Args:
        n_or_weight: number of posts, or their weights (n,), which the draws multiply.
        n_replicates: how many vectors to give.
        cluster: (n,) codes of groups that are drawn as a whole; any values that can be told apart.
        random_state: a seed or generator; the same seed gives the same stream.

    Yields:
        float64 vectors (n,).

    Source: Hanley and MacGibbon (2006), Creating non-parametric bootstrap samples using Poisson frequencies.
    """
    if isinstance(n_or_weight, (int, np.integer)):
        weight, size = None, int(n_or_weight)
    else:
        weight = as_weights(n_or_weight, np.size(n_or_weight))
        size = len(weight)
    rng = np.random.default_rng(random_state)
    groups = None if cluster is None else _codes(cluster, size)
    for _ in range(n_replicates):
        draws = rng.poisson(1.0, size) if groups is None else rng.poisson(1.0, int(groups.max(initial=-1)) + 1)[groups]
        yield draws * weight if weight is not None else draws.astype(np.float64)


def _codes(cluster: ArrayLike, size: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    values = np.asarray(cluster)
    if values.shape != (size,):
        raise ValueError(f"cluster has shape {values.shape} where ({size},) is needed")
    codes: np.ndarray[tuple[int], np.dtype[np.int64]] = np.unique(values, return_inverse=True)[1]
    return codes
