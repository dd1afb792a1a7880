"""Codes for strata and clusters, and the rule for strata with a single unit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]


class Coded(NamedTuple):
    """Values as numbers: ``code`` (n,) points into ``values`` (sorted), ``counts`` says how often each occurs."""

    code: Ints
    values: NDArray[np.generic]
    counts: Ints


def encode(values: ArrayLike | None, n: int, *, name: str = "stratum") -> Coded:
    """Number the distinct values of an array in sorted order; without an array, everything is one value.

    Args:
        values: (n,) of anything that sorts; None for a single value.
        n: length expected.
        name: what the array is called in an error.

    Raises:
        ValueError: another length, or a missing value.
    """
    if values is None:
        return Coded(np.zeros(n, dtype=np.int64), np.zeros(1, dtype=np.int64), np.array([n], dtype=np.int64))
    array = np.asarray(values)
    if array.shape != (n,):
        raise ValueError(f"{name} must have one value a post: expected shape ({n},), got {array.shape}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"{name} must not be missing")
    if array.dtype.kind in "OU":
        return _encode_objects(array, name)
    if array.dtype.kind in "iu" and n and int(array.max()) - int(array.min()) <= 4 * n:
        return _encode_integers(array)
    found, code, count = np.unique(array, return_inverse=True, return_counts=True)
    return Coded(code.reshape(-1).astype(np.int64), found, count.astype(np.int64))


def _encode_integers(array: NDArray[Any]) -> Coded:
    """Whole numbers of a small range, counted instead of sorted."""
    low = int(array.min())
    shifted = np.subtract(array, low, dtype=np.int64)
    count = np.bincount(shifted)
    there = np.flatnonzero(count)
    if len(there) == len(count):
        return Coded(shifted, (there + low).astype(array.dtype), count.astype(np.int64))
    number = np.zeros(len(count), dtype=np.int64)
    number[there] = np.arange(len(there))
    return Coded(number[shifted], (there + low).astype(array.dtype), count[there].astype(np.int64))


def _encode_objects(array: NDArray[Any], name: str) -> Coded:
    """Texts and other objects; kinds that don't compare are sorted by their text."""
    items = array.tolist()
    distinct = set(items)
    if any(v is None or v != v for v in distinct):
        raise ValueError(f"{name} must not be missing")
    values = sorted(distinct, key=str if len({type(v) for v in distinct}) > 1 else None)
    number = {v: j for j, v in enumerate(values)}
    code = np.fromiter((number[v] for v in items), dtype=np.int64, count=len(items))
    found = np.empty(len(values), dtype=object) if array.dtype.kind == "O" else np.array(values, dtype=array.dtype)
    found[:] = values
    return Coded(code, found, np.bincount(code, minlength=len(values)).astype(np.int64))


def collapse_single(code: Ints, units: Ints) -> Ints:
    """Join strata with fewer than two units, so that each has a variance.

    Strata with one unit are joined with each other, two by two in sorted order (the last three together where their
    number is odd). A lone one joins the stratum before it, or the one after it where it is the first. Strata with no
    unit at all keep their code. Joined strata make the variance a little too large, never too small on average.

    Args:
        code: (n,) stratum numbers.
        units: (strata,) number of sampled units in each stratum.

    Returns:
        int64 (n,): the new stratum numbers.
    """
    single = np.flatnonzero(units == 1)
    if len(single) == 0:
        return code
    target = np.arange(len(units))
    if len(single) == 1:
        others = np.flatnonzero(units > 1)
        if len(others):
            before = others[others < single[0]]
            target[single[0]] = before[-1] if len(before) else others[0]
    else:
        pair = np.minimum(np.arange(len(single)) // 2, len(single) // 2 - 1)
        target[single] = single[2 * pair]
    return target[code]
