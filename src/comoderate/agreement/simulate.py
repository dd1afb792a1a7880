"""What perfect agreement and pure chance would look like beside the votes at hand."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.counts import check_counts, check_weight
from comoderate.agreement.vote import soft_labels


def simulated_counts(
    counts: ArrayLike,
    *,
    kind: Literal["perfect", "chance"],
    sample_weight: ArrayLike | None = None,
    random_state: int | np.random.Generator | None = None,
) -> NDArray[np.int64]:
    """Votes with the same numbers of ratings and shares of categories, from raters that always or never agree.

    ``perfect``: every item has one category, drawn by the shares, and all its raters choose it. ``chance``: every
    rating is drawn by the shares, whatever the item. These are the outer panels of figure 2 of Delisle et al. (2019).

    Args:
        counts: (n_items, q) whole numbers, the votes at hand.
        kind: which.
        sample_weight: (n_items,) weights of items, for the shares.
        random_state: a seed or generator.

    Returns:
        (n_items, q).

    Raises:
        ValueError: for bad counts or weights, or an unknown kind.
    """
    table = check_counts(counts)
    weight = check_weight(sample_weight, len(table))
    if kind not in ("perfect", "chance"):
        raise ValueError(f"kind must be 'perfect' or 'chance'; got {kind!r}")
    n = np.rint(table.sum(axis=1)).astype(np.int64)
    rated = n > 0 if weight is None else (n > 0) & (weight > 0)
    if not rated.any():
        return np.zeros(table.shape, dtype=np.int64)
    share = np.average(soft_labels(table[rated]), axis=0, weights=None if weight is None else weight[rated])
    rng = np.random.default_rng(random_state)
    if kind == "chance":
        return np.asarray(rng.multinomial(n, share), dtype=np.int64)
    chosen = rng.choice(table.shape[1], size=len(table), p=share)
    votes = np.zeros(table.shape, dtype=np.int64)
    votes[np.arange(len(table)), chosen] = n
    return votes
