"""The tables of a surface: every arm, the worst ones, effects, any two attributes, and what more labels would buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from comoderate.study.arms import value_names
from comoderate.study.surfaces import MEASURES, Assessed, in_hand
from comoderate.surface import (
    Effect,
    LogisticNormal,
    Powered,
    Prediction,
    Surface,
    WeakArms,
    in_words,
    main_deviations,
    main_effects,
    mean_deviation,
    pair_effects,
    powered_arms,
    weak_arms,
)

Floats = NDArray[np.float64]
LEAST_EFFECT = 0.02
"""Effects on accuracy that are smaller are not put into words."""

LEAST_CONCERNED = 1.0
"""Posts that a loss can concern below which nothing is said of two attributes' values together."""

LEAST_LABELS = 30
"""With fewer labels nothing is said of how far a scorer's own probabilities can be believed."""

MOST_TOGETHER = 2000
"""Arms up to which it is worked out how their errors go together."""

PARTS = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)
"""Shares of the labels at which the curve of errors is worked out where there were no rounds of assessment."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What a surface is of and rests on.

    Attributes:
        scorer, version, target, cohort, loss, estimator: names.
        attributes: whose combinations are the arms.
        posts, labels: how many.
        value, low, high: the measure over all posts, from the arms' estimates by their traffic, with its interval.
        level: of intervals and joint claims.
        min_posts: arms with fewer don't count.
        power: how far the scorer's own probabilities tell where it is right, 0 (not at all) to 1; None where that is
            not known.
        predicted: attributes that are predicted.
        calibration, assignment: how; empty where all are known.
        known: posts whose true combination is known.
        hit: share of those that the predictions alone name rightly; None where there is none.
    """

    scorer: str
    version: str
    target: str
    cohort: str
    loss: str
    estimator: str
    attributes: tuple[str, ...]
    posts: int
    labels: int
    value: float
    low: float
    high: float
    level: float
    min_posts: int
    power: float | None = None
    predicted: tuple[str, ...] = ()
    calibration: str = ""
    assignment: str = ""
    known: int = 0
    hit: float | None = None


def measure_of(loss: str) -> str:
    """What a surface is a surface of, in words."""
    return MEASURES.get(loss, f"mean of {loss}")


def is_share(loss: str) -> bool:
    """Whether it is told in per cent: all but the Brier score."""
    return loss != "brier"


def is_rate(loss: str) -> bool:
    """Whether larger values are worse: all but accuracy."""
    return loss != "error"


def arms_table(found: Assessed, surface: Surface, *, level: float, min_posts: int) -> pd.DataFrame:
    """Every arm that has posts, the surest weak ones first.

    Returns:
        A column an attribute; arm (in words); posts, share (of all posts), concerned (posts that the loss can concern,
        as far as labels tell: fewer than all for rates of one answer), labels; value, low, high: the accuracy (or the
        rate of the loss) on posts of this kind; here, here_low, here_high: the same for exactly the posts in hand, NaN
        where it is not known which they are; powered with its ends: for these posts by labels and the scorer's own
        probabilities of the others, NaN where those say nothing; weak: the probability that the arm is worse than the
        mean; counts: whether it has ``min_posts`` posts that the loss can concern; named: whether it is among those
        that are all worse at ``level``.
    """
    table, rate = found.table, is_rate(found.loss)
    general = surface.predict(table.arms, level=level)
    frame = value_names(found.arms.encoder, table.arms)
    frame["arm"] = [found.arms.encoder.describe(arm) for arm in table.arms]
    posts = np.rint(table.pool_size).astype(np.int64)
    frame = frame.assign(posts=posts, share=posts / posts.sum(), concerned=found.traffic)
    frame = frame.assign(labels=np.rint(found.labels).astype(np.int64))
    frame = _with_interval(frame, "value", "low", "high", general.mean, general.low, general.high, rate)
    nothing = np.full(len(frame), np.nan)
    own: tuple[Floats, Floats, Floats] = (nothing, nothing, nothing)
    exact = in_hand(found, surface, level=level)
    here = own if exact is None else (exact.mean, exact.low, exact.high)
    frame = _with_interval(frame, "here", "here_low", "here_high", *here, rate)
    told = powered(found, level=level)
    if told is not None:
        own = (told.prediction.mean, told.prediction.low, told.prediction.high)
    frame = _with_interval(frame, "powered", "powered_low", "powered_high", *own, rate)
    weak = worst(found, surface, level=level, min_posts=min_posts)
    counted = np.flatnonzero(counted_arms(found, min_posts))
    frame["weak"] = surface.posterior(table.arms).below(weak.threshold)
    frame["counts"] = np.isin(np.arange(len(frame)), counted)
    frame["named"] = np.isin(np.arange(len(frame)), counted[weak.index[: weak.jointly]])
    order = ["counts", "weak", "value", "posts"]
    return frame.sort_values(order, ascending=[False, False, not rate, False], kind="stable", ignore_index=True)


