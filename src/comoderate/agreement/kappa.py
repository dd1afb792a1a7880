"""Fleiss' kappa: agreement of many raters beyond what their shared habits would give by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.adjust import doubt, invented_counts
from comoderate.agreement.counts import check_counts, check_weight
from comoderate.agreement.intervals import Adjusted, Interval, Statistic, interval_of
from comoderate.agreement.patterns import Patterns, patterns_of
from comoderate.agreement.scales import Scale, agreement_weights
from comoderate.metrics.estimate import Estimate

ONE_RATING = "no item has two ratings"
ONE_CLASS = "all ratings fall in one category, so agreement by chance is certain"


class Observed(NamedTuple):
    """What every chance-corrected coefficient of counts starts from, by pattern of votes.

    Attributes:
        agreement: p_a, the mean over items with two ratings or more of the share of pairs that agree.
        share: (q,) p_c, the mean over items of the share of ratings in each category.
        d_agreement: (n_patterns,) influence of an item on p_a.
        shares: (n_patterns, q) share of an item's ratings in each category.
    """

    agreement: float
    share: NDArray[np.float64]
    d_agreement: NDArray[np.float64]
    shares: NDArray[np.float64]


def observed(rows: NDArray[np.float64], weight: NDArray[np.float64], scale: NDArray[np.float64]) -> Observed | None:
    """Observed agreement and shares of categories; None where no item with weight has two ratings.

    Args:
        rows: (n_patterns, q) votes, each row with a rating.
        weight: (n_patterns,) total weight of the items with this pattern.
        scale: (q, q) agreement of categories.
    """
    ratings = rows.sum(axis=1)
    many = ratings >= 2
    total, paired = weight.sum(), weight[many].sum()
    if not paired > 0:
        return None
    pairs = np.where(many, ratings * (ratings - 1), 1.0)
    agree = (rows * (rows @ scale - 1.0)).sum(axis=1) / pairs
    value = float(weight[many] @ agree[many] / paired)
    shares = rows / ratings[:, None]
    influence = np.where(many, (agree - value) * (total / paired), 0.0)
    return Observed(value, weight @ shares / total, influence, shares)


def corrected(seen: Observed, chance: float, d_chance: NDArray[np.float64], *, reason: str = ONE_CLASS) -> Statistic:
    """(p_a − p_e) / (1 − p_e) with the influence of each pattern, by the delta method."""
    room = 1.0 - chance
    if room <= 1e-12:
        return Statistic.undefined(reason)
    value = (seen.agreement - chance) / room
    return Statistic(value, (seen.d_agreement - (1.0 - value) * d_chance) / room)


def fleiss_statistic(rows: NDArray[np.float64], weight: NDArray[np.float64], scale: NDArray[np.float64]) -> Statistic:
    """Fleiss' κ of patterns with weights, with influences; arguments as in :func:`observed`."""
    seen = observed(rows, weight, scale)
    if seen is None:
        return Statistic.undefined(ONE_RATING)
    expected = scale @ seen.share
    chance = float(seen.share @ expected)
    return corrected(seen, chance, 2.0 * (seen.shares @ expected - chance))


def rated_patterns(counts: ArrayLike, sample_weight: ArrayLike | None) -> Patterns:
    """Patterns of the items that have a rating and a weight."""
    given = np.asarray(counts)
    table = check_counts(given)
    return patterns_of(table, check_weight(sample_weight, len(table)), whole=given.dtype.kind in "iu")


def fleiss_kappa(
    counts: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "identity",
    level: float = 0.95,
    interval: Interval = "adjusted",
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Fleiss' κ with any number of ratings an item, weights of items, and agreement by degrees.

    p_a is the mean over items with two ratings or more of the share of their pairs of ratings that agree; p_c is the
    mean over all rated items of the share of ratings in category c (an item with one rating counts here too);
    p_e = Σ w_cd p_c p_d; κ = (p_a − p_e) / (1 − p_e). With the same number of raters everywhere this is Fleiss (1971),
    *Psychological Bulletin* 76:378, and equation 2 of Delisle et al. (2019). Negative where raters disagree more than
    chance would make them.

    The interval is linearised (both p_a and p_c vary with the sample of items; Gwet 2014, chapter 5), and uses the
    weights as sampling weights. Raters are taken as they are: the interval is about other items, not other raters.

    Args:
        counts: (n_items, n_categories), ratings in each category.
        sample_weight: (n_items,) weights of items; 1 by default.
        scale: how far two categories agree: see :func:`agreement_weights`.
        level: coverage of the interval.
        interval: ``adjusted`` holds for rare categories too (see :mod:`.adjust`); ``wald`` is value ± t · se.
        replicates: weights for a resampled interval instead: a number of bootstrap samples, or weight vectors
            (n_items,), such as replicate weights of a clustered design.
        random_state: seed of the bootstrap.

    Returns:
        Estimate; NaN with a reason where no item has two ratings, or all ratings fall in one category.

    Raises:
        ValueError: for bad counts, weights or scale.
    """
    patterns = rated_patterns(counts, sample_weight)
    matrix = agreement_weights(patterns.rows.shape[1], scale)
    return of_counts(
        lambda rows, weight: fleiss_statistic(rows, weight, matrix),
        patterns,
        level=level,
        interval=interval,
        replicates=replicates,
        random_state=random_state,
        method="Fleiss' kappa",
    )


def of_counts(
    statistic: Callable[[NDArray[np.float64], NDArray[np.float64]], Statistic],
    patterns: Patterns,
    *,
    level: float,
    interval: Interval,
    replicates: int | Iterable[ArrayLike] | None,
    random_state: int | None,
    method: str,
) -> Estimate:
    """The estimate of a statistic of rows of counts (n_patterns, q) and their weights (n_patterns,).

    Arguments as :func:`interval_of`; ``interval`` says whether invented items help to find the ends.
    """
    if interval not in ("adjusted", "wald"):
        raise ValueError(f"interval must be 'adjusted' or 'wald'; got {interval!r}")
    rows = patterns.rows

    def adjusted(totals: NDArray[np.float64]) -> Adjusted:
        extra = invented_counts(rows, totals)
        both = np.vstack([rows, extra])
        return Adjusted(lambda weight: statistic(both, weight), len(extra), doubt(rows, patterns.totals(None)))

    return interval_of(
        lambda weight: statistic(rows, weight),
        patterns,
        level=level,
        adjusted=adjusted if interval == "adjusted" else None,
        replicates=replicates,
        random_state=random_state,
        method=method,
    )
