"""Attributes whose values are read out of a text: which of some terms it mentions."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.surface.attributes import Category, is_missing

NONE = "none"


class Derived(Category):
    """A category that is made from a text; rare values become "other", None becomes "missing".

    Args:
        min_count, max_values: as for :class:`Category`.
    """

    @abstractmethod
    def value(self, text: str) -> str:
        """What the text has for a value."""

    def fit(self, column: ArrayLike) -> Self:
        """Learn which values are common enough for a name."""
        return super().fit(self._values(column))

    def transform(self, column: ArrayLike) -> NDArray[np.int64]:
        """Codes of the texts' values."""
        return super().transform(self._values(column))

    def _values(self, column: ArrayLike) -> NDArray[Any]:
        texts, missing = is_missing(column)
        return np.array([None if m else self.value(str(t)) for t, m in zip(texts, missing)], dtype=object)


class Which(Derived):
    """The first of some terms that a text holds as a whole word, in any case, or "none".

    Where two terms begin at the same word the longer one is meant.

    Args:
        terms: words or phrases, at least one.
        min_count, max_values: as for :class:`Category`.
    """

    def __init__(self, terms: Sequence[str], *, min_count: int = 10, max_values: int = 50) -> None:
        super().__init__(min_count=min_count, max_values=max_values)
        if not terms:
            raise ValueError("an attribute of mentioned terms needs at least one term")
        self.terms = terms
        longest = sorted(terms, key=len, reverse=True)
        self._pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest)) + r")(?!\w)", re.IGNORECASE)
        self._name = {term.lower(): term for term in terms}

    def value(self, text: str) -> str:
        """The term, as it was given."""
        found = self._pattern.search(text)
        return NONE if found is None else self._name[found.group().lower()]