def powered(found: Assessed, *, level: float) -> Powered | None:
    """Estimates by arm from labels and from what the scorer's own probabilities make one expect of the other posts.

    None where there are few labels, or where probabilities say nothing of the loss; for rates of posts of one answer,
    where what is decided of the others is in ``here`` already; and where arms are predicted, since beliefs about arms
    don't follow from the scorer's probabilities.
    """
    known = np.isfinite(found.right)
    if found.proxy is None or found.arms.belief is not None or known.sum() < LEAST_LABELS:
        return None
    if np.ptp(found.right[known]) == 0 or np.ptp(found.proxy) == 0:
        return None
    return powered_arms(
        found.table.index, np.clip(found.proxy, 0, 1), found.right, n_arms=len(found.table.arms),
        weight=found.weight, recalibrate=found.loss == "error", level=level,
    )  # fmt: skip


def _with_interval(
    frame: pd.DataFrame, value: str, low: str, high: str, mean: Floats, bottom: Floats, top: Floats, rate: bool
) -> pd.DataFrame:
    columns = {value: 1 - mean, low: 1 - top, high: 1 - bottom} if rate else {value: mean, low: bottom, high: top}
    return frame.assign(**columns)


def counted_arms(found: Assessed, min_posts: int) -> NDArray[np.bool_]:
    """(A,) the arms with enough posts that the loss can concern to be named; all, where none has."""
    counted = np.asarray(np.rint(found.traffic) >= min_posts)
    return counted if counted.any() else np.ones(len(counted), dtype=bool)


def worst(found: Assessed, surface: Surface, *, level: float, min_posts: int) -> WeakArms:
    """The weak ones among the arms that count, compared with the mean of all posts; rows are those that count."""
    counted = counted_arms(found, min_posts)
    return weak_arms(surface, found.table.arms[counted], threshold=_mean(found, surface), level=level)


def effects_table(found: Assessed, surface: Surface) -> pd.DataFrame:
    """Effects of values and of pairs of them, the worst first.

    Returns:
        order (1 or 2), attributes, values, value, difference (in the measure itself: negative is worse for accuracy,
        positive for a rate), reach (how far its interval goes to each side when all effects of this order are looked
        at, by Bonferroni's bound), share (of posts), sure (whether the difference is larger than that, and what it is a
        difference from lies between 0 and 1: two effects together may well pass that), words.
    """
    table, encoder = found.table, found.arms.encoder
    mean, pool = surface.posterior(table.arms).mean, found.traffic
    names, sign = encoder.names, -1.0 if is_rate(found.loss) else 1.0
    kinds = list(encoder.attributes_.values())

    def value_name(k: int, v: int) -> str:
        return kinds[k].values_[v]

    def row(effect: Effect, reach: float) -> dict[str, Any]:
        pairs = list(zip(effect.attributes, effect.values, strict=True))
        rate = measure_of(found.loss) if is_rate(found.loss) else None
        return {
            "order": len(pairs),
            "attributes": " × ".join(names[k] for k, _ in pairs),
            "values": " × ".join(value_name(k, v) for k, v in pairs),
            "value": 1 - effect.accuracy if rate else effect.accuracy,
            "difference": sign * effect.difference,
            "reach": reach,
            "share": effect.weight,
            "sure": bool(abs(effect.difference) > reach and 0 <= effect.accuracy - effect.difference <= 1),
            "words": in_words(effect, names, value_name, rate=rate, share=is_share(found.loss), reach=reach),
        }

    rows = []
    for effects in (main_effects, pair_effects)[: len(names)]:
        these = effects(table.arms, mean, weight=pool)
        reaches = float(-ndtri(0.025 / len(these))) * _doubt(these, surface, table.arms, pool)
        rows += [row(effect, float(reach)) for effect, reach in zip(these, reaches, strict=True)]
    return pd.DataFrame(rows)


