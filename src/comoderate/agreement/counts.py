"""The forms that ratings come in, and the ways from one to another.

- *annotations*: codes of item, rater and answer, a row an annotation;
- *ratings*: (n_items, n_raters) with NaN where a rater did not rate;
- *counts*: (n_items, n_categories), how many ratings fell in each category.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.patterns import rating_patterns


def check_counts(counts: ArrayLike) -> NDArray[np.float64]:
    """Counts as a table of floats.

    Args:
        counts: (n_items, n_categories).

    Returns:
        the same numbers, float64.

    Raises:
        ValueError: unless they are a table of finite numbers, none below 0.
    """
    given = np.asarray(counts)
    table = given.astype(np.float64, copy=False)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"counts must be a table (n_items, n_categories); got shape {table.shape}")
    if table.size and not ((given.dtype.kind in "iu" or np.isfinite(table).all()) and given.min() >= 0):
        raise ValueError("counts must be finite and not negative")
    return table


def check_ratings(ratings: ArrayLike) -> NDArray[np.float64]:
    """Ratings as a table of floats, NaN where missing; whole numbers stay as they are, which is faster.

    Args:
        ratings: (n_items, n_raters); None counts as missing.

    Returns:
        the same numbers.

    Raises:
        ValueError: unless they are a table, finite where not missing.
    """
    given = np.asarray(ratings)
    table = given if given.dtype.kind in "iu" else given.astype(np.float64, copy=False)
    if table.ndim != 2:
        raise ValueError(f"ratings must be a table (n_items, n_raters); got shape {table.shape}")
    if table.dtype.kind == "f" and np.isinf(table).any():
        raise ValueError("ratings must be finite, or NaN where missing")
    return table


def check_weight(sample_weight: ArrayLike | None, n_items: int) -> NDArray[np.float64] | None:
    """Weights of items as floats; None stays None.

    Args:
        sample_weight: (n_items,) or None.
        n_items: how many there must be.

    Returns:
        the weights, float64, or None.

    Raises:
        ValueError: unless there is one finite weight an item, none below 0.
    """
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_items,):
        raise ValueError(f"sample_weight must have shape ({n_items},); got {weight.shape}")
    if weight.size and not (np.isfinite(weight).all() and weight.min() >= 0):
        raise ValueError("sample_weight must be finite and not negative")
    return weight


def check_codes(codes: ArrayLike, name: str, *, size: int | None = None) -> NDArray[np.int64]:
    """Codes as integers from 0.

    Args:
        codes: (n,) whole numbers.
        name: what to call them in an error.
        size: how many there must be, if that is known.

    Returns:
        the codes, int64.

    Raises:
        ValueError: unless they are one row of whole numbers, none below 0.
    """
    given = np.asarray(codes)
    if given.ndim != 1 or (size is not None and given.size != size):
        raise ValueError(f"{name} must be one row of codes" + ("" if size is None else f", {size} of them"))
    whole = given.astype(np.int64)
    if given.size and (not np.array_equal(whole, given) or whole.min() < 0):
        raise ValueError(f"{name} must be whole numbers from 0")
    return whole


def counts_from_ratings(ratings: ArrayLike, *, categories: ArrayLike | None = None) -> NDArray[np.int64]:
    """How many of an item's ratings fell in each category; a missing rating falls in none.

    Args:
        ratings: (n_items, n_raters), NaN where missing.
        categories: (n_categories,) the values in their order; by default those that occur, ascending.

    Returns:
        (n_items, n_categories).

    Raises:
        ValueError: for bad ratings, or a rating that is no category.
    """
    table = check_ratings(ratings)
    found = rating_patterns(table, None)
    values = categories_of(found.rows) if categories is None else np.asarray(categories, dtype=np.float64)
    rows = np.stack([(found.rows == value).sum(axis=1) for value in values], axis=1)
    if rows.sum() != np.count_nonzero(~np.isnan(found.rows)):
        raise ValueError("ratings hold a value that is not among the categories")
    if found.items is None:
        return np.asarray(rows[found.code], dtype=np.int64)
    counts = np.zeros((len(table), len(values)), dtype=np.int64)
    counts[found.items] = rows[found.code]
    return counts


def categories_of(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values that occur, ascending; 0 where none does, so that there is a category."""
    values = np.unique(table[~np.isnan(table)])
    return values if values.size else np.zeros(1)


