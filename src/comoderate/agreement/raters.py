"""The rater view: for each rater how much, how fast, how far with the others, whether that changes, and how sure."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import ndtri

from comoderate.agreement.annotations import Annotations, check_annotations
from comoderate.agreement.counts import counts_from_annotations
from comoderate.agreement.scales import Scale, agreement_weights
from comoderate.metrics.estimate import Estimate

FEW_SHARED = 30
ENOUGH_EACH_HALF = 10


class Rater(NamedTuple):
    """One rater.

    Attributes:
        rater: the code.
        n: annotations.
        n_shared: annotations of items that others rated too.
        seconds: median time an annotation; NaN where not recorded.
        agreement: chance-corrected agreement with all others.
        drift: change of (uncorrected) agreement from the first half of the rater's shared annotations to the second.
        within: chance-corrected agreement with the raters of the same group; undefined without groups.
        across: with the raters of other groups.
    """

    rater: int
    n: int
    n_shared: int
    seconds: float
    agreement: Estimate
    drift: Estimate
    within: Estimate
    across: Estimate


def rater_view(
    item: ArrayLike,
    rater: ArrayLike,
    answer: ArrayLike,
    *,
    seconds: ArrayLike | None = None,
    order: ArrayLike | None = None,
    group: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "identity",
    level: float = 0.95,
    n_categories: int | None = None,
) -> list[Rater]:
    """Summaries of all raters, for coaching and not for ranking: every figure has its uncertainty.

    Agreement: for each annotation of an item that others rated, the share of the others who agree; its mean a over the
    rater's annotations is corrected by e = Σ w_kl p_k q_l, the rater's own shares of categories p against the others'
    mean shares q on the same items: (a − e) / (1 − e). The interval is Wilson's (1927) for a share of n_shared, which
    is wide for few posts even if all agree, carried over with e held; below 30 shared posts the reason says that
    nobody should be judged on them. Drift: difference of mean agreement between the halves in order, by Welch's t; it
    needs ten annotations in each. A falling agreement can be the posts' doing too.

    Args:
        item, rater, answer: (n_annotations,) codes from 0.
        seconds: (n_annotations,) time taken, NaN where unknown.
        order: (n_annotations,) when annotated, any number that grows; the order given by default.
        group: (n_annotations,) codes of the raters' groups.
        scale: how far two answers agree: see :func:`agreement_weights`.
        level: coverage of the intervals.
        n_categories: number of categories; just enough by default.

    Returns:
        a Rater for each code that occurs, ascending.

    Raises:
        ValueError: for bad codes, or a rater in two groups.
    """
    data = check_annotations(item, rater, answer, cohort=group, n_categories=n_categories)
    matrix = agreement_weights(data.n_categories, scale)
    time = _numbers(seconds, data.item.size, "seconds")
    when = np.arange(data.item.size, dtype=np.float64) if order is None else _numbers(order, data.item.size, "order")
    sequence = np.lexsort((when, data.rater))
    everyone = data.counts()[data.item]
    own = _own_votes(data)
    mine = _own_group(data)[data.item, data.cohort[data.rater]]
    views = {"agreement": everyone - own, "within": mine - own, "across": everyone - mine}
    found = {name: _agreement(data, others, matrix, level, sequence) for name, others in views.items()}
    counts = np.bincount(data.rater, minlength=data.n_raters)
    starts = np.cumsum(counts) - counts
    out = []
    for r in np.flatnonzero(counts):
        rows = sequence[starts[r] : starts[r] + counts[r]]
        known = time[rows][~np.isnan(time[rows])]
        with_others, drift, shared = found["agreement"][r]
        none = Estimate.undefined("no groups of raters were given", level=level)
        parts = [none if group is None else found[name][r][0] for name in ("within", "across")]
        middle = float(np.median(known)) if known.size else math.nan
        out.append(Rater(int(r), int(counts[r]), shared, middle, with_others, drift, parts[0], parts[1]))
    return out


def _numbers(values: ArrayLike | None, size: int, name: str) -> NDArray[np.float64]:
    """One number an annotation; NaN where none are given."""
    given = np.full(size, np.nan) if values is None else np.asarray(values, dtype=np.float64)
    if given.shape != (size,):
        raise ValueError(f"{name} must have shape ({size},); got {given.shape}")
    return given


def _own_votes(data: Annotations) -> NDArray[np.float64]:
    """(n_annotations, q) all votes that the annotation's rater gave its item, for raters who rated an item twice."""
    _, cell = np.unique(data.item * data.n_raters + data.rater, return_inverse=True)
    cell = cell.reshape(-1)
    return counts_from_annotations(cell, data.answer, n_categories=data.n_categories)[cell]


