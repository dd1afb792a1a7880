"""Kinds of attributes: how one column becomes codes of a few named values."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

MISSING = "missing"
OTHER = "other"


def is_missing(column: ArrayLike) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The column as a one-dimensional array of objects, and where it holds None or NaN."""
    values = np.asarray(column, dtype=object)
    if values.ndim != 1:
        raise ValueError(f"a column of attributes must be one-dimensional, not of shape {values.shape}")
    return values, np.array([v is None or v != v for v in values.tolist()], dtype=bool)


class Attribute(ABC):
    """One coordinate of an arm. ``fit`` learns the names of its values, ``transform`` gives codes into them.

    Attributes:
        values_: names of the values, in the order of their codes.
    """

    values_: tuple[str, ...]

    @abstractmethod
    def fit(self, column: ArrayLike) -> Self:
        """Learn the values from a column (N,)."""

    @abstractmethod
    def transform(self, column: ArrayLike) -> NDArray[np.int64]:
        """(N,) codes; every input has one, also values that fitting did not see."""


class Category(Attribute):
    """Values as they stand; rare ones become "other", None and NaN become "missing".

    Args:
        min_count: values with fewer rows are rare.
        max_values: at most so many values keep a name of their own, the commonest first.

    Unseen values are "other" too.
    """

    def __init__(self, *, min_count: int = 10, max_values: int = 50) -> None:
        self.min_count, self.max_values = min_count, max_values

    def fit(self, column: ArrayLike) -> Self:
        """Learn which values are common enough for a name."""
        values, missing = is_missing(column)
        names, counts = np.unique(np.array([str(v) for v in values[~missing]], dtype=str), return_counts=True)
        order = np.lexsort((names, -counts))
        kept = sorted(str(names[i]) for i in order[: self.max_values] if counts[i] >= self.min_count)
        kept = [name for name in kept if name not in (OTHER, MISSING)]
        self.values_ = (*kept, OTHER, MISSING)
        return self

    def transform(self, column: ArrayLike) -> NDArray[np.int64]:
        """Codes of the values."""
        values, missing = is_missing(column)
        code = {name: i for i, name in enumerate(self.values_)}
        other = code[OTHER]
        return np.array([code[MISSING] if m else code.get(str(v), other) for v, m in zip(values, missing)], np.int64)


class Binned(Attribute):
    """Numbers in bins; None and NaN become "missing".

    Args:
        bins: number of bins of about equal size, >= 1; or the inner edges, increasing.
    """

    def __init__(self, bins: int | Sequence[float] = 4) -> None:
        self.bins = bins

    def fit(self, column: ArrayLike) -> Self:
        """Learn edges from quantiles, if they are not given."""
        numbers = self._numbers(column)
        finite = numbers[np.isfinite(numbers)]
        if isinstance(self.bins, int):
            share = np.arange(1, self.bins) / self.bins
            edges = np.unique(np.quantile(finite, share)) if len(finite) and len(share) else np.array([])
            edges = edges[edges > finite.min()] if len(edges) else edges
        else:
            edges = np.asarray(self.bins, dtype=np.float64)
            if (np.diff(edges) <= 0).any():
                raise ValueError("the edges of bins must increase")
        self.edges_ = edges
        self.values_ = (*_names(edges), MISSING)
        return self

    def transform(self, column: ArrayLike) -> NDArray[np.int64]:
        """Codes of the bins; a number on an edge belongs to the bin above it."""
        numbers = self._numbers(column)
        codes = np.searchsorted(self.edges_, numbers, side="right")
        return np.where(np.isnan(numbers), len(self.values_) - 1, codes).astype(np.int64)

    def _numbers(self, column: ArrayLike) -> NDArray[np.float64]:
        values, missing = is_missing(column)
        return np.array([np.nan if m else float(v) for v, m in zip(values, missing)], dtype=np.float64)


class TextLength(Binned):
    """Number of characters of a text, in bins; None becomes "missing"."""

    def _numbers(self, column: ArrayLike) -> NDArray[np.float64]:
        values, missing = is_missing(column)
        return np.array([np.nan if m else float(len(str(v))) for v, m in zip(values, missing)], dtype=np.float64)


class Mentions(Attribute):
    """Whether a text holds one of some terms as a whole word, in any case: "yes", "no" or "missing".

    Args:
        terms: words or phrases, at least one.
    """

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = terms

    def fit(self, column: ArrayLike) -> Self:
        """Nothing is learned from the column."""
        if not self.terms:
            raise ValueError("an attribute of mentioned terms needs at least one term")
        self.values_ = ("no", "yes", MISSING)
        return self

    def transform(self, column: ArrayLike) -> NDArray[np.int64]:
        """Codes 0 for no, 1 for yes, 2 for missing."""
        values, missing = is_missing(column)
        any_term = re.compile(r"(?<!\w)(?:" + "|".join(re.escape(t) for t in self.terms) + r")(?!\w)", re.IGNORECASE)
        return np.array([2 if m else int(bool(any_term.search(str(v)))) for v, m in zip(values, missing)], np.int64)


def _names(edges: NDArray[np.float64]) -> list[str]:
    if not len(edges):
        return ["any"]
    text = [f"{e:g}" for e in edges]
    between = [f"{low} to below {high}" for low, high in pairwise(text)]
    return [f"below {text[0]}", *between, f"{text[-1]} or more"]
