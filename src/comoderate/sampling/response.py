"""Weights for the posts that were really labelled, not for those that were drawn."""

from __future__ import annotations

from typing import Any, NamedTuple

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
    kind: ArrayLike | None = None,
) -> Respondents:
    """Design weights 1/pi, raised within each cell for the drawn posts that got no label.

    Within a cell labels are taken to be missing at random, so each labelled post also stands for its silent
    neighbours: the factor is the sum of 1/pi over drawn posts by that over labelled ones, which is drawn / labelled
    where pi is constant.

    A cell without a single label is joined to a cell with labels, with a warning: one of its own kind (where ``kind``
    is given and any has labels); of those, one whose mean pi is nearest, counted in steps of a quarter; of those, the
    one of the nearest stratum in sorted order, the later of two.

    Args:
        pi: (n,) inclusion probabilities of all drawn posts, in (0, 1].
        cell: (n,) adjustment cells, for instance (day, classifier-positive).
        labelled: (n,) bool, whether a post has a label.
        stratum: (n,) strata that contain the cells, for instance days; all one stratum where None.
        kind: (n,) what makes cells of different strata alike, for instance classifier-positive.

    Returns:
        :class:`Respondents`. Without any label every weight is NaN and a warning says so.

    Raises:
        ValueError: wrong lengths, pi outside (0, 1], a cell that lies in two strata or is of two kinds.
    """
    chance, has = np.asarray(pi, dtype=np.float64), np.asarray(labelled, dtype=bool)
    if chance.ndim != 1 or chance.shape != has.shape:
        raise ValueError("pi and labelled must be one-dimensional and of the same length")
    if not np.all((chance > 0) & (chance <= 1)):
        raise ValueError("pi must lie in (0, 1]")
    cells = encode(cell, len(chance), name="cell")
    if not has.any():
        return Respondents(np.full(len(chance), np.nan), cells.values[cells.code], ("no post has a label",))
    labels = np.bincount(cells.code[has], minlength=len(cells.values))
    steps = np.log(np.bincount(cells.code, chance) / cells.counts) / np.log(1.25)
    target = nearest_full(
        labels > 0, _of_cells(cells, kind, "be of one kind"), steps, _of_cells(cells, stratum, "lie within one stratum")
    )
    code = target[cells.code]
    goal = np.bincount(code, 1 / chance, minlength=len(target))
    reached = np.bincount(code[has], 1 / chance[has], minlength=len(target))
    factor = np.divide(goal, reached, out=np.zeros_like(goal), where=reached > 0)
    weight = np.where(has, factor[code] / chance, np.nan)
    return Respondents(weight, cells.values[code], _say(cells.values, target, np.flatnonzero(labels == 0)))


class PostStrata(NamedTuple):
    """The population's cells with known numbers of posts, in an order in which neighbours are alike (by day).

    Attributes:
        cell: (cells,) names, all that occur in the population, drawn or not.
        total: (cells,) posts in the population: N_dk, or N_d c_dk / c_d where a cap left c_d posts in hand.
        kind: (cells,) what makes cells of different days alike (classifier-positive), or None.
    """

    cell: ArrayLike
    total: ArrayLike
    kind: ArrayLike | None = None


def post_stratify(weight: ArrayLike, cell: ArrayLike, known: PostStrata) -> Respondents:
    """Weights scaled so that each cell sums to its known number of posts (Delisle et al. 2019, eq. 18, done rightly).

    The paper's weights p(k|d) p(d) / p_A(k, d) are these, once p(k|d) is counted within each day. A cell of the
    population without labelled posts is joined to the nearest cell in the table that has some, of its own kind where
    one exists (the later of two equally near), with a warning.

    Args:
        weight: (n,) weights within cells, in any scale; NaN for posts without a label.
        cell: (n,) cell of each post.
        known: the population's cells and totals.

    Returns:
        :class:`Respondents`; ``cell`` is the joined cell, right as strata of the variance where no cap was in force.

    Raises:
        ValueError: a post in a cell that the table lacks, a cell twice in the table, negative totals or weights.
    """
    w, names, total = np.asarray(weight, dtype=np.float64), np.asarray(known.cell), np.asarray(known.total, np.float64)
    order = np.argsort(names, kind="stable")
    if len(np.unique(names)) < len(names) or total.shape != names.shape or not np.all(total >= 0):
        raise ValueError("the table must name each cell once, with a total of 0 or more")
    if np.any(w < 0):
        raise ValueError("weights must be 0 or more")
    position = np.minimum(np.searchsorted(names[order], np.asarray(cell)), len(names) - 1)
    code = order[position]
    if np.any(names[code] != np.asarray(cell)):
        raise ValueError("some posts lie in a cell that the table of totals lacks")
    reached = np.bincount(code, np.nan_to_num(w), minlength=len(names))
    if not reached.any():
        return Respondents(np.full(len(w), np.nan), names[code], ("no post has a label",))
    kinds = encode(known.kind, len(names), name="kind").code
    target = nearest_full(reached > 0, kinds, np.zeros(len(names)), np.arange(len(names)))
    goal = np.bincount(target, total, minlength=len(names))
    factor = np.divide(goal, reached, out=np.zeros_like(goal), where=reached > 0)
    empty = np.flatnonzero((reached == 0) & (total > 0))
    return Respondents(w * factor[target[code]], names[target[code]], _say(names, target, empty))


def nearest_full(
    full: NDArray[np.bool_], kind: NDArray[np.int64], steps: Floats, place: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each cell itself where it is full, else the full cell most like it: kind, then steps, then place."""
    target, homes = np.arange(len(full)), np.flatnonzero(full)
    for one in np.flatnonzero(~full):
        apart = np.floor(np.abs(steps[homes] - steps[one]) + 1e-9)
        away = place[homes] - place[one]
        rank = np.lexsort((away < 0, np.abs(away), apart, kind[homes] != kind[one]))
        target[one] = homes[rank[0]]
    return target


def _of_cells(cells: Coded, values: ArrayLike | None, must: str) -> NDArray[np.int64]:
    """The stratum (or kind) number of every cell."""
    coded = encode(values, len(cells.code))
    own = np.zeros(len(cells.values), dtype=np.int64)
    own[cells.code] = coded.code
    if np.any(own[cells.code] != coded.code):
        raise ValueError(f"a cell must {must}")
    return own


def _say(names: NDArray[Any], target: NDArray[np.int64], empty: NDArray[np.int64]) -> tuple[str, ...]:
    if len(empty) == 0:
        return ()
    shown = ", ".join(f"{names[e]} into {names[target[e]]}" for e in empty[:5])
    more = f" and {len(empty) - 5} more" if len(empty) > 5 else ""
    return (f"{len(empty)} of {len(names)} cells have posts but no label and were joined: {shown}{more}",)
