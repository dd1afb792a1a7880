"""How much that is: shares turned into numbers of posts, a day and a year, and one every so many seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate.corpus import read_frame
from comoderate.metrics import Estimate
from comoderate.sampling import hajek_mean, scaled
from comoderate.study import drawing, phases
from comoderate.study.posts import FIRST_PHASE
from comoderate.study.units import MENTIONS, POSTS, mention_rows, post_rows

if TYPE_CHECKING:
    from comoderate.study.study import Study

DAY = 86_400.0
PERIODS = {"30 seconds": 30 / DAY, "day": 1.0, "365 days": 365.0}
"""Names of periods and their length in days; the whole period of the study is added."""


def scale_table(study: Study) -> pd.DataFrame:
    """How many posts, and mentions, are positive in a period, for each target and its first cohort.

    Returns:
        target, sample, cohort, unit, period, days (its length), total (posts in it, a mean of the days with posts in
        hand), the fields of an Estimate (a number of posts or mentions). Empty for studies without dates.
    """
    found = [row for target in study.settings.target for row in _target(study, target)]
    return pd.DataFrame(found, columns=None if found else ["target", "sample", "unit", "period", "value"])


def _target(study: Study, target: str) -> Iterator[dict[str, Any]]:
    cohort = study.cohort_of(target)
    sample = study.sample_for(cohort)
    counted = days_of(study, sample)
    if counted is None or study.settings.codebook.question[study.settings.target[target].question].when is not None:
        return
    days, level = float(len(counted)), study.settings.evaluate.level
    posts = post_rows(study, target, sample, cohort)
    means = {POSTS: hajek_mean(posts.y, posts.weight, level=level, **posts.design)}
    if study.settings.population is not None:
        mentioned = mention_rows(study, posts).labelled["post_id"].value_counts()
        each = posts.labelled["post_id"].map(mentioned).fillna(0).to_numpy(dtype=np.float64)
        means[MENTIONS] = hajek_mean(posts.y * each, posts.weight, level=level, **posts.design)
    for unit, mean in means.items():
        for period, length in periods(days, float(counted.sum())).items():
            total = float(counted.sum()) / days * length
            key = {"target": target, "sample": sample, "cohort": cohort, "unit": unit, "period": period}
            yield {**key, "days": length, "total": total, **scaled(mean, total).as_dict()}


def periods(days: float, total: float) -> dict[str, float]:
    """Names of periods and their length in days, for a stream of so many posts in so many days.

    A period shorter than a day is there only where a post or more comes in it: nobody needs the share of a post.
    """
    known = {name: length for name, length in PERIODS.items() if length >= 1 or total / days * length >= 1}
    return {**known, f"all {days:,.0f} day{'' if days == 1 else 's'}": days}


def days_of(study: Study, sample: str) -> pd.Series | None:
    """Posts on each day that a sample speaks of; None where posts have no dates."""
    own = study.sample_settings(sample)
    if own.of is not None:
        return days_of(study, own.of)
    strata = read_frame(study.folder / "samples" / f"{sample}.strata.parquet")
    base = strata[strata["phase"].isin(["base", "poisson"])]
    if len(base) and set(base["stratum"]) != {drawing.ALL}:
        return base.set_index("stratum")["N"]
    if "day" not in study.posts().columns:
        return None
    dated = own.model_copy(update={"design": "stratified", "cluster": None})
    with phases.candidates(study, dated, FIRST_PHASE) as found:
        counts = found.counts()
    table, _ = drawing.strata_totals(counts, phases.daily_totals(study))
    return table["N"]


def every(row: Any) -> Estimate:
    """Seconds from one positive post to the next, of a row that counts them in a period of ``days``."""
    seconds = row.days * DAY
    ends = [seconds / value if value > 0 else float("inf") for value in (row.value, row.high, row.low)]
    return Estimate(ends[0], level=row.level, method="seconds between", low=ends[1], high=ends[2], n=row.n)
