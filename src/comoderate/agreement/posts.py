"""Agreement post by post and class by class, and what divides raters: polarised posts, systemic disagreement."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.counts import check_counts, check_weight
from comoderate.agreement.intervals import Statistic
from comoderate.agreement.kappa import ONE_CLASS, ONE_RATING, observed, of_counts, rated_patterns
from comoderate.metrics.estimate import Estimate


def post_kappa(counts: ArrayLike, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
    """The paper's κ(t): by how much the raters of one post agree more than chance, as a share of what is possible.

    κ(t) = (Σ_c r_c(t) − Σ p_c²) / (1 − Σ p_c²), r_c(t) the share of pairs of raters that agree on c; its weighted mean
    over posts with two ratings is Fleiss' κ. Delisle et al. (2019), appendix B.1.

    Args:
        counts: (n_items, q), ratings in each category.
        sample_weight: (n_items,) weights of items, for p_c.

    Returns:
        (n_items,), NaN where a post has fewer than two ratings, or all posts' ratings fall in one category.

    Raises:
        ValueError: for bad counts or weights.
    """
    per_class = post_class_kappa(counts, sample_weight=sample_weight)
    return np.asarray(per_class.sum(axis=1))


def post_class_kappa(counts: ArrayLike, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
    """The paper's κ_c(t) = (r_c(t) − p_c²) / (1 − Σ p_c²): what class c adds to :func:`post_kappa`.

    Arguments and errors as there.

    Returns:
        (n_items, q), NaN rows as there.
    """
    table = check_counts(counts)
    weight = check_weight(sample_weight, len(table))
    ratings = table.sum(axis=1)
    rated = ratings > 0 if weight is None else (ratings > 0) & (weight > 0)
    out = np.full(table.shape, np.nan)
    if not rated.any():
        return out
    share = np.average(table[rated] / ratings[rated, None], axis=0, weights=None if weight is None else weight[rated])
    room = 1.0 - float(share @ share)
    many = ratings >= 2
    if room > 1e-12:
        pairs = (ratings * (ratings - 1))[many, None]
        out[many] = (table[many] * (table[many] - 1) / pairs - share**2) / room
    return out


def class_kappa(counts: ArrayLike, *, sample_weight: ArrayLike | None = None, level: float = 0.95) -> list[Estimate]:
    """The paper's κ_c, the mean of κ_c(t): what agreement on each class adds to Fleiss' κ; they sum to it.

    This isn't Fleiss' κ_j, which asks how reliably category j is told from all others. Interval and errors as
    :func:`fleiss_kappa`.

    Args:
        counts: (n_items, q), ratings in each category.
        sample_weight: (n_items,) weights of items; 1 by default.
        level: coverage of the intervals.

    Returns:
        q estimates, NaN with a reason as there.
    """
    patterns = rated_patterns(counts, sample_weight)
    return [
        of_counts(
            partial(_class_statistic, category=c),
            patterns,
            level=level,
            interval="adjusted",
            replicates=None,
            random_state=None,
            method=f"kappa of class {c}",
        )
        for c in range(patterns.rows.shape[1])
    ]


def _class_statistic(rows: NDArray[np.float64], weight: NDArray[np.float64], category: int) -> Statistic:
    """κ_c of one category with influences."""
    seen = observed(rows, weight, np.eye(rows.shape[1]))
    if seen is None:
        return Statistic.undefined(ONE_RATING)
    room = 1.0 - float(seen.share @ seen.share)
    if room <= 1e-12:
        return Statistic.undefined(ONE_CLASS)
    ratings, chosen = rows.sum(axis=1), rows[:, category]
    many = ratings >= 2
    own = np.where(many, chosen * (chosen - 1), 0.0) / np.where(many, ratings * (ratings - 1), 1.0)
    paired = float(weight[many].sum())
    agree, share = float(weight @ own) / paired, float(seen.share[category])
    value = (agree - share**2) / room
    d_agree = np.where(many, (own - agree) * float(weight.sum()) / paired, 0.0)
    moved = seen.shares - seen.share
    d_chance = 2.0 * share * moved[:, category] - value * 2.0 * (moved @ seen.share)
    return Statistic(value, (d_agree - d_chance) / room)


def polarisation(counts: ArrayLike, *, values: ArrayLike | None = None) -> NDArray[np.float64]:
    """How far an item's raters are split between the ends of the scale: 0 all alike, 1 half at each end.

    The variance of the item's ratings as a share of the largest that this number of raters can have.
    Delisle et al. (2019), appendix B.2, call a post polarised where this variance is largest.

    Args:
        counts: (n_items, q), ratings in each category.
        values: (q,) ascending values of the categories; 0, 1, 2, … by default.

    Returns:
        (n_items,), NaN where an item has fewer than two ratings.

    Raises:
        ValueError: for bad counts or values.
    """
    table = check_counts(counts)
    x = np.arange(table.shape[1], dtype=np.float64) if values is None else np.asarray(values, dtype=np.float64)
    if x.shape != (table.shape[1],) or (np.diff(x) <= 0).any():
        raise ValueError(f"values must be {table.shape[1]} ascending numbers")
    n = table.sum(axis=1)
    out = np.full(len(table), np.nan)
    many = n >= 2
    scale = (x - x[0]) / (x[-1] - x[0]) if len(x) > 1 else x * 0.0
    mean = table[many] @ scale / n[many]
    spread = table[many] @ scale**2 / n[many] - mean**2
    half = np.floor(n[many] / 2) / n[many]
    out[many] = np.clip(spread / np.maximum(half * (1 - half), 1e-300), 0.0, 1.0)
    return out


def polarised_posts(
    counts: ArrayLike, *, values: ArrayLike | None = None, at_least: float = 0.75, limit: int | None = None
) -> NDArray[np.int64]:
    """Positions of the most polarised items, most first; among equals those with more ratings.

    Args:
        counts, values: as :func:`polarisation`.
        at_least: smallest :func:`polarisation` that is listed.
        limit: list no more than these.

    Returns:
        positions of items.

    Raises:
        ValueError: as there.
    """
    split = np.nan_to_num(polarisation(counts, values=values), nan=-1.0)
    ratings = check_counts(counts).sum(axis=1)
    order = np.lexsort((np.arange(split.size), -ratings, -split))
    return order[split[order] >= at_least][:limit].astype(np.int64)


class Verdict(NamedTuple):
    """Whether raters disagree systematically, how sure that is, and a sentence for the report.

    Attributes:
        systemic: the coefficient is below 0.
        certain: its whole interval is.
        sentence: what it means, in plain words; empty where the coefficient isn't negative.
    """

    systemic: bool
    certain: bool
    sentence: str


def systemic_disagreement(agreement: Estimate) -> Verdict:
    """Reads a negative κ or ICC as what it is: raters that contradict each other more than chance would make them.

    Args:
        agreement: any chance-corrected coefficient.

    Returns:
        Verdict.
    """
    if not agreement.value < 0:
        return Verdict(False, False, "")
    certain = bool(agreement.high < 0)
    sure = "" if certain else " The interval reaches 0, so this may be the luck of the sample."
    sentence = (
        f"Systemic disagreement: raters agree less often than chance alone would make them ({agreement}). "
        "Something divides them: posts that polarise, a definition that is read in two ways, or groups of raters that "
        f"follow different rules. Look at the polarised posts before using these labels.{sure}"
    )
    return Verdict(True, certain, sentence)
