"""Small steps that several displays share: checking, thinning, naming, estimates from frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


def floats(values: ArrayLike, name: str, *, size: int | None = None) -> Floats:
    """``values`` as a one-dimensional float array of ``size`` entries.

    Raises:
        ValueError: another number of dimensions or entries.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    if size is not None and len(array) != size:
        raise ValueError(f"{name} has {len(array)} entries, but {size} are needed")
    return array


def or_nan(values: ArrayLike | None, name: str, size: int) -> Floats:
    """``values`` as :func:`floats`, or NaN everywhere where there are none."""
    return np.full(size, np.nan) if values is None else floats(values, name, size=size)


def column(frame: pd.DataFrame, name: str) -> Floats:
    """A column of a frame as floats, NaN where missing."""
    return np.asarray(frame[name].to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def varying(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Those of ``names`` that are columns with more than one value: what a label needs to say."""
    return [name for name in names if name in frame and frame[name].nunique(dropna=False) > 1]


def distinguishing(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """As :func:`varying`, without columns that those before them, in reverse order of ``names``, already settle.

    Where each sample has one cohort and each cohort one sample, the later name is enough.
    """
    kept = varying(frame, names)
    for name in list(kept):
        rest = [other for other in kept if other != name]
        if rest and len(frame[rest].drop_duplicates()) == len(frame[kept].drop_duplicates()):
            kept = rest
    return kept


def labels(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """A label a row, from the columns ``names``; the first word of an unvarying frame where there are none."""
    parts = [frame[name].astype(str).tolist() for name in names]
    return [", ".join(row) for row in zip(*parts)] if parts else [""] * len(frame)


def unique(values: Sequence[Any]) -> list[Any]:
    """The distinct values, in order of first appearance."""
    return list(dict.fromkeys(values))


def gaps(dates: NDArray[np.datetime64]) -> NDArray[np.intp]:
    """Where sorted dates jump by more than one and a half of their usual (median) step: positions of the later ones."""
    steps = np.diff(dates).astype(np.float64)
    return np.flatnonzero(steps > 1.5 * np.median(steps)) + 1 if len(steps) else np.empty(0, dtype=np.intp)


def thin(x: Floats, y: Floats, *, grid: int = 500) -> tuple[Floats, Floats]:
    """The curve without points that fall on the same place as the one before, on a grid over its range.

    A curve of a million thresholds then has as many points as can be seen. First and last point stay.
    """
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    if len(x) <= 2:
        return x, y
    span = [max(float(np.ptp(v)), 1e-12) for v in (x, y)]
    place = np.stack([np.round((v - v.min()) / s * grid) for v, s in zip((x, y), span)])
    keep = np.r_[True, np.any(place[:, 1:] != place[:, :-1], axis=0)]
    keep[-1] = True
    return x[keep], y[keep]