def ratings_from_counts(counts: ArrayLike, *, categories: ArrayLike | None = None) -> NDArray[np.float64]:
    """Ratings of nobody in particular: as many columns as the fullest item has ratings, filled from the left.

    For statistics that need the ratings and not who gave them (ICC(1,1) of vote counts).

    Args:
        counts: (n_items, n_categories) whole numbers.
        categories: (n_categories,) the values of the categories; 0, 1, 2, … by default.

    Returns:
        (n_items, largest number of ratings), NaN where an item has fewer.

    Raises:
        ValueError: for counts that are not whole, or categories of another number.
    """
    table = check_counts(counts)
    if not np.array_equal(table, np.rint(table)):
        raise ValueError("counts must be whole numbers to become ratings")
    values = np.arange(table.shape[1], dtype=np.float64) if categories is None else np.asarray(categories, np.float64)
    if values.shape != (table.shape[1],):
        raise ValueError(f"categories must have shape ({table.shape[1]},); got {values.shape}")
    whole = table.astype(np.int64)
    item = np.repeat(np.arange(len(whole)), whole.sum(axis=1))
    value = np.repeat(np.broadcast_to(values, whole.shape).ravel(), whole.ravel())
    return pack_ratings(item, value, n_items=len(whole))


def pack_ratings(item: ArrayLike, value: ArrayLike, *, n_items: int | None = None) -> NDArray[np.float64]:
    """Annotations as ratings of nobody in particular, filled from the left in the order given.

    Args:
        item: (n_annotations,) codes of items.
        value: (n_annotations,) the answers' values.
        n_items: number of items; one more than the largest code by default.

    Returns:
        (n_items, largest number of ratings), NaN where an item has fewer.

    Raises:
        ValueError: for bad codes.
    """
    codes = check_codes(item, "item")
    values = np.asarray(value, dtype=np.float64)
    size = _size(codes, n_items, "item")
    order = np.argsort(codes, kind="stable")
    per_item = np.bincount(codes, minlength=size)
    place = np.arange(codes.size) - np.repeat(np.cumsum(per_item) - per_item, per_item)
    ratings = np.full((size, int(per_item.max(initial=0))), np.nan)
    ratings[codes[order], place] = values[order]
    return ratings


def counts_from_annotations(
    item: ArrayLike,
    answer: ArrayLike,
    *,
    n_items: int | None = None,
    n_categories: int | None = None,
    weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """How many annotations of an item gave each answer.

    Args:
        item: (n_annotations,) codes of items.
        answer: (n_annotations,) codes of answers.
        n_items: number of items; one more than the largest code by default.
        n_categories: number of answers; one more than the largest code by default.
        weight: (n_annotations,) what an annotation counts; 1 by default.

    Returns:
        (n_items, n_categories).

    Raises:
        ValueError: for bad codes or weights.
    """
    items = check_codes(item, "item")
    answers = check_codes(answer, "answer", size=items.size)
    rows, columns = _size(items, n_items, "item"), _size(answers, n_categories, "answer")
    weights = check_weight(weight, items.size)
    flat = np.bincount(items * columns + answers, weights=weights, minlength=rows * columns)
    return flat.reshape(rows, columns).astype(np.float64)


def ratings_from_annotations(
    item: ArrayLike,
    rater: ArrayLike,
    value: ArrayLike,
    *,
    n_items: int | None = None,
    n_raters: int | None = None,
) -> NDArray[np.float64]:
    """Annotations as a table with a column a rater; a rater's last answer on an item stands.

    Args:
        item: (n_annotations,) codes of items.
        rater: (n_annotations,) codes of raters.
        value: (n_annotations,) the answers' values.
        n_items: number of items; one more than the largest code by default.
        n_raters: number of raters; one more than the largest code by default.

    Returns:
        (n_items, n_raters), NaN where a rater did not rate.

    Raises:
        ValueError: for bad codes.
    """
    items = check_codes(item, "item")
    raters = check_codes(rater, "rater", size=items.size)
    values = np.asarray(value, dtype=np.float64)
    ratings = np.full((_size(items, n_items, "item"), _size(raters, n_raters, "rater")), np.nan)
    cell = items * ratings.shape[1] + raters
    _, last = np.unique(cell[::-1], return_index=True)
    keep = items.size - 1 - last
    ratings[items[keep], raters[keep]] = values[keep]
    return ratings


def _size(codes: NDArray[np.int64], wanted: int | None, name: str) -> int:
    """Number of codes: as given, or just enough."""
    needed = int(codes.max(initial=-1)) + 1
    if wanted is None:
        return needed
    if needed > wanted:
        raise ValueError(f"{name} holds code {needed - 1}, but there are only {wanted}")
    return wanted
