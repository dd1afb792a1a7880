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


def patterns_of(counts: NDArray[np.float64], weight: NDArray[np.float64] | None, *, whole: bool = False) -> Patterns:
    """Patterns of the items with a rating and a weight.

    Args:
        counts: (n_items, q), checked.
        weight: (n_items,) checked, or None.
        whole: the counts are known to be whole numbers, and needn't be looked at for that.
    """
    used = _rated(counts)
    if weight is not None:
        used = used & (weight > 0)
    items = None if used.all() else np.flatnonzero(used)
    table = counts if items is None else counts[items]
    kept = weight if weight is None or items is None else weight[items]
    rows, index = _unique_rows(table, whole=whole)
    return Patterns(rows, index, items, kept, len(counts))


def _rated(counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which items have a rating; column by column, which is faster than along short rows."""
    rated = np.zeros(len(counts), dtype=bool)
    for column in counts.T:
        rated |= column > 0
    return rated


def _unique_rows(table: NDArray[np.float64], *, whole: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distinct rows, and which of them each row is."""
    base, q = int(table.max(initial=0.0)) + 1, table.shape[1]
    if base**q < 2**53 and (whole or np.array_equal(table, np.rint(table))):
        key = _keys(table, base)
        if base**q <= max(4 * len(table), 1 << 16):
            return _small_keys(key, base, q)
        _, first, index = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, index = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return table[first], index.reshape(-1).astype(np.int64, copy=False)


def _keys(table: NDArray[np.float64], base: int) -> NDArray[np.int64]:
    """Rows of digits as numbers, the first digit least; exact, since they stay below 2**53.

    Not a matrix product, whose threads cost more than they bring on rows this short.
    """
    key = np.zeros(len(table))
    for column in table.T[::-1]:
        key *= base
        key += column
    return key.astype(np.int64)


def _small_keys(key: NDArray[np.int64], base: int, q: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows of digits that occur, and which of them each key is; without sorting."""
    present = np.flatnonzero(np.bincount(key, minlength=base**q))
    number = np.zeros(base**q, dtype=np.int64)
    number[present] = np.arange(present.size)
    rows = present[:, None] // base ** np.arange(q) % base
    return rows.astype(np.float64), number[key]


def rating_patterns(ratings: NDArray[np.float64], weight: NDArray[np.float64] | None) -> Patterns:
    """Patterns of rows of ratings, NaN where missing, of the items with a rating and a weight.

    Whole numbers in a small range are taken together; other ratings stay a row an item.

    Args:
        ratings: (n_items, n_raters), checked.
        weight: (n_items,) checked, or None.
    """
    gaps = ratings.dtype.kind == "f" and bool(np.isnan(ratings).any())
    used = np.full(len(ratings), not gaps and ratings.shape[1] > 0)
    if gaps:
        for column in ratings.T:
            used |= ~np.isnan(column)
    if weight is not None:
        used &= weight > 0
    items = None if used.all() else np.flatnonzero(used)
    table = ratings if items is None else ratings[items]
    kept = weight if weight is None or items is None else weight[items]
    rows, code = _unique_ratings(table, gaps=gaps)
    return Patterns(rows, code, items, kept, len(ratings))


def _unique_ratings(table: NDArray[np.float64], *, gaps: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distinct rows of ratings where they can be told apart by a small whole number, else every row."""
    values = table.astype(np.float64, copy=False)
    each = values, np.arange(len(table), dtype=np.int64)
    if table.size == 0:
        return each
    lower, upper = (np.nanmin, np.nanmax) if gaps else (np.min, np.max)
    least, most = float(lower(table)), float(upper(table))
    base, q = most - least + 2.0, table.shape[1]
    if not (base**q <= max(4 * len(table), 1 << 16) and (abs(least) + 1) * base**q < 2**52):
        return each
    if table.dtype.kind == "f" and not np.array_equal(values, np.rint(values), equal_nan=True):
        return each
    lowest = least - 1.0
    filled = np.where(np.isnan(values), lowest, values) if gaps else values
    shift = int(lowest * (base ** np.arange(q)).sum())
    digits, code = _small_keys(_keys(filled, int(base)) - shift, int(base), q)
    return np.where(digits == 0, np.nan, digits + lowest), code
