"""Thresholds for acting automatically, with a bound on their mistakes that holds at a stated level."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv

from comoderate.metrics.inputs import Array, Codes, Mask, as_labels, as_probabilities, as_weights, ratio


class OperatingPoint(NamedTuple):
    """A threshold above which a decision needs no moderator, and what is promised of it.

    Attributes:
        act_above: act automatically where p > act_above; infinity where no threshold keeps the promise.
        precision: share of positives above it in the labelled posts; NaN where there are none.
        precision_low: lower confidence bound of the precision.
        false_positive_rate: share of the negatives above it; NaN without negatives.
        false_positive_rate_high: upper confidence bound of it.
        level: confidence of the bounds, all together.
        n: number of labelled posts.
        pooled: whether the posts of all groups chose it, for want of labels in this one.
        reason: why there is no threshold, or why it is pooled; None where all is well.
    """

    act_above: float
    precision: float
    precision_low: float
    false_positive_rate: float
    false_positive_rate_high: float
    level: float
    n: int
    pooled: bool = False
    reason: str | None = None


def lower_bound(share: Array, size: Array, error: float) -> Array:
    """Clopper–Pearson lower bound of a share at confidence 1 − error from ``share`` seen among ``size``.

    ``size`` may be an effective sample size and need not be whole (Korn and Graubard 1998, Confidence intervals for
    proportions with small expected number of positive counts).
    """
    hits = np.clip(share * size, 0.0, size)
    out = np.zeros(np.broadcast_shapes(np.shape(share), np.shape(size)))
    known = hits > 0
    out[known] = betaincinv(hits[known], size[known] - hits[known] + 1.0, error)
    return out


def upper_bound(share: Array, size: Array, error: float) -> Array:
    """Clopper–Pearson upper bound of a share at confidence 1 − error; see :func:`lower_bound`."""
    return np.asarray(1.0 - lower_bound(1.0 - share, size, error))


class _Steps(NamedTuple):
    """What holds above each candidate threshold, from the highest down."""

    act_above: Array
    precision: Array
    above: Array
    false_positive_rate: Array
    negatives: float


def _steps(positive: Mask, p: Array, weight: Array) -> _Steps:
    order = np.argsort(-p, kind="stable")
    ranked, w = p[order], weight[order]
    ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], False))
    hits = np.cumsum(np.where(positive[order], w, 0.0))[ends]
    mass, squares = np.cumsum(w)[ends], np.cumsum(w**2)[ends]
    negative = weight[~positive]
    return _Steps(
        ranked[ends + 1],
        np.asarray(ratio(hits, mass)),
        np.asarray(ratio(mass**2, squares)),
        np.asarray(ratio(np.maximum(mass - hits, 0.0), negative.sum())),
        float(np.nan_to_num(ratio(negative.sum() ** 2, (negative**2).sum()))),
    )


def _chosen(
    positive: Mask, p: Array, weight: Array, *, min_precision: float, max_rate: float, level: float
) -> OperatingPoint:
    steps, n = _steps(positive, p, weight), len(p)
    asked = (min_precision > 0.0) + (max_rate < 1.0)
    error = (1.0 - level) / max(asked, 1)
    above, rates = np.nan_to_num(steps.above), np.nan_to_num(steps.false_positive_rate)
    starts = _starts(float(above.max(initial=0.0)), min_precision, error)
    share = error / max(len(starts), 1)
    if min_precision > 0.0:
        tried = _grid(above, starts)
        # The effective size falls where a heavy weight enters: each test has its own.
        precise = lower_bound(np.nan_to_num(steps.precision[tried]), above[tried], share)
    else:
        tried = np.flatnonzero(rates <= max_rate)
        precise = lower_bound(np.nan_to_num(steps.precision[tried[-1:]]), above[tried[-1:]], error)
        precise = np.broadcast_to(precise, tried.shape)
    rate = upper_bound(rates[tried], np.full(len(tried), steps.negatives), error)
    kept = _last_passed((precise >= min_precision) & (rate <= max_rate), above[tried], starts)
    if kept is None:
        why = "no threshold keeps the bound with these labels"
        return OperatingPoint(np.inf, np.nan, np.nan, np.nan, np.nan, level, n, reason=why)
    at = tried[kept]
    return OperatingPoint(
        float(steps.act_above[at]),
        float(steps.precision[at]),
        float(precise[kept]),
        float(steps.false_positive_rate[at]),
        float(rate[kept]),
        level,
        n,
    )


def _starts(most: float, min_precision: float, error: float) -> list[float]:
    """Numbers of posts above the threshold at which a sequence of tests begins, evenly spread in their logarithm.

    The first is twice the least number that could pass its test, given that the sequences share the error. There are
    three where the labels allow 64 times that number, two where 8 times.
    """
    if min_precision <= 0.0:
        return []
    for count, least in ((3, 64.0), (2, 8.0)):
        first = 2.0 * sequence_start(min_precision, error / count)
        if most >= least * first:
            return [first * (most / first) ** (i / count) for i in range(count)]
    return [2.0 * sequence_start(min_precision, error)]


def _grid(above: Array, starts: list[float]) -> Codes:
    """The steps to test: those with the number of posts of a start above them, then each time a fifth more."""
    most, sizes = float(above.max(initial=0.0)), []
    for first, stop in zip(starts, [*starts[1:], most]):
        sizes += list(first * 1.2 ** np.arange(max(np.ceil(np.log(max(stop / first, 1.0)) / np.log(1.2)), 1.0)))
    found = np.searchsorted(np.maximum.accumulate(above), np.array(sizes) - 1e-9)
    return np.unique(found[found < len(above)])


def _last_passed(passed: Mask, above: Array, starts: list[float]) -> int | None:
    """The furthest test that a sequence reaches without failing, over all sequences; None where none passes one."""
    furthest = -1
    for first in starts or [0.0]:
        begin = int(np.searchsorted(np.maximum.accumulate(above), first - 1e-9))
        failed = np.flatnonzero(~passed[begin:])
        end = begin + (int(failed[0]) if len(failed) else len(passed) - begin)
        furthest = max(furthest, end - 1 if end > begin else -1)
    return furthest if furthest >= 0 else None


def sequence_start(min_precision: float, error: float) -> int:
    """The fewest posts of which all must be positive for a lower bound of ``min_precision``: ln error / ln precision.

    A sequence of tests that began with fewer could never pass its first.
    """
    return int(np.ceil(np.log(error) / np.log(min_precision)))


def choose_thresholds(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    min_precision: float = 0.0,
    max_false_positive_rate: float = 1.0,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    group: ArrayLike | None = None,
    min_labels: int = 100,
) -> dict[object, OperatingPoint]:
    """The lowest threshold whose precision and false positive rate are proved by the labelled posts, by group.

    Thresholds are tested from the highest down until one fails: so the last that passed holds at the level although
    many were tried. For precision up to three such sequences begin at different numbers of posts and share the
    error, so that an early failure on few posts does not end the search. The false positive rate rises as the
    threshold falls, and needs no such care. Two bounds asked for together share the error, so that both hold at the
    level. With weights, counts are replaced by effective sample sizes and the level is approximate.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities of a scorer that was not trained on these posts.
        min_precision: least share of positives among posts acted on, in [0, 1); 0 asks nothing.
        max_false_positive_rate: greatest share of negatives acted on, in [0, 1]; 1 asks nothing.
        level: confidence that the promise holds in the population, in (0, 1); of each group by itself.
        sample_weight: (n,) weights.
        group: (n,) groups that get a threshold of their own; none is one group for all, under the key "all".
        min_labels: groups with fewer labelled posts of positive weight take the threshold of all, with a warning.

    Returns:
        A point for each group, and one under "all".

    Warns:
        UserWarning: where a group is pooled.

    Source: fixed-sequence testing as in Angelopoulos et al. (2021), Learn then test, with several starts and
    Clopper–Pearson bounds.
    """
    positive = as_labels(y_true)
    p = as_probabilities(y_proba, size=len(positive))
    weight = as_weights(sample_weight, len(p))
    if not (0.0 < level < 1.0 and 0.0 <= min_precision <= 1.0 and 0.0 <= max_false_positive_rate <= 1.0):
        raise ValueError("level must lie in (0, 1), min_precision and max_false_positive_rate in [0, 1]")
    if min_precision == 1.0:
        raise ValueError("min_precision must be below 1: no number of labels proves that there are no mistakes")
    held = weight > 0

    def choose(inside: Mask) -> OperatingPoint:
        return _chosen(
            positive[inside],
            p[inside],
            weight[inside],
            min_precision=min_precision,
            max_rate=max_false_positive_rate,
            level=level,
        )

    together = choose(held)
    points: dict[object, OperatingPoint] = {"all": together}
    if group is None:
        return points
    names = np.asarray(group)
    if names.shape != p.shape:
        raise ValueError(f"group has shape {names.shape} where {p.shape} is needed")
    for name in np.unique(names).tolist():
        inside = held & (names == name)
        count = int(inside.sum())
        points[name] = choose(inside) if count >= min_labels else _pooled(together, name, count, min_labels)
    return points


def _pooled(together: OperatingPoint, name: object, count: int, min_labels: int) -> OperatingPoint:
    reason = f"group {name!r} has {count} labelled posts, fewer than {min_labels}: it takes the threshold of all groups"
    warnings.warn(reason, UserWarning, stacklevel=3)
    return together._replace(pooled=True, n=count, reason=reason)


def probability_of_pass(precision: float, size: int, *, min_precision: float, level: float = 0.95) -> float:
    """How likely a threshold of true ``precision`` passes its test with ``size`` labelled posts above it.

    Tells whether more labels would buy a lower threshold.
    """
    hits = np.arange(size + 1)
    bound = lower_bound(hits / size, np.full(size + 1, float(size)), 1.0 - level)
    least = int(np.searchsorted(bound, min_precision))
    return float(betainc(least, size - least + 1, precision)) if 0 < least <= size else float(least == 0)
