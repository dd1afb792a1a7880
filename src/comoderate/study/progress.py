"""How far labelling has come: not only how many labels, but how sharp the estimate is beside what was planned."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from comoderate.metrics import Estimate
from comoderate.study import planning, tables
from comoderate.study.estimating import FEW

if TYPE_CHECKING:
    from comoderate.study.study import Study

COLUMNS = (
    "target", "sample", "cohort", "unit", "drawn", "labelled", "ratings", "value", "se", "low", "high", "planned_se",
    "se_at_end", "posts_needed", "ratings_needed", "overlap", "done", "few", "reason",
)  # fmt: skip


def progress_table(study: Study) -> pd.DataFrame:
    """A row a target and measuring cohort, from the snapshot of labels.

    Returns:
        target, sample, cohort, unit (what the share is a share of), drawn (posts in the sample), labelled (those with a
        label), ratings, value, se, low, high (share of positives so far, weighted), planned_se (what the sample's plan
        promises; NaN without one), se_at_end (what today's error becomes when the whole sample is labelled),
        posts_needed and ratings_needed (until today's error has fallen to the planned one, at ``overlap`` ratings a
        post: the campaign's, or without one the plan's), done (share of the posts needed in all that are labelled), few
        (too few labels to say much), reason (why something is unknown or doubtful; None where all is well).
    """
    planned = _planned(study)
    rows = []
    for target in study.settings.target:
        unit = tables.unit_of(study, target)
        for sample, cohort in tables.measured(study):
            promised = planned.get(sample) if unit == "posts" else None
            rows.append(_row(study, target, sample, cohort, promised) | {"unit": unit})
    return pd.DataFrame(rows, columns=list(COLUMNS))


class Promise(NamedTuple):
    """What a sample's plan promises: a standard error, for the share that it took for granted."""

    se: float
    share: float


def _planned(study: Study) -> dict[str, Promise]:
    """What each sample's plan promises, for the estimand of the study."""
    table = planning.plans(study).table
    return {str(row["sample"]): Promise(float(row["se"]), float(row["share"])) for row in table.to_dict("records")}


def _row(study: Study, target: str, sample: str, cohort: str, promised: Promise | None) -> dict[str, Any]:
    labelled = study.labelled_with_warnings(target, sample, cohort).frame
    whole = study.prevalence(target, sample, cohort).iloc[0]
    found = Estimate.from_dict({str(name): value for name, value in whole.items()})
    done = int((labelled["weight"] > 0).sum())
    left = max(len(labelled) - done, 0)
    error = spread(found)
    planned_se = math.nan if promised is None else promised.se
    posts, reason = needed(done, left, error, planned_se)
    overlap = _overlap(study, sample, cohort)
    if promised is not None and posts > left:
        reason = f"{reason}; the plan took a share of {100 * promised.share:.3g} % for granted"
    return {
        "target": target, "sample": sample, "cohort": cohort, "drawn": len(labelled), "labelled": done,
        "ratings": int(labelled["n_ratings"].sum()), "value": found.value, "se": error, "low": found.low,
        "high": found.high, "planned_se": planned_se,
        "se_at_end": error * math.sqrt(done / len(labelled)) if done and left else error,
        "posts_needed": posts, "ratings_needed": posts * overlap,
        "overlap": overlap, "done": done / (done + posts) if done + posts else 1.0,
        "few": done < FEW, "reason": reason or found.reason,
    }  # fmt: skip


def _overlap(study: Study, sample: str, cohort: str) -> int:
    """Ratings a post: as the campaign asks in which the cohort labels the sample, without one as the plan says."""
    s = study.settings
    asked = (one.overlap for one in s.campaign.values() if (one.sample, one.cohort) == (sample, cohort))
    return next(asked, s.plan.overlap)


def spread(found: Estimate) -> float:
    """The standard error of an estimate; where it is 0, as when no positive was found yet, that of its interval.

    An interval of normal width at its level has the standard error (high - low) / (2 z).
    """
    if found.se > 0 or math.isnan(found.low):
        return found.se
    from scipy.special import ndtri

    return float((found.high - found.low) / (2.0 * ndtri((1.0 + found.level) / 2.0)))


def needed(done: int, left: int, error: float, planned: float) -> tuple[int, str | None]:
    """How many more posts must be labelled until the error has fallen to the planned one, and what stands against it.

    The error falls with the square root of the number of labelled posts, at the design effect and the share seen so
    far: n (error / planned)² posts in all.

    Args:
        done, left: posts labelled, and drawn posts without a label.
        error: today's standard error; NaN where unknown.
        planned: that of the plan; NaN where there is none.
    """
    if math.isnan(planned) or planned <= 0:
        return left, "no standard error was planned for it: all drawn posts count as needed"
    if done < FEW or math.isnan(error):
        return left, f"fewer than {FEW} labelled posts say too little: all drawn posts count as needed"
    more = max(int(np.ceil(done * (error / planned) ** 2 - 1e-9)) - done, 0)
    if more > left:
        return more, f"the sample holds {left} more posts only: draw a larger one, or accept a wider interval"
    return more, None
