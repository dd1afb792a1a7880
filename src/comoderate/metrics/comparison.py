"""Differences between two strategies or two scorers on the same posts, and bands over many values at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.estimate import Estimate
from comoderate.metrics.inputs import Array, as_weights
from comoderate.metrics.interval import Replicated, as_estimates, replicate, replicate_form
from comoderate.metrics.prepared import weighted_form
from comoderate.metrics.replicates import Seed
from comoderate.metrics.shares import effective_size


def difference(
    fn: Callable[..., Any],
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    sample_weight: ArrayLike | None = None,
    replicates: int | Iterable[Array] = 200,
    level: float = 0.95,
    cluster: ArrayLike | None = None,
    random_state: Seed = None,
    method: str = "bootstrap",
    **options: Any,
) -> Estimate | list[Estimate]:
    """The statistic on ``first`` minus that on ``second``, paired: each replicate weighs the same posts in both.

    Args:
        fn: a metric, as in :func:`comoderate.metrics.estimate`.
        first, second: the arrays of each, such as (y_true, y_proba, score of a strategy) and the same with the score of
            another, or (y_true, probabilities of a scorer) and those of another.
        sample_weight, replicates, level, cluster, random_state, method, options: as in ``estimate``.
    """
    weight = as_weights(sample_weight, len(first[0]))
    one, other = weighted_form(fn, *first, **options), weighted_form(fn, *second, **options)
    drawn = replicate_form(
        lambda w: _minus(one(w), other(w)), weight, replicates=replicates, cluster=cluster, random_state=random_state
    )
    why = getattr(fn, "undefined", "the statistic is NaN on these posts")
    return as_estimates(drawn, weight, level=level, method=f"{method}", why=why)


def _minus(first: Any, second: Any) -> Any:
    if isinstance(first, tuple):
        return tuple(np.asarray(a) - np.asarray(b) for a, b in zip(first, second))
    return np.asarray(first) - np.asarray(second)


def simultaneous_band(
    fn: Callable[..., Any],
    *arrays: Any,
    sample_weight: ArrayLike | None = None,
    replicates: int | Iterable[Array] = 500,
    level: float = 0.95,
    cluster: ArrayLike | None = None,
    random_state: Seed = None,
    **options: Any,
) -> list[Estimate]:
    """Intervals for all values of a vector statistic that hold together with the stated level.

    For a curve over review fractions: with probability ``level`` the whole curve lies in the band, where pointwise
    intervals promise that for each point alone.

    Args:
        fn: a metric that gives a vector; the rest as in :func:`comoderate.metrics.estimate`.

    Returns:
        One Estimate a value; values that are NaN, or never vary, take no part in the band.

    Source: the sup-t band, Montiel Olea and Plagborg-Møller (2019), Simultaneous confidence bands, section 2.
    """
    weight = as_weights(sample_weight, len(arrays[0]))
    drawn = replicate(
        fn,
        *arrays,
        sample_weight=weight,
        replicates=replicates,
        cluster=cluster,
        random_state=random_state,
        **options,
    )
    return band_of(drawn, weight, level=level, why=getattr(fn, "undefined", "the statistic is NaN on these posts"))


def band_of(drawn: Replicated, weight: Array, *, level: float = 0.95, why: str = "undefined") -> list[Estimate]:
    """A simultaneous band from replicated values; arguments as :func:`comoderate.metrics.as_estimates`."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie strictly between 0 and 1, got {level:g}")
    rows = drawn.replicates[~np.isnan(drawn.replicates[:, ~np.isnan(drawn.value)]).any(axis=1)]
    se = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.full(len(drawn.value), np.nan)
    moving = np.flatnonzero(np.nan_to_num(se) > 1e-12)
    deviation = np.abs(rows[:, moving] - drawn.value[moving]) / se[moving]
    reach = float(np.quantile(deviation.max(axis=1), level)) if len(moving) and len(rows) else 0.0
    lost = len(drawn.replicates) - len(rows)
    reason = f"undefined in {lost} of {len(drawn.replicates)} replicates, which were left out" if lost else None
    words, n, effective = f"simultaneous, {len(drawn.replicates)} replicates", len(weight), effective_size(weight)
    return [
        Estimate.undefined(why, level=level, method=words, n=n)
        if np.isnan(value)
        else Estimate(value, s, value - reach * s, value + reach * s, level, words, n, effective, reason)
        for value, s in zip(drawn.value.tolist(), se.tolist())
    ]
