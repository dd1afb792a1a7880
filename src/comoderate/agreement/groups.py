"""Agreement within and across groups of raters: do the groups disagree with each other, or only with themselves?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.annotations import check_annotations
from comoderate.agreement.intervals import Adjusted, Statistic, interval_of
from comoderate.agreement.kappa import ONE_CLASS, corrected, fleiss_kappa
from comoderate.agreement.kappa import Observed as Seen
from comoderate.agreement.patterns import Patterns
from comoderate.agreement.scales import Scale, agreement_weights
from comoderate.metrics.estimate import Estimate

NOTHING_SHARED = "no item was rated by both groups"


class GroupPair(NamedTuple):
    """Chance-corrected agreement of two groups of raters; of one group with itself where both are the same."""

    group: int
    other: int
    kappa: Estimate


def group_agreement(
    item: ArrayLike,
    rater: ArrayLike,
    answer: ArrayLike,
    group: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "identity",
    level: float = 0.95,
    n_categories: int | None = None,
) -> list[GroupPair]:
    """Fleiss' κ within every group of raters, and its like across every two groups.

    Across groups, agreement is the mean over items that both rated of the share of pairs, one rater of each group, that
    agree; chance is Σ w_kl p_gk p_hl with the groups' own shares of categories on these items. Across much below
    within says that the groups read the question differently. Vanbelle and Albert (2009), *Psychometrika* 74:477.

    Args:
        item, rater, answer: (n_annotations,) codes from 0.
        group: (n_annotations,) codes of the raters' groups.
        sample_weight: (n_items,) weights of items; 1 by default.
        scale: how far two categories agree: see :func:`agreement_weights`.
        level: coverage of the intervals.
        n_categories: number of categories; just enough by default.

    Returns:
        a GroupPair each, (0, 0), (0, 1), …; NaN with a reason where undefined.

    Raises:
        ValueError: for bad codes or weights, or a rater in two groups.
    """
    data = check_annotations(item, rater, answer, cohort=group, sample_weight=sample_weight, n_categories=n_categories)
    matrix = agreement_weights(data.n_categories, scale)
    counts = [data.counts_of((g,)) for g in range(data.n_cohorts)]
    weight = None if sample_weight is None else data.weight
    found = []
    for g in range(data.n_cohorts):
        own = fleiss_kappa(counts[g], sample_weight=weight, scale=matrix, level=level)
        others = range(g + 1, data.n_cohorts)
        pairs = [(h, across_kappa(counts[g], counts[h], weight=weight, scale=matrix, level=level)) for h in others]
        found += [GroupPair(g, h, kappa) for h, kappa in [(g, own), *pairs]]
    return found


def across_kappa(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    *,
    weight: NDArray[np.float64] | None = None,
    scale: NDArray[np.float64],
    level: float = 0.95,
) -> Estimate:
    """Chance-corrected agreement of two groups of raters from their counts.

    Args:
        first, second: (n_items, q) counts of either group.
        weight: (n_items,) weights of items, or None.
        scale: (q, q) agreement of categories.
        level: coverage of the interval.

    Returns:
        Estimate; NaN with a reason where no item was rated by both, or chance agreement is certain.
    """
    both = (first.sum(axis=1) > 0) & (second.sum(axis=1) > 0)
    if weight is not None:
        both &= weight > 0
    if not both.any():
        return Estimate.undefined(NOTHING_SHARED, level=level, method="kappa across groups")
    items, q = np.flatnonzero(both), first.shape[1]
    rows = np.hstack([_shares(first[items]), _shares(second[items])])
    each = Patterns(rows, np.arange(items.size), items, None if weight is None else weight[items], len(first))

    def statistic(table: NDArray[np.float64], totals: NDArray[np.float64]) -> Statistic:
        one, two = table[:, :q], table[:, q:]
        total = float(totals.sum())
        agree = ((one @ scale) * two).sum(axis=1)
        p, r = totals @ one / total, totals @ two / total
        seen = float(totals @ agree) / total
        chance = float(p @ scale @ r)
        d_chance = one @ (scale @ r) + two @ (scale @ p) - 2.0 * chance
        return corrected(Seen(seen, p, agree - seen, one), chance, d_chance, reason=ONE_CLASS)

    def adjusted(totals: NDArray[np.float64]) -> Adjusted:
        extra = _invented(rows, q)
        table = np.vstack([rows, extra])
        return Adjusted(lambda totals: statistic(table, totals), len(extra))

    return interval_of(
        lambda totals: statistic(rows, totals), each, level=level, adjusted=adjusted, method="kappa across groups"
    )


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows that sum to 1."""
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _invented(rows: NDArray[np.float64], q: int) -> NDArray[np.float64]:
    """Items on which the groups agree on a category, and on which one chooses it and the other the commonest."""
    unit = np.eye(q)
    commonest = int((rows[:, :q] + rows[:, q:]).sum(axis=0).argmax())
    usual = np.broadcast_to(unit[commonest], (q, q))
    half = np.hstack([(unit + usual) / 2, (unit + usual) / 2])
    return np.vstack([np.hstack([unit, unit]), np.delete(half, commonest, axis=0)])
