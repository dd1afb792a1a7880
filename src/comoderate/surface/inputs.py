"""Checks of arms and counts, one clear line each, and how rows of codes are matched."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Counts:
    """Different arms with their counts.

    Attributes:
        arms: (A, K) codes, every row once.
        n: (A,) examples labelled, perhaps fractional or weighted.
        c: (A,) of those, how many the service got right; 0 <= c <= n.
    """

    arms: Codes
    n: Floats
    c: Floats

    def labelled(self) -> Counts:
        """Only the arms that have labels."""
        keep = self.n > 0
        return Counts(self.arms[keep], self.n[keep], self.c[keep])


def as_codes(arms: ArrayLike) -> Codes:
    """(A, K) integer codes of attributes.

    Raises:
        ValueError: if the array is not two-dimensional, has no attribute, or holds anything but whole numbers.
    """
    array = np.asarray(arms)
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"arms must be an (arms, attributes) array of codes, not of shape {array.shape}")
    if array.dtype.kind not in "iu" and not (
        array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all()
    ):
        raise ValueError("arms must hold whole numbers, a code for each attribute value")
    return array.astype(np.int64)


def as_counts(arms: ArrayLike, n: ArrayLike, c: ArrayLike) -> Counts:
    """Arms and counts, checked; arms that appear twice are added up.

    Args:
        arms: (A, K) integer codes.
        n: (A,) labelled examples, >= 0, perhaps fractional.
        c: (A,) of which right, 0 <= c <= n (a rounding error of 1e-9 is forgiven).

    Raises:
        ValueError: for wrong shapes, NaN, or values outside these bounds.
    """
    codes = as_codes(arms)
    total, right = np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64)
    for name, values in (("n", total), ("c", right)):
        if values.shape != (len(codes),):
            raise ValueError(f"{name} must have one value for each of the {len(codes)} arms, not shape {values.shape}")
        if not np.isfinite(values).all() or (values < 0).any():
            raise ValueError(f"{name} must be finite and not negative")
    if (right > total * (1 + 1e-9) + 1e-9).any():
        raise ValueError("c must not be larger than n in any arm")
    different, inverse = unique_rows(codes)
    size = len(different)
    n_sum = np.bincount(inverse, weights=total, minlength=size).astype(np.float64)
    c_sum = np.bincount(inverse, weights=np.minimum(right, total), minlength=size).astype(np.float64)
    return Counts(different, n_sum, np.minimum(c_sum, n_sum))


def unique_rows(codes: Codes) -> tuple[Codes, NDArray[np.intp]]:
    """The different rows in lexical order, and for each row which of them it is; as ``numpy.unique``, but faster.

    Rows are told apart by one whole number each, as digits make up a number, if it is not too large.
    """
    if len(codes):
        low = codes.min(axis=0)
        span = [int(last) - int(first) + 1 for first, last in zip(low, codes.max(axis=0))]
        if math.prod(span) < 2**62:
            place = np.array([math.prod(span[k + 1 :]) for k in range(len(span))], dtype=np.int64)
            _, first, inverse = np.unique((codes - low) @ place, return_index=True, return_inverse=True)
            return codes[first], inverse
    different, inverse = np.unique(codes, axis=0, return_inverse=True)
    return different, inverse.reshape(-1)


def find_rows(known: Codes, asked: Codes) -> NDArray[np.intp]:
    """(A,) row of ``known`` (rows all different) that equals each row of ``asked``; -1 where there is none."""
    both, inverse = unique_rows(np.vstack([known, asked]))
    place = np.full(len(both), -1, dtype=np.intp)
    place[inverse[: len(known)]] = np.arange(len(known))
    return place[inverse[len(known) :]]
