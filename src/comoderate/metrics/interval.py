"""Estimates of any weighted statistic with intervals from replicate weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sized
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from comoderate.metrics.estimate import Estimate
from comoderate.metrics.inputs import Array, as_weights
from comoderate.metrics.prepared import Weighted, sizes_form, weighted_form
from comoderate.metrics.replicates import Seed, poisson_replicates
from comoderate.metrics.shares import effective_size, unmoved, with_limits


class Replicated(NamedTuple):
    """A statistic's values (v,) and those under each replicate (r, v); ``scalar`` says that it is one number."""

    value: Array
    replicates: Array
    scalar: bool


def replicate(
    fn: Callable[..., Any],
    *arrays: Any,
    sample_weight: ArrayLike | None = None,
    replicates: int | Iterable[Array] = 200,
    cluster: ArrayLike | None = None,
    random_state: Seed = None,
    **options: Any,
) -> Replicated:
    """Values of ``fn(*arrays, sample_weight=w, **options)`` at the weights and under each replicate of them.

    Metrics of this package sort once and not again for each replicate. Arguments as :func:`estimate`.
    """
    weight = as_weights(sample_weight, _size(arrays))
    return replicate_form(
        weighted_form(fn, *arrays, **options), weight, replicates=replicates, cluster=cluster, random_state=random_state
    )


def replicate_form(
    form: Weighted,
    weight: Array,
    *,
    replicates: int | Iterable[Array] = 200,
    cluster: ArrayLike | None = None,
    random_state: Seed = None,
) -> Replicated:
    """As :func:`replicate`, for a statistic that is already a function of the weights alone."""
    if isinstance(replicates, (int, np.integer)):
        replicates = poisson_replicates(weight, int(replicates), cluster=cluster, random_state=random_state)
    elif cluster is not None:
        raise ValueError("cluster has no effect on given replicate weights; build the clusters into them")
    value, scalar = _flat(form(weight))
    rows = [_flat(form(np.asarray(vector, dtype=np.float64)))[0] for vector in replicates]
    return Replicated(value, np.array(rows).reshape(len(rows), len(value)), scalar)


def _size(arrays: tuple[Any, ...]) -> int:
    if not arrays or not isinstance(arrays[0], Sized):
        raise ValueError("estimate needs at least one array of posts")
    return len(arrays[0])


def _flat(result: Any) -> tuple[Array, bool]:
    if isinstance(result, tuple):
        return np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in result]), False
    values = np.asarray(result, dtype=np.float64)
    if values.ndim > 1:
        raise ValueError(f"a statistic must be a number or one-dimensional, got shape {values.shape}")
    return np.atleast_1d(values), values.ndim == 0


def estimate(
    fn: Callable[..., Any],
    *arrays: Any,
    sample_weight: ArrayLike | None = None,
    replicates: int | Iterable[Array] = 200,
    level: float = 0.95,
    cluster: ArrayLike | None = None,
    random_state: Seed = None,
    method: str = "bootstrap",
    **options: Any,
) -> Estimate | list[Estimate]:
    """A statistic with its standard error and interval from replicate weights.

    Args:
        fn: called as ``fn(*arrays, sample_weight=w, **options)``; gives a number, a vector or a tuple of these.
        arrays: what ``fn`` needs a post, each of length n.
        sample_weight: (n,) weights; none is 1 each.
        replicates: number of Poisson bootstrap replicates, or an iterable of weight vectors (n,) used as they are.
        level: nominal coverage of the interval, in (0, 1).
        cluster: (n,) groups of posts that are drawn together; only where ``replicates`` is a number.
        random_state: a seed or generator.
        method: 'bootstrap' for percentiles of the replicates, 'basic' for them mirrored at the value, 'normal' for the
            value plus and minus standard errors.
        options: further keyword arguments of ``fn``.

    Returns:
        An Estimate, or a list in the order of the vector (of a tuple's parts, one after the other). A share of 0 or 1
        that no replicate moves has Wilson's limits at the effective number of posts that it is a share of.
    """
    weight = as_weights(sample_weight, _size(arrays))
    drawn = replicate(
        fn,
        *arrays,
        sample_weight=weight,
        replicates=replicates,
        cluster=cluster,
        random_state=random_state,
        **options,
    )
    why = getattr(fn, "undefined", "the statistic is NaN on these posts")
    found = as_estimates(drawn, weight, level=level, method=method, why=why)
    return with_room(found, drawn, sizes_form(fn, *arrays, **options), weight)


def with_room(
    found: Estimate | list[Estimate], drawn: Replicated, sizes: Weighted | None, weight: Array
) -> Estimate | list[Estimate]:
    """Estimates from replicated values; shares that no replicate moves get limits by ``sizes`` of the weights."""
    each = found if isinstance(found, list) else [found]
    still = [unmoved(one.value, column) for one, column in zip(each, drawn.replicates.T, strict=True)]
    if sizes is None or not any(still):
        return found
    size = np.broadcast_to(_flat(sizes(weight))[0], (len(each),))
    made = [with_limits(one, float(n)) if same else one for one, n, same in zip(each, size, still, strict=True)]
    return made if isinstance(found, list) else made[0]


def as_estimates(
    drawn: Replicated, weight: Array, *, level: float = 0.95, method: str = "bootstrap", why: str = "undefined"
) -> Estimate | list[Estimate]:
    """Estimates from replicated values; ``why`` is the reason given where the value itself is NaN."""
    n, effective = len(weight), effective_size(weight)
    out = [
        _one(value, column, level=level, method=method, n=n, n_effective=effective, why=why)
        for value, column in zip(drawn.value.tolist(), drawn.replicates.T)
    ]
    return out[0] if drawn.scalar else out


def _one(value: float, column: Array, *, level: float, method: str, n: int, n_effective: float, why: str) -> Estimate:
    words = f"{method}, {len(column)} replicates"
    if math.isnan(value):
        return Estimate.undefined(why, level=level, method=words, n=n)
    kept = column[~np.isnan(column)]
    if len(kept) < 2:
        return Estimate(value, level=level, method=words, n=n, n_effective=n_effective, reason="no usable replicates")
    low, high = interval_of(value, kept, level=level, method=method)
    lost = len(column) - len(kept)
    reason = f"undefined in {lost} of {len(column)} replicates, which were left out" if lost else None
    return Estimate(value, float(kept.std(ddof=1)), low, high, level, words, n, n_effective, reason)


def interval_of(value: float, kept: Array, *, level: float, method: str) -> tuple[float, float]:
    """Ends of an interval from replicate values without NaN, by one of the methods of :func:`estimate`."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie strictly between 0 and 1, got {level:g}")
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2]).tolist()
    if method == "bootstrap":
        return low, high
    if method == "basic":
        return 2 * value - high, 2 * value - low
    if method == "normal":
        reach = float(ndtri((1 + level) / 2)) * float(kept.std(ddof=1))
        return value - reach, value + reach
    raise ValueError(f"method must be 'bootstrap', 'basic' or 'normal', got {method!r}")
