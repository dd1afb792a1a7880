"""Items with the same votes, taken together: a million items have only as many patterns as votes can fall."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Patterns(NamedTuple):
    """Rows of counts without their repetitions.

    Attributes:
        rows: (n_patterns, q) counts, each with a rating.
        code: (n_rated,) which row an item has.
        items: (n_rated,) positions of the items that have a rating and a weight; None where all have.
        weight: (n_rated,) their weights; None where all weigh 1.
        n_given: number of items given, rated or not.
    """

    rows: NDArray[np.float64]
    code: NDArray[np.int64]
    items: NDArray[np.intp] | None
    weight: NDArray[np.float64] | None
    n_given: int

    @property
    def n(self) -> int:
        """Number of items with a rating and a weight."""
        return self.code.size

    def totals(self, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """(n_patterns,) sum of the weights (n_rated,) of the items with each pattern; None weighs 1."""
        return np.bincount(self.code, weights=weight, minlength=len(self.rows)).astype(np.float64)

    def of_given(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n_rated,) of weights (n_given,)."""
        return weight if self.items is None else weight[self.items]


def patterns_of(counts: NDArray[np.float64], weight: NDArray[np.float64] | None) -> Patterns:
    """Patterns of the items with a rating and a weight.

    Args:
        counts: (n_items, q), checked.
        weight: (n_items,) checked, or None.
    """
    used = _rated(counts)
    if weight is not None:
        used = used & (weight > 0)
    items = None if used.all() else np.flatnonzero(used)
    table = counts if items is None else counts[items]
    kept = weight if weight is None or items is None else weight[items]
    rows, index = _unique_rows(table)
    return Patterns(rows, index, items, kept, len(counts))


def _rated(counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which items have a rating; column by column, which is faster than along short rows."""
    rated = np.zeros(len(counts), dtype=bool)
    for column in counts.T:
        rated |= column > 0
    return rated


def _unique_rows(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distinct rows, and which of them each row is."""
    most = table.max(initial=0.0)
    base = int(most) + 1
    if base ** table.shape[1] < 2**53 and np.array_equal(table, np.rint(table)):
        key = (table @ float(base) ** np.arange(table.shape[1])).astype(np.int64)
        if base ** table.shape[1] <= max(4 * len(table), 1 << 16):
            first, index = _small_keys(key, base ** table.shape[1])
        else:
            _, first, index = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, index = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return table[first], index.reshape(-1).astype(np.int64, copy=False)


def _small_keys(key: NDArray[np.int64], n_keys: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Position of one item with each key that occurs, and the number of each item's key; without sorting."""
    somewhere = np.full(n_keys, -1, dtype=np.intp)
    somewhere[key] = np.arange(key.size)
    present = np.flatnonzero(somewhere >= 0)
    number = np.zeros(n_keys, dtype=np.int64)
    number[present] = np.arange(present.size)
    return somewhere[present], number[key]


def rating_patterns(ratings: NDArray[np.float64], weight: NDArray[np.float64] | None) -> Patterns:
    """Patterns of rows of ratings, NaN where missing, of the items with a rating and a weight.

    Whole numbers in a small range are taken together; other ratings stay a row an item.

    Args:
        ratings: (n_items, n_raters), checked.
        weight: (n_items,) checked, or None.
    """
    missing = np.isnan(ratings)
    gaps = bool(missing.any())
    used = np.ones(len(ratings), dtype=bool)
    if gaps or ratings.shape[1] == 0:
        used[:] = False
        for gone in missing.T:
            used |= ~gone
    if weight is not None:
        used &= weight > 0
    items = None if used.all() else np.flatnonzero(used)
    table = ratings if items is None else ratings[items]
    kept = weight if weight is None or items is None else weight[items]
    rows, code = _unique_ratings(table, gaps=gaps)
    return Patterns(rows, code, items, kept, len(ratings))


def _unique_ratings(table: NDArray[np.float64], *, gaps: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distinct rows of ratings where they can be told apart by a small whole number, else every row."""
    each = table, np.arange(len(table), dtype=np.int64)
    if table.size == 0:
        return each
    least, most = (float(np.fmin.reduce(table, axis=None)), float(np.fmax.reduce(table, axis=None)))
    base = most - least + 2.0
    if not (base ** table.shape[1] <= max(4 * len(table), 1 << 16) and least == np.rint(least)):
        return each
    key = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        filled = np.where(np.isnan(column), least - 1.0, column) if gaps else column
        step = filled.astype(np.int64)
        if not (step == filled).all():
            return each
        key *= int(base)
        key += step
        key -= int(least) - 1
    first, code = _small_keys(key, int(base ** table.shape[1]))
    return table[first], code
