"""Checks of arms and counts, one clear line each, and how rows of codes are matched."""

from __future__ import annotations

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
    different, inverse = np.unique(codes, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    size = len(different)
    n_sum = np.bincount(inverse, weights=total, minlength=size).astype(np.float64)
    c_sum = np.bincount(inverse, weights=np.minimum(right, total), minlength=size).astype(np.float64)
    return Counts(different, n_sum, np.minimum(c_sum, n_sum))


def find_rows(known: Codes, asked: Codes) -> NDArray[np.intp]:
    """(A,) row of ``known`` (rows all different) that equals each row of ``asked``; -1 where there is none."""
    both, inverse = np.unique(np.vstack([known, asked]), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    place = np.full(len(both), -1, dtype=np.intp)
    place[inverse[: len(known)]] = np.arange(len(known))
    return place[inverse[len(known) :]]
