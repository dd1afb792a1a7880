"""A base sample united with an enrichment, from counts to all that the estimators take."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.sampling.inclusion import union_inclusion
from comoderate.sampling.response import PostStrata, post_stratify, respondent_weights
from comoderate.sampling.two_phase import FirstPhase

Floats = NDArray[np.float64]


class DayTable(NamedTuple):
    """What is known of each day (or other stratum of the base sample).

    Attributes:
        day: (days,) names, in sorted order of time.
        total: (days,) N, posts in the population.
        in_hand: (days,) c, posts collected.
        base_drawn: (days,) b, posts in the base sample.
        enriched_rate: (days,) or one number, share of the flagged posts left in hand that the enrichment took.
        flagged_in_hand: (days,) flagged posts in hand; None where unknown, and then no post-stratification.
    """

    day: ArrayLike
    total: ArrayLike
    in_hand: ArrayLike
    base_drawn: ArrayLike
    enriched_rate: ArrayLike
    flagged_in_hand: ArrayLike | None = None


class UnionSample(NamedTuple):
    """A united sample, ready for estimation: ``hajek_mean(y, s.weight, **s.options)``.

    Attributes:
        pi: (n,) inclusion probabilities of the union.
        weight: (n,) weights of labelled posts, NaN for others.
        stratum: (n,) number of the (day, flagged) cell, after cells without labels were joined.
        first_phase: counts of the first phase for the variance.
        warnings: which cells were joined.
    """

    pi: Floats
    weight: Floats
    stratum: NDArray[np.int64]
    first_phase: FirstPhase
    warnings: tuple[str, ...]

    @property
    def options(self) -> dict[str, Any]:
        """The design, as keyword arguments of the estimators."""
        return {"stratum": self.stratum, "first_phase": self.first_phase}


def union_sample(
    day: ArrayLike, flagged: ArrayLike, labelled: ArrayLike, table: DayTable, *, stream: bool = False
) -> UnionSample:
    """Weights and design of the posts of a base sample united with an enrichment.

    Inclusion probabilities by :func:`union_inclusion`, weights raised for missing labels by :func:`respondent_weights`
    in (day, flagged) cells, then brought to the cells' totals N c_k / c by :func:`post_stratify` where the numbers of
    flagged posts in hand are known. The design counts both phases: see :class:`FirstPhase`.

    Args:
        day: (n,) day of every drawn post.
        flagged: (n,) bool, whether the classifier of the enrichment called it positive.
        labelled: (n,) bool, whether it has a label.
        table: counts a day.
        stream: whether estimates shall speak of a longer stream that the days' posts come from, not of exactly these.

    Raises:
        ValueError: a post of a day that the table lacks, unflagged posts of a day without base sample (their pi is 0),
            counts out of order.
    """
    names, chosen, has = np.asarray(table.day), np.asarray(flagged, dtype=bool), np.asarray(labelled, dtype=bool)
    total, hand, base = (np.asarray(a, dtype=np.float64) for a in (table.total, table.in_hand, table.base_drawn))
    rate = np.broadcast_to(np.asarray(table.enriched_rate, dtype=np.float64), total.shape)
    number = _lookup(names, np.asarray(day))
    negative, positive = union_inclusion(total, hand, base, rate)
    pi = np.where(chosen, positive[number], negative[number])
    cell = 2 * number + chosen
    found = respondent_weights(pi, cell, has, stratum=number, kind=chosen)
    if table.flagged_in_hand is not None:
        found = post_stratify(found.weight, cell, _known(total, hand, table.flagged_in_hand))
    stratum = np.asarray(found.cell, dtype=np.int64)
    home = stratum // 2
    drawn = None if table.flagged_in_hand is not None else base[home]
    phase = FirstPhase(home, total[home], hand[home], drawn, None if drawn is None else pi, stream)
    return UnionSample(pi, found.weight, stratum, phase, found.warnings)


def _lookup(names: NDArray[Any], day: NDArray[Any]) -> NDArray[np.int64]:
    order = np.argsort(names, kind="stable")
    place = np.minimum(np.searchsorted(names[order], day), len(names) - 1)
    number = order[place]
    if np.any(names[number] != day):
        raise ValueError(f"day {day[names[number] != day][0]} has posts in the sample but no row in the table of days")
    return np.asarray(number, dtype=np.int64)


def _known(total: Floats, hand: Floats, flagged_in_hand: ArrayLike) -> PostStrata:
    flagged = np.asarray(flagged_in_hand, dtype=np.float64)
    if np.any(flagged > hand) or np.any(flagged < 0):
        raise ValueError("flagged_in_hand must lie between 0 and in_hand")
    expand = np.divide(total, hand, out=np.zeros_like(total), where=hand > 0)
    cells = np.stack([hand - flagged, flagged], axis=1) * expand[:, None]
    return PostStrata(np.arange(cells.size), cells.ravel(), np.tile([0, 1], len(total)))
