"""Arms: combinations of attribute values, encoded from columns and counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.surface.attributes import Attribute, Category
from comoderate.surface.inputs import Codes, Floats, as_codes, unique_rows


class ArmEncoder:
    """Turn columns into codes of arms and back into words.

    Args:
        attributes: for each column the :class:`Attribute` that reads it; columns that are named nowhere are read as
            :class:`Category`.

    Attributes:
        attributes_: name to fitted attribute, in the order of the columns of the codes.
    """

    attributes_: dict[str, Attribute]

    def __init__(self, attributes: Mapping[str, Attribute] | None = None) -> None:
        self.attributes = attributes

    def fit(self, columns: Mapping[str, ArrayLike]) -> Self:
        """Learn the values of each column, all of one length; an attribute may read a column under another name.

        Raises:
            ValueError: without columns, for columns of different lengths, or an attribute whose column is missing.
        """
        _same_length(columns)
        given = dict(self.attributes or {})
        unknown = [name for name in given if name not in columns]
        if unknown:
            raise ValueError(f"there is no column {unknown[0]!r} for the attribute of that name")
        self.attributes_ = {name: given.get(name, Category()).fit(column) for name, column in columns.items()}
        return self

    def transform(self, columns: Mapping[str, ArrayLike]) -> Codes:
        """(N, K) codes of the columns that fitting saw; others are ignored.

        Raises:
            ValueError: if a column is missing or lengths differ.
        """
        wanted = {}
        for name in self.attributes_:
            if name not in columns:
                raise ValueError(f"the column {name!r} is missing")
            wanted[name] = columns[name]
        _same_length(wanted)
        return np.column_stack([a.transform(wanted[name]) for name, a in self.attributes_.items()])

    def fit_transform(self, columns: Mapping[str, ArrayLike]) -> Codes:
        """:meth:`fit`, then :meth:`transform` of the same columns."""
        return self.fit(columns).transform(columns)

    @property
    def names(self) -> list[str]:
        """Names of the attributes, in the order of codes."""
        return list(self.attributes_)

    def values(self, arm: ArrayLike) -> list[str]:
        """Names of one arm's values, for its (K,) codes."""
        codes = np.asarray(arm, dtype=np.int64)
        return [a.values_[code] for a, code in zip(self.attributes_.values(), codes)]

    def describe(self, arm: ArrayLike) -> str:
        """One arm in words: ``group women, length below 80``."""
        return ", ".join(f"{name} {value}" for name, value in zip(self.attributes_, self.values(arm)))


@dataclass(frozen=True)
class ArmTable:
    """Arms of a pool and what is known of each.

    Attributes:
        arms: (A, K) codes, every arm once, in lexical order.
        index: (N,) arm of each example.
        pool_size: (A,) examples (or their weights) in each arm.
        n: (A,) labelled examples (or weights).
        c: (A,) of which right.
    """

    arms: Codes
    index: NDArray[np.intp]
    pool_size: Floats
    n: Floats
    c: Floats


def tabulate(codes: ArrayLike, correct: ArrayLike | None = None, *, weight: ArrayLike | None = None) -> ArmTable:
    """Count examples by arm.

    Args:
        codes: (N, K) codes of examples.
        correct: (N,) 1 where the service is right, 0 where it is wrong (or a gain in [0, 1]), NaN where unlabelled;
            None if nothing is labelled.
        weight: (N,) weight of each example; 1 if None. With sampling weights, labelled weights are scaled down in
            each arm to the effective number of its labelled examples, (Σw)² / Σw², so that counts stay honest.

    Raises:
        ValueError: for wrong shapes, negative weights, or values of ``correct`` outside [0, 1].
    """
    rows = as_codes(codes)
    right = np.full(len(rows), np.nan) if correct is None else np.asarray(correct, dtype=np.float64)
    w = np.ones(len(rows)) if weight is None else np.asarray(weight, dtype=np.float64)
    if right.shape != (len(rows),) or w.shape != (len(rows),):
        raise ValueError(f"correct and weight must have one value for each of the {len(rows)} examples")
    known = np.isfinite(right)
    if np.isinf(right).any() or (right[known] < 0).any() or (right[known] > 1).any():
        raise ValueError("correct must lie in [0, 1], or be NaN where there is no label")
    if not np.isfinite(w).all() or (w < 0).any():
        raise ValueError("weights must be finite and not negative")
    arms, index = unique_rows(rows)
    total, good, square = (
        np.bincount(index[known], weights=x[known], minlength=len(arms)) for x in (w, w * np.nan_to_num(right), w * w)
    )
    effective = np.divide(total**2, square, out=np.zeros(len(arms)), where=square > 0)
    share = np.divide(good, total, out=np.zeros(len(arms)), where=total > 0)
    pool = np.bincount(index, weights=w, minlength=len(arms)).astype(np.float64)
    return ArmTable(arms, index, pool, effective, np.minimum(share * effective, effective))


def _same_length(columns: Mapping[str, ArrayLike]) -> None:
    lengths = {name: np.asarray(column, dtype=object).shape[:1] for name, column in columns.items()}
    if not lengths:
        raise ValueError("arms need at least one column of attributes")
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns must be of one length, not {lengths}")
