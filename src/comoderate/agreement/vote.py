"""Votes to labels: the majority with a stated rule for ties, and soft labels."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.counts import check_counts

Ties = Literal["abstain", "ordinal-median", "first", "last", "positive", "negative", "expert"]
TIES: tuple[str, ...] = ("abstain", "ordinal-median", "first", "last", "positive", "negative", "expert")

ABSTAIN = -1


def soft_labels(counts: ArrayLike) -> NDArray[np.float64]:
    """Share of an item's ratings that fell in each category.

    Args:
        counts: (n_items, n_categories), votes for each category; not negative, weights allowed.

    Returns:
        (n_items, n_categories); rows sum to 1, and are NaN where the item has no rating.

    Raises:
        ValueError: where counts are not a table of finite numbers that are not negative.
    """
    table = check_counts(counts)
    total = table.sum(axis=1, keepdims=True)
    shares = np.full(table.shape, np.nan)
    np.divide(table, total, out=shares, where=total > 0)
    return shares


def majority_vote(
    counts: ArrayLike,
    *,
    ties: Ties = "abstain",
    positive: ArrayLike | None = None,
    expert_counts: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """The category with most votes; a tie is settled by a rule that is named, never by accident.

    Rules for ties:

    - ``abstain``: no label (-1).
    - ``ordinal-median``: the median of all the item's answers, categories in their order; the lower one where the
      middle lies between two answers. "No, problematic, abusive", a vote each, becomes "problematic".
    - ``first``, ``last``: the lowest or highest of the tied categories.
    - ``positive``, ``negative``: a tied category that is (is not) among ``positive``, the lowest one; else no label.
    - ``expert``: of the tied categories the one with most ``expert_counts``; no label where those tie as well.

    Args:
        counts: (n_items, n_categories), votes for each category.
        ties: the rule.
        positive: codes of the categories that count as positive; the last one by default.
        expert_counts: (n_items, n_categories), the experts' votes; for ``ties="expert"`` only.

    Returns:
        (n_items,) codes of categories; -1 where there is no rating or the rule gives no label.

    Raises:
        ValueError: for an unknown rule, bad counts, or ``expert`` without the experts' counts.
    """
    table = check_counts(counts)
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}; got {ties!r}")
    top = table.max(axis=1, keepdims=True)
    tied = (table == top) & (top > 0)
    label = np.where(top[:, 0] > 0, tied.argmax(axis=1), ABSTAIN)
    rows = np.flatnonzero(tied.sum(axis=1) > 1)
    if rows.size:
        label[rows] = _settle(table, tied, rows, ties, positive, expert_counts)
    return label.astype(np.int64)


def _settle(
    table: NDArray[np.float64],
    tied: NDArray[np.bool_],
    rows: NDArray[np.intp],
    ties: str,
    positive: ArrayLike | None,
    expert_counts: ArrayLike | None,
) -> NDArray[np.int64]:
    """Labels of the tied rows under the rule."""
    n_categories = table.shape[1]
    if ties == "abstain":
        return np.full(rows.size, ABSTAIN, dtype=np.int64)
    if ties == "ordinal-median":
        return _lower_median(table[rows])
    if ties == "last":
        return np.asarray(n_categories - 1 - tied[rows, ::-1].argmax(axis=1), dtype=np.int64)
    if ties == "expert":
        return _expert(table.shape, tied, rows, expert_counts)
    wanted = np.ones(n_categories, dtype=bool)
    if ties in ("positive", "negative"):
        wanted[:] = ties == "negative"
        wanted[np.atleast_1d(n_categories - 1 if positive is None else positive)] = ties == "positive"
    return _lowest(tied[rows] & wanted)


def _lower_median(table: NDArray[np.float64]) -> NDArray[np.int64]:
    """The lowest category by which half of the row's votes are reached."""
    reached = 2.0 * np.cumsum(table, axis=1) >= table.sum(axis=1, keepdims=True) * (1.0 - 1e-12)
    return np.asarray(reached.argmax(axis=1), dtype=np.int64)


def _lowest(allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first category that is allowed in a row; -1 where none is."""
    return np.where(allowed.any(axis=1), allowed.argmax(axis=1), ABSTAIN).astype(np.int64)


def _expert(
    shape: tuple[int, ...], tied: NDArray[np.bool_], rows: NDArray[np.intp], expert_counts: ArrayLike | None
) -> NDArray[np.int64]:
    """The tied category that the experts prefer."""
    if expert_counts is None:
        raise ValueError("ties='expert' needs expert_counts")
    experts = check_counts(expert_counts)
    if experts.shape != shape:
        raise ValueError(f"expert_counts must have the shape of counts, {shape}; got {experts.shape}")
    votes = np.where(tied[rows], experts[rows], -1.0)
    best = votes.max(axis=1, keepdims=True)
    return _lowest((votes == best) & (best > 0) & ((votes == best).sum(axis=1, keepdims=True) == 1))