def _doubt(effects: Sequence[Effect], surface: Surface, arms: NDArray[np.int64], pool: Floats) -> Floats:
    """(E,) standard deviations of effects.

    Main effects' come from the posterior of all arms together where there is one; else the arms of an effect are taken
    to err all in one direction.
    """
    if isinstance(surface, LogisticNormal) and len(arms) <= MOST_TOGETHER and len(effects[0].values) == 1:
        return main_deviations(surface, arms, effects, weight=pool)
    sd = np.sqrt(surface.posterior(arms).variance)
    inside = (
        np.logical_and.reduce([arms[:, k] == v for k, v in zip(effect.attributes, effect.values, strict=True)])
        for effect in effects
    )
    return np.array([np.average(sd[these], weights=pool[these]) for these in inside])


def grid_table(arms: pd.DataFrame, rows: str, columns: str) -> pd.DataFrame:
    """Two attributes' values: rows' value, columns' value, value, posts, concerned, labels.

    Means of arms are weighted by the posts that the loss can concern; NaN where there is hardly one.
    """
    weighted = arms.assign(total=arms["value"] * arms["concerned"])
    summed = ["total", "posts", "concerned", "labels"]
    found = weighted.groupby([rows, columns], sort=False)[summed].sum().reset_index()
    value = (found["total"] / found["concerned"]).where(found["concerned"] >= LEAST_CONCERNED)
    return found.assign(value=value).drop(columns="total")


def widest_pair(arms: pd.DataFrame, attributes: Sequence[str], *, most: int = 40) -> tuple[str, str] | None:
    """The two attributes whose values' means differ most, weighted by posts; None where fewer than two have values.

    Attributes of more than ``most`` values are left out where others are there: no figure holds them.
    """
    held = [name for name in attributes if arms[name].nunique() > 1]
    fitting = [name for name in held if arms[name].nunique() <= most]
    held = fitting if len(fitting) > 1 else held
    if len(held) < 2:
        return None
    overall = float(np.average(arms["value"], weights=arms["concerned"]))

    def spread(pair: tuple[str, str]) -> float:
        cells = grid_table(arms, *pair)
        cells = cells[cells["value"].notna()]
        return float(((cells["value"].to_numpy() - overall) ** 2) @ cells["concerned"].to_numpy())

    first, second = max(combinations(held, 2), key=spread)
    return (first, second) if arms[first].nunique() >= arms[second].nunique() else (second, first)


def progress(found: Assessed, surface: Surface, *, level: float, min_posts: int) -> dict[str, float]:
    """How well the arms that count are known: labels, error (expected root mean square), width, and arms counted.

    ``error`` and ``width`` are of the means over the posts in hand where those are what is estimated.
    """
    counted = counted_arms(found, min_posts)
    p = best_known(found, surface, counted, level=level)
    return {
        "labels": float(found.known.sum()),
        "error": float(np.sqrt(p.variance.mean())),
        "width": float((p.high - p.low).mean()),
        "arms": float(counted.sum()),
    }


def best_known(found: Assessed, surface: Surface, kept: NDArray[np.bool_], *, level: float) -> Prediction:
    """Of the arms marked in ``kept`` (A,) the means over the posts in hand, in general where these are not known."""
    here = in_hand(found, surface, kept, level=level)
    return surface.predict(found.table.arms[kept], level=level) if here is None else here


def curve_table(found: Assessed, surface: Surface, *, level: float, min_posts: int, seed: int) -> pd.DataFrame:
    """Error and width against labels, had the labels come in random order: the columns of :func:`progress`."""
    known = np.flatnonzero(found.known)
    order = np.random.default_rng(seed).permutation(known)
    rows = []
    for part in PARTS:
        keep = order[: round(part * len(order))]
        hidden = found.known.copy()
        hidden[keep] = False
        some = found.without(hidden)
        table = some.table
        surface.refit(table.arms, table.n, table.c)
        rows.append(progress(some, surface, level=level, min_posts=min_posts))
    return pd.DataFrame(rows).drop_duplicates("labels", ignore_index=True)


def overall(found: Assessed, surface: Surface, *, level: float) -> tuple[float, float, float]:
    """The measure over all posts, from the arms' estimates by their traffic, and the ends of its interval.

    An estimate by parts; :meth:`comoderate.study.Study.evaluate` measures the whole.
    """
    mean = _mean(found, surface)
    sd = mean_deviation(surface, found.table.arms, weight=found.traffic, most_together=MOST_TOGETHER)
    reach = float(-ndtri((1 - level) / 2)) * sd
    low, high = max(mean - reach, 0.0), min(mean + reach, 1.0)
    return (1 - mean, 1 - high, 1 - low) if is_rate(found.loss) else (mean, low, high)


def _mean(found: Assessed, surface: Surface) -> float:
    return float(surface.posterior(found.table.arms).mean @ found.traffic / found.traffic.sum())
