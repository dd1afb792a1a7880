"""Checks of what users hand to the metrics: one clear line for each thing that can be wrong."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


def as_vector(values: ArrayLike, name: str, *, size: int | None = None) -> Array:
    """``values`` as a float64 vector without NaN, of length ``size`` where given; else ValueError."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {vector.shape}")
    if size is not None and len(vector) != size:
        raise ValueError(f"{name} has {len(vector)} values where {size} are needed")
    if np.isnan(vector).any():
        raise ValueError(f"{name} holds NaN; drop unlabelled or unscored posts first")
    return vector


def as_labels(y_true: ArrayLike, *, name: str = "y_true") -> Mask:
    """Labels in {0, 1} as a boolean vector (n,); anything else is a ValueError."""
    vector = as_vector(y_true, name)
    positive: Mask = np.asarray(vector == 1.0)
    if not np.all(positive | (vector == 0.0)):
        raise ValueError(f"{name} must hold 0 and 1 only; choose a cut for soft or graded labels first")
    return positive


def as_probabilities(y_proba: ArrayLike, *, size: int | None = None, name: str = "y_proba") -> Array:
    """Probabilities in [0, 1] as a float64 vector (n,); anything else is a ValueError."""
    vector = as_vector(y_proba, name, size=size)
    if len(vector) and not (vector.min() >= 0.0 and vector.max() <= 1.0):
        raise ValueError(f"{name} must lie in [0, 1], found {vector.min():g} to {vector.max():g}")
    return vector


def as_weights(sample_weight: ArrayLike | None, size: int) -> Array:
    """Weights, finite and not negative, as a float64 vector (n,); ones where none are given."""
    if sample_weight is None:
        return np.ones(size)
    vector = as_vector(sample_weight, "sample_weight", size=size)
    if len(vector) and not (vector.min() >= 0.0 and np.isfinite(vector.max())):
        raise ValueError("sample_weight must be finite and not negative")
    return vector


def as_fractions(review_fraction: ArrayLike) -> Array:
    """Review fractions in [0, 1] as a float64 vector, of length 1 for a single number."""
    fractions = np.atleast_1d(np.asarray(review_fraction, dtype=np.float64))
    if fractions.ndim != 1:
        raise ValueError(f"review_fraction must be a number or one-dimensional, got shape {fractions.shape}")
    if not np.all((fractions >= 0.0) & (fractions <= 1.0)):
        raise ValueError("review_fraction must lie in [0, 1]")
    return fractions


def as_threshold(threshold: float) -> float:
    """A threshold that is a number; ValueError for NaN."""
    value = float(threshold)
    if np.isnan(value):
        raise ValueError("threshold is NaN")
    return value


def like_fractions(values: Array, review_fraction: ArrayLike) -> Any:
    """``values`` as a float where ``review_fraction`` is a single number, else as the array."""
    return values if np.ndim(review_fraction) else float(values[0])


def ratio(numerator: Any, denominator: Any) -> Any:
    """Elementwise division that gives NaN where the denominator is not positive."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    out = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom > 0)
    return out if out.ndim else float(out)
