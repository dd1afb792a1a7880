"""Weights for the posts that were really labelled, not for those that were drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.sampling.strata import Coded, encode

Floats = NDArray[np.float64]


class Respondents(NamedTuple):
    """Weights rebuilt for labelled posts.

    Attributes:
        weight: (n,) float64; NaN for posts without a label.
        cell: (n,) the cell of each post after cells without labels were joined to others: the cell for the variance.
        warnings: what was joined, a line each; empty where nothing was.
    """

    weight: Floats
    cell: NDArray[np.generic]
    warnings: tuple[str, ...]


def respondent_weights(
    pi: ArrayLike,
    cell: ArrayLike,
    labelled: ArrayLike,
    *,
    stratum: ArrayLike | None = None,
    total: ArrayLike | None = None,
) -> Respondents:
    """Design weights 1/pi, raised within each cell for the drawn posts that got no label.

    Within a cell labels are taken to be missing at random, so each labelled post also stands for its silent
    neighbours: the factor is the sum of 1/pi over drawn posts by that over labelled ones, which is drawn / labelled
    where pi is constant. With ``total`` the weights of a cell sum to the cell's known number of posts instead
    (post-stratification; Delisle et al. 2019, eq. 18, with p(k|d) counted within days).

    A cell without a single label is joined to the cell with labels whose mean pi is nearest (the first in sorted
    order where two are equally near), among the cells of its own stratum; where the stratum has no label at all, in
    the next stratum that has some, or the last one before it. A warning says so.

    Args:
        pi: (n,) inclusion probabilities of all drawn posts, in (0, 1].
        cell: (n,) adjustment cells, for instance (day, classifier-positive).
        labelled: (n,) bool, whether a post has a label.
        stratum: (n,) strata that contain the cells, for instance days; all one stratum where None.
        total: (n,) the population's number of posts in each post's cell, for post-stratification.

    Returns:
        :class:`Respondents`. Without any label every weight is NaN and a warning says so.

    Raises:
        ValueError: wrong lengths, pi outside (0, 1], a cell that lies in two strata or has two totals.
    """
    chance, has = np.asarray(pi, dtype=np.float64), np.asarray(labelled, dtype=bool)
    if chance.ndim != 1 or chance.shape != has.shape:
        raise ValueError("pi and labelled must be one-dimensional and of the same length")
    if not np.all((chance > 0) & (chance <= 1)):
        raise ValueError("pi must lie in (0, 1]")
    cells = encode(cell, len(chance), name="cell")
    if not has.any():
        return Respondents(np.full(len(chance), np.nan), cells.values[cells.code], ("no post has a label",))
    target, warnings = _join_empty(cells, chance, has, _parent(cells, stratum))
    code = target[cells.code]
    goal = np.bincount(cells.code, 1 / chance) if total is None else _cell_totals(cells, total)
    goal = np.bincount(target, goal, minlength=len(target))
    reached = np.bincount(code[has], 1 / chance[has], minlength=len(target))
    factor = np.divide(goal, reached, out=np.zeros_like(goal), where=reached > 0)
    weight = np.where(has, factor[code] / chance, np.nan)
    return Respondents(weight, cells.values[code], warnings)


def _parent(cells: Coded, stratum: ArrayLike | None) -> NDArray[np.int64]:
    """The stratum number of every cell."""
    strata = encode(stratum, len(cells.code))
    parent = np.zeros(len(cells.values), dtype=np.int64)
    parent[cells.code] = strata.code
    if np.any(parent[cells.code] != strata.code):
        raise ValueError("a cell must lie within one stratum")
    return parent


def _cell_totals(cells: Coded, total: ArrayLike) -> Floats:
    known = np.asarray(total, dtype=np.float64)
    if known.shape != cells.code.shape or not np.all(known > 0):
        raise ValueError("total must hold a positive number for every post")
    value = np.zeros(len(cells.values))
    value[cells.code] = known
    if np.any(value[cells.code] != known):
        raise ValueError("total must be the same for all posts of a cell")
    return value


def _join_empty(
    cells: Coded, pi: Floats, has: NDArray[np.bool_], parent: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """For each cell the cell that it is joined to (itself where it has labels), and what to say about it."""
    labels = np.bincount(cells.code[has], minlength=len(cells.values))
    mean_pi = np.bincount(cells.code, pi) / cells.counts
    target = np.arange(len(cells.values))
    full, empty = np.flatnonzero(labels > 0), np.flatnonzero(labels == 0)
    homes = np.unique(parent[full])
    for one in empty:
        after = homes[homes >= parent[one]]
        home = after[0] if len(after) else homes[-1]
        inside = full[parent[full] == home]
        target[one] = inside[np.argmin(np.round(np.abs(mean_pi[inside] - mean_pi[one]), 12))]
    return target, _say(cells, target, empty)


def _say(cells: Coded, target: NDArray[np.int64], empty: NDArray[np.int64]) -> tuple[str, ...]:
    if len(empty) == 0:
        return ()
    shown = ", ".join(f"{cells.values[e]} into {cells.values[target[e]]}" for e in empty[:5])
    more = f" and {len(empty) - 5} more" if len(empty) > 5 else ""
    return (f"{len(empty)} of {len(cells.values)} cells had drawn posts but no label and were joined: {shown}{more}",)
