"""Coefficients that see chance otherwise than Fleiss: Gwet's AC1 and AC2, Brennan and Prediger's, percent agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.intervals import Interval, Statistic
from comoderate.agreement.kappa import ONE_RATING, Observed, corrected, observed, of_counts, rated_patterns
from comoderate.agreement.scales import Scale, agreement_weights
from comoderate.metrics.estimate import Estimate

ONE_CATEGORY = "there is only one category"


def percent_agreement(
    counts: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "identity",
    level: float = 0.95,
    interval: Interval = "adjusted",
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Mean over items of the share of pairs of ratings that agree; chance is not taken off.

    Items with one rating do not enter. Arguments, interval and errors as :func:`fleiss_kappa`; its ends are cut off at
    0 and 1, between which every share lies, so that the cut takes nothing from its coverage.

    Returns:
        Estimate; NaN with a reason where no item has two ratings.
    """
    found = _estimate(
        lambda seen, matrix: Statistic(seen.agreement, seen.d_agreement),
        "percent agreement",
        counts,
        sample_weight,
        scale,
        level,
        interval,
        replicates,
        random_state,
    )
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))  # NaN stays, for it comes first


def gwet_ac1(
    counts: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    interval: Interval = "adjusted",
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Gwet's AC1: chance agreement only among ratings that were guessed, Σ p_c (1 − p_c) / (q − 1).

    It stays high where one category is rare and raters agree, where kappa falls. Gwet (2008), *British Journal of
    Mathematical and Statistical Psychology* 61:29. Arguments, interval and errors as :func:`fleiss_kappa`; q is the
    number of columns, so name every category that could have been chosen.

    Returns:
        Estimate; NaN with a reason where no item has two ratings, or there is only one category.
    """
    return _estimate(_gwet, "Gwet's AC1", counts, sample_weight, "identity", level, interval, replicates, random_state)


def gwet_ac2(
    counts: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "ordinal",
    level: float = 0.95,
    interval: Interval = "adjusted",
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Gwet's AC2: AC1 with agreement by degrees, chance T_w Σ p_c (1 − p_c) / (q (q − 1)), T_w the sum of weights.

    Gwet (2014), *Handbook of Inter-Rater Reliability*, 4th ed., chapter 5. Otherwise as :func:`gwet_ac1`.
    """
    return _estimate(_gwet, "Gwet's AC2", counts, sample_weight, scale, level, interval, replicates, random_state)


def brennan_prediger(
    counts: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    scale: Scale | NDArray[np.float64] = "identity",
    level: float = 0.95,
    interval: Interval = "adjusted",
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Brennan and Prediger's coefficient: chance means that every category is as likely, T_w / q².

    With ``scale="identity"`` this is Randolph's free-marginal kappa. Brennan and Prediger (1981), *Educational and
    Psychological Measurement* 41:687. Arguments, interval and errors as :func:`fleiss_kappa`.

    Returns:
        Estimate; NaN with a reason where no item has two ratings, or there is only one category.
    """
    return _estimate(
        _uniform, "Brennan-Prediger", counts, sample_weight, scale, level, interval, replicates, random_state
    )


def _gwet(seen: Observed, matrix: NDArray[np.float64]) -> Statistic:
    """AC1 or AC2 with influences."""
    q = seen.share.size
    if q < 2:
        return Statistic.undefined(ONE_CATEGORY)
    factor = float(matrix.sum()) / (q * (q - 1))
    chance = factor * float(seen.share @ (1.0 - seen.share))
    d_chance = factor * ((seen.shares - seen.share) @ (1.0 - 2.0 * seen.share))
    return corrected(seen, chance, d_chance)


def _uniform(seen: Observed, matrix: NDArray[np.float64]) -> Statistic:
    """Brennan and Prediger's coefficient with influences."""
    q = seen.share.size
    if q < 2:
        return Statistic.undefined(ONE_CATEGORY)
    return corrected(seen, float(matrix.sum()) / q**2, np.zeros(len(seen.shares)))


def _estimate(
    of_seen: Callable[[Observed, NDArray[np.float64]], Statistic],
    method: str,
    counts: ArrayLike,
    sample_weight: ArrayLike | None,
    scale: Scale | NDArray[np.float64],
    level: float,
    interval: Interval,
    replicates: int | Iterable[ArrayLike] | None,
    random_state: int | None,
) -> Estimate:
    """The estimate of a coefficient that is a function of what was observed."""
    patterns = rated_patterns(counts, sample_weight)
    matrix = agreement_weights(patterns.rows.shape[1], scale)

    def statistic(rows: NDArray[np.float64], weight: NDArray[np.float64]) -> Statistic:
        seen = observed(rows, weight, matrix)
        if seen is None:
            return Statistic.undefined(ONE_RATING)
        return of_seen(seen, matrix)

    return of_counts(
        statistic,
        patterns,
        level=level,
        interval=interval,
        replicates=replicates,
        random_state=random_state,
        method=method,
    )
