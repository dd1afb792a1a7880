"""Moderators who err and days instead of shares: the pair's metrics without the oracle, backlog and waiting time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate import review
from comoderate.codebook.targets import MODELS
from comoderate.errors import ComoderateError
from comoderate.study import aggregating
from comoderate.study.cases import Case, Floats
from comoderate.study.estimating import FEW
from comoderate.study.ratings import TRAINING

if TYPE_CHECKING:
    from comoderate.study.study import Study

ERRING = (
    "target", "sample", "truth", "scorer", "strategy", "review_fraction", "metric", "value", "sensitivity",
    "specificity", "readings", "fatigue",
)  # fmt: skip
DAYS = ("day", "arrived", "read", "waiting", "sent_at_once")
STREAM = ("strategy", "per_day", "days", "arrived", "read", "never_read", "mean_wait", "longest_wait", "most_waiting")
WITHOUT_ORACLE = {
    "oracle_collaborative_accuracy": review.collaborative_accuracy,
    "oracle_collaborative_auroc": review.collaborative_auroc,
    "oracle_collaborative_average_precision": review.collaborative_average_precision,
}
"""The metric without an oracle beside the name of the one with."""


def confusion(study: Study, target: str, cohort: str, against: str) -> Floats:
    """Weighted answers of one cohort against the labels of another on the same posts, (2, 2).

    Rows are the other cohort's label (negative, positive), columns what a rater of the first says, so that a row's
    shares are those of one moderator, not of a majority.

    Raises:
        ComoderateError: fewer than thirty posts were labelled by both, or of one class only.
    """
    rows = study.labelled_with_warnings(target, study.sample_for(against), against).frame
    labels = study.labels(target)
    said = labels[labels["cohort"] == cohort].set_index("post_id")["y_soft"].reindex(rows["post_id"]).to_numpy()
    y, weight = rows["y"].to_numpy(dtype=np.float64), rows["weight"].to_numpy(dtype=np.float64)
    both = (weight > 0) & ~np.isnan(said) & ~np.isnan(y)
    if both.sum() < FEW or len(np.unique(y[both])) < 2:
        raise ComoderateError(
            f"{int(both.sum())} posts were labelled by {cohort} and by {against} for target {target!r}, which is not"
            " enough to tell how often moderators err",
            do="give sensitivity and specificity under [review.moderators]",
        )
    table = [
        [float(weight[both & (y == truth)] @ share[both & (y == truth)]) for share in (1 - said, said)]
        for truth in (0.0, 1.0)
    ]
    return np.array(table)


def skills(study: Study, target: str, cohort: str) -> Floats:
    """What a rater of a cohort says of positive and of negative posts by the target's model of raters, (2, 2).

    The model learns the raters' confusion matrices and the labels together; no other cohort is needed. Its matrix over
    all answers is drawn together to positive and negative, true answers counting by how common they are. Rows are the
    truth (negative, positive), columns what is said.
    """
    s = study.settings
    notes = study.annotations()
    found = aggregating.coded(notes[notes["source"].isin(TRAINING)], s.codebook, s.target[target])
    model = aggregating.fit(found, cohort, target, s.target[target])
    joint = model.probas.mean(axis=0)[:, None] * model.confusion
    sides = (~found.positive, found.positive)
    return np.array([[joint[np.ix_(truth, said)].sum() for said in sides] for truth in sides])


def moderators_of(study: Study, case: Case) -> review.Moderators | None:
    """The moderators that ``[review.moderators]`` describes; None where it is not there."""
    own = case.settings.moderators
    if own is None:
        return None
    shared: dict[str, Any] = {"readings": own.readings, "fatigue": own.fatigue, "shift": own.shift}
    if own.from_ is None:
        return review.Moderators(sensitivity=own.sensitivity, specificity=own.specificity, **shared)
    if own.against is None and study.settings.target[case.target].aggregation in MODELS:
        return review.Moderators.from_confusion(skills(study, case.target, own.from_), **shared)
    against = own.against or next((one for one in study.cohorts if one != own.from_), None)
    if against is None:
        raise ComoderateError(
            f"there is no other cohort to measure {own.from_} against",
            do="give sensitivity and specificity under [review.moderators]",
        )
    return review.Moderators.from_confusion(confusion(study, case.target, own.from_, against), **shared)


def erring_table(case: Case, moderators: review.Moderators, strategies: tuple[str, ...]) -> pd.DataFrame:
    """The pair's metrics with moderators who err, under the names of those with an oracle, to stand beside them."""
    rows: list[dict[str, Any]] = []
    about = {name: getattr(moderators, name) for name in ("sensitivity", "specificity", "readings", "fatigue")}
    for name, score in case.scores(strategies).items():
        for metric, fn in WITHOUT_ORACLE.items():
            extra = {"threshold": case.settings.threshold} if fn is review.collaborative_accuracy else {}
            values = fn(
                case.y, case.proba, score, review_fraction=list(case.settings.fractions), moderators=moderators,
                readings=case.readings, sample_weight=case.weight, **extra,
            )  # fmt: skip
            for share, value in zip(case.settings.fractions, values, strict=True):
                row = {**case.key, "strategy": name, "review_fraction": share, "metric": metric, "value": float(value)}
                rows.append({**row, **about})
    return pd.DataFrame(rows, columns=list(ERRING))


def stream_tables(
    days: pd.Series,
    score: Floats,
    *,
    strategy: str,
    per_day: int,
    max_wait: int | None,
    readings: Floats | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What a capacity of posts a day does to a stream: a row a day, and one row for all days.

    Args:
        days: (n,) the day of each post.
        score: (n,) review scores.
        strategy: its name.
        per_day: readings a day.
        max_wait: days after which a post that was not read leaves the queue.
        readings: (n,) how often each post is read; once where not given.

    Returns:
        day, arrived, read, waiting (at the day's end), sent_at_once (by a threshold that decides on arrival and never
        looks back); and the summary.
    """
    known = days.notna().to_numpy()
    when = pd.to_datetime(days[known])
    number = (when - when.min()).dt.days.to_numpy(dtype=np.int64)
    own = score[known]
    times = np.ones(len(own)) if readings is None else np.minimum(readings[known], per_day)
    found = review.review_stream(number, own, capacity=per_day, readings=times, max_wait=max_wait)
    n_days, total = len(found.read), len(own)
    sent = np.zeros(total, dtype=bool)
    share = float(review.share_read(own, times, review_fraction=min(per_day * n_days / max(total, 1), 1.0))[0])
    order = np.argsort(number, kind="stable")
    if 0 < share < 1:
        sent[order] = review.OnlineThreshold(share, horizon=max(per_day, 50)).update(own[order])
    else:
        sent[:] = True
    table = pd.DataFrame(
        {
            "day": pd.date_range(when.min(), periods=n_days, freq="D").strftime("%Y-%m-%d"),
            "arrived": np.bincount(number, minlength=n_days),
            "read": found.read,
            "waiting": found.backlog,
            "sent_at_once": np.bincount(number, weights=sent, minlength=n_days).astype(np.int64),
        }
    )
    waited = found.waited[~np.isnan(found.waited)]
    summary = {
        "strategy": strategy, "per_day": per_day, "days": n_days, "arrived": total, "read": int(found.read.sum()),
        "never_read": int(total - found.read.sum()), "mean_wait": float(waited.mean()) if len(waited) else np.nan,
        "longest_wait": float(waited.max()) if len(waited) else np.nan, "most_waiting": int(found.backlog.max()),
    }  # fmt: skip
    return table[list(DAYS)], pd.DataFrame([summary], columns=list(STREAM))
