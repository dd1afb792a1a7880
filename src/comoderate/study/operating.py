"""Three outcomes: above a threshold act, within capacity review, leave the rest; what each amounts to and costs."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from comoderate import metrics, review
from comoderate.study.cases import Case, Floats

THRESHOLDS = (
    "target", "sample", "truth", "scorer", "domain", "group", "act_above", "precision", "precision_low",
    "false_positive_rate", "false_positive_rate_high", "level", "n", "pooled", "reason",
)  # fmt: skip
OUTCOMES = ("target", "sample", "truth", "scorer", "plan", "metric", "value", "low", "high")
COSTS = (
    "target", "scorer", "plan", "posts", "acted", "reviewed", "missed", "wrongly_removed", "mistakes", "reading",
    "total", "hours", "currency",
)  # fmt: skip
ALONE, TOGETHER, THREE = "model alone", "model and review", "three outcomes"


class Operating(NamedTuple):
    """Tables: thresholds by target and group, metrics of the outcomes, costs for all posts; and warnings."""

    thresholds: pd.DataFrame
    outcomes: pd.DataFrame
    costs: pd.DataFrame
    warnings: tuple[str, ...]


def operate(case: Case, strategy: str, *, posts: int) -> Operating:
    """The operating points that ``[review]`` asks for, and what they come to.

    Args:
        case: the labelled posts.
        strategy: what orders the posts that are neither acted on nor left.
        posts: how many posts the stream has; costs are for all of them.

    Where no bound is asked for, no threshold is sought, and only the plans without one are compared.
    """
    s = case.settings
    told: list[str] = []
    whole: Floats | float = s.threshold
    plans = {ALONE: whole, TOGETHER: whole}
    rows: list[dict[str, Any]] = []
    if s.min_precision is not None or s.max_false_positive_rate is not None:
        for domain in ("all", *case.attributes):
            points, said = _points(case, domain)
            told += said
            rows += [
                {**case.key, "domain": domain, "group": str(group), **point._asdict()}
                for group, point in points.items()
                if domain == "all" or group != "all"
            ]
            name = THREE if domain == "all" else f"{THREE}, a threshold for each {domain}"
            plans[name] = _act_above(case, domain, points)
    outcomes, costs = [], []
    for plan, threshold in plans.items():
        told_of, cost = _plan(case, strategy, plan, threshold, posts)
        outcomes += told_of
        costs += cost
    return Operating(
        pd.DataFrame(rows, columns=list(THRESHOLDS)),
        pd.DataFrame(outcomes),
        pd.DataFrame(costs, columns=list(COSTS)),
        tuple(told),
    )


def _act_above(case: Case, domain: str, points: dict[object, review.OperatingPoint]) -> Floats | float:
    """The threshold of all, or (n,) that of each post's group."""
    if domain == "all":
        return points["all"].act_above
    return np.array([points[group].act_above for group in case.group(domain).astype(str).tolist()])


def _points(case: Case, domain: str) -> tuple[dict[object, review.OperatingPoint], list[str]]:
    """Thresholds by group, and the warnings about groups that take the threshold of all."""
    s = case.settings
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        points = review.choose_thresholds(
            case.y,
            case.proba,
            min_precision=s.min_precision or 0.0,
            max_false_positive_rate=1.0 if s.max_false_positive_rate is None else s.max_false_positive_rate,
            level=s.level,
            sample_weight=case.weight,
            group=None if domain == "all" else case.group(domain).astype(str),
        )
    return points, [f"{case.target}, {domain}: {one.message}" for one in caught]


def _plan(
    case: Case, strategy: str, plan: str, threshold: Floats | float, posts: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Metrics of one plan with intervals, and its cost where the study gives prices.

    The plans with the classifier's own threshold review on both sides of it; with three outcomes, posts above the
    threshold are acted on unread. In both a post that is not read keeps the classifier's decision.
    """
    if plan.startswith(THREE):
        lowest = float(np.min(threshold))
        score = case.scores([strategy], threshold=min(lowest, 1.0))[strategy]
        share = case.share_read(score)
        cells: Any = review.outcomes(
            case.y, case.proba, score, act_above=threshold, review_fraction=share, sample_weight=case.weight
        )
        found = case.found.estimate(
            review.outcome_metrics, case.y, case.proba, score, act_above=threshold, review_fraction=share
        )
        named = dict(zip(review.OutcomeMetrics._fields, found, strict=True))
    else:
        score = case.scores([strategy])[strategy]
        share = 0.0 if plan == ALONE else case.share_read(score)
        above = case.proba > threshold
        cells = _both_sides(case.y, above, score, share, case.weight)
        found = case.found.estimate(_both_sides_metrics, case.y, above.astype(np.float64), score, share=share)
        named = dict(zip(review.OutcomeMetrics._fields, found, strict=True))
    key = {**case.key, "plan": plan}
    rows = [{**key, "metric": metric, **estimate.as_dict()} for metric, estimate in named.items()]
    return rows, _cost(case, plan, cells, posts, readings=case.review_fraction / share if share else 1.0)


def _both_sides(y: Floats, above: Any, score: Floats, share: float, weight: Floats) -> review.Outcomes:
    """The six cells where posts on both sides of the threshold may be read."""
    read = np.zeros(len(y))
    if share:
        read = metrics.reviewed_share(score, review_fraction=share, sample_weight=weight)
    flagged, positive = np.asarray(above, dtype=bool), y == 1.0
    parts = (flagged * (1 - read), read, ~flagged * (1 - read))
    return review.Outcomes(*(float(weight[side] @ part[side]) for part in parts for side in (positive, ~positive)))


def _both_sides_metrics(
    y: Floats, above: Floats, score: Floats, *, share: float, sample_weight: Floats
) -> review.OutcomeMetrics:
    return review.metrics_of(_both_sides(y, above, score, share, sample_weight))


def _cost(case: Case, plan: str, cells: review.Outcomes, posts: int, *, readings: float) -> list[dict[str, Any]]:
    """The cost of a plan for all posts; ``readings`` is how often a post that is read is read."""
    scale = posts / sum(cells)
    scaled = review.Outcomes(*(cell * scale for cell in cells))
    row: dict[str, Any] = {
        "target": case.target,
        "scorer": case.scorer,
        "plan": plan,
        "posts": posts,
        "acted": scaled.acted_positive + scaled.acted_negative,
        "reviewed": scaled.reviewed_positive + scaled.reviewed_negative,
        "missed": scaled.left_positive,
        "wrongly_removed": scaled.acted_negative,
    }
    cost = case.settings.cost
    if cost is None:
        return [{**row, "currency": None}]
    priced = review.cost_of(
        scaled, missed=cost.missed, removed=cost.wrongly_removed, minute=cost.minute,
        minutes_per_post=cost.minutes_per_post * readings,
    )  # fmt: skip
    return [{**row, **priced._asdict(), "currency": cost.currency}]