def _own_group(data: Annotations) -> NDArray[np.float64]:
    """(n_items, n_groups, q) votes by group."""
    cell = data.item * data.n_cohorts + data.cohort[data.rater]
    flat = counts_from_annotations(
        cell, data.answer, n_items=data.n_items * data.n_cohorts, n_categories=data.n_categories
    )
    return flat.reshape(data.n_items, data.n_cohorts, data.n_categories)


def _agreement(
    data: Annotations,
    others: NDArray[np.float64],
    matrix: NDArray[np.float64],
    level: float,
    sequence: NDArray[np.intp],
) -> list[tuple[Estimate, Estimate, int]]:
    """For each rater agreement, drift and number of shared annotations, given the others' votes (n_annotations, q)."""
    size = others.sum(axis=1)
    shared = sequence[size[sequence] > 0]
    theirs = others[shared] / size[shared, None]
    who, chosen = data.rater[shared], data.answer[shared]
    agree = (theirs @ matrix)[np.arange(shared.size), chosen]
    n = np.bincount(who, minlength=data.n_raters)
    safe = np.maximum(n, 1)
    mean = np.bincount(who, weights=agree, minlength=data.n_raters) / safe
    q = data.n_categories
    habit = np.bincount(who * q + chosen, minlength=data.n_raters * q).reshape(data.n_raters, q) / safe[:, None]
    usual = np.stack([np.bincount(who, weights=column, minlength=data.n_raters) for column in theirs.T], axis=1)
    chance = ((habit @ matrix) * (usual / safe[:, None])).sum(axis=1)
    starts = np.cumsum(n) - n
    return [
        (
            _corrected(float(mean[r]), float(chance[r]), int(n[r]), level),
            _drift(agree[starts[r] : starts[r] + n[r]], level),
            int(n[r]),
        )
        for r in range(data.n_raters)
    ]


def _corrected(agree: float, chance: float, n: int, level: float) -> Estimate:
    """Agreement beyond chance with Wilson's interval."""
    method = "agreement beyond chance, Wilson interval"
    if n == 0:
        return Estimate.undefined("shares no item with others", level=level, method=method)
    room = 1.0 - chance
    if room <= 1e-12:
        return Estimate.undefined("all answers fall in one category", level=level, method=method, n=n)
    z = float(ndtri((1 + level) / 2))
    middle = (agree + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(max(agree * (1 - agree), 0.0) / n + z * z / (4 * n * n))
    ends = [(min(max(end, 0.0), 1.0) - chance) / room for end in (middle - reach, middle + reach)]
    se = math.sqrt(max(agree * (1 - agree), 0.0) / n) / room
    few = f"only {n} posts shared with others: too few to judge anybody" if n < FEW_SHARED else None
    return Estimate((agree - chance) / room, se, ends[0], ends[1], level, method, n, float(n), few)


def _drift(agree: NDArray[np.float64], level: float) -> Estimate:
    """Change of the mean between halves of a sequence."""
    half = agree.size // 2
    method = "second half less first half, Welch interval"
    if half < ENOUGH_EACH_HALF:
        reason = f"fewer than {2 * ENOUGH_EACH_HALF} shared annotations"
        return Estimate.undefined(reason, level=level, method=method, n=agree.size)
    first, second = agree[:half], agree[half:]
    parts = [part.var(ddof=1) / part.size for part in (first, second)]
    change, variance = float(second.mean() - first.mean()), float(sum(parts))
    if variance <= 0:
        return Estimate(
            change, 0.0, change, change, level, method, agree.size, float(agree.size), "agreement is constant"
        )
    freedom = variance**2 / sum(v**2 / (part.size - 1) for v, part in zip(parts, (first, second)))
    reach = float(stats.t.ppf((1 + level) / 2, freedom)) * math.sqrt(variance)
    return Estimate(
        change, math.sqrt(variance), change - reach, change + reach, level, method, agree.size, float(agree.size)
    )
