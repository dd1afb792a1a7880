"""What the desk's decisions say so far: what review found, whether moderators agree, what each strategy brought."""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate import review
from comoderate.agreement import counts_from_annotations, fleiss_kappa, percent_agreement
from comoderate.annotation import Database, DeskSettings
from comoderate.annotation.chance import chance
from comoderate.annotation.decisions import ESCALATE
from comoderate.corpus import read_frame, read_metadata
from comoderate.metrics import Estimate
from comoderate.sampling import hajek_mean
from comoderate.study import cases, desk, experiment, snapshot
from comoderate.study.estimating import FEW

if TYPE_CHECKING:
    from comoderate.study.study import Study

Content = dict[str, Any]


def outcomes(made: pd.DataFrame, positive: tuple[str, ...]) -> pd.DataFrame:
    """A row a decided post: post_id, source, pi, decided_at (of the last decision), readings, positive, wrong,
    overturned, seconds.

    ``positive`` is what the last decision says; ``wrong`` whether the scorer said otherwise, NaN where it gave no
    score; ``overturned`` whether the last decision changed the first one, NaN where there is one; ``seconds`` all that
    readers spent on the post, escalations included, NaN where any is unknown.

    Args:
        made: as :func:`comoderate.study.desk.decision_frame` gives.
        positive: the answers that break the policy.
    """
    said = made[made["action"] != ESCALATE]
    if said.empty:
        names = ("source", "pi", "decided_at", "readings", "positive", "wrong", "overturned", "seconds")
        return pd.DataFrame({"post_id": [], **{name: pd.Series(dtype="float64") for name in names}})
    said = said.assign(positive=said["action"].isin(positive))
    posts = said.groupby("post_id", sort=False)
    first, last = posts["positive"].first(), posts["positive"].last()
    proba, threshold = posts["proba"].first(), posts["threshold"].first()
    spent = made.groupby("post_id", sort=False)["seconds"].agg(lambda values: values.sum(skipna=False))
    table = pd.DataFrame(
        {
            "source": posts["source"].first(),
            "pi": posts["pi"].first(),
            "decided_at": posts["decided_at"].last(),
            "readings": posts.size(),
            "positive": last,
            "wrong": (last != (proba > threshold)).astype("float64").where(proba.notna()),
        }
    )
    table["overturned"] = (first != last).astype("float64").where(table["readings"] > 1)
    return table.assign(seconds=spent.reindex(table.index)).reset_index()


def numbers(made: pd.DataFrame, study: Study, rules: DeskSettings) -> Content:
    """The desk's numbers, as plain Estimates' fields.

    Returns:
        posts, decisions; efficiency (share of the posts chosen by score on which the scorer was wrong), audit and queue
        (share of positives: in the stream, by the random posts; among the chosen ones, which is no estimate), agreement
        and kappa (of two moderators on posts drawn at random for a second reading), read_twice (such posts), seconds
        (median of a decision), people (a row a moderator: actor, decisions, seconds), experiment (rows of
        :func:`comoderate.study.experiment.compare`; empty without one) and experiment_posts (decided ones that count).
    """
    level = study.settings.evaluate.level
    target = cases.target_of(study)
    positive = study.settings.target[target].positive_answers(study.settings.codebook)
    found = outcomes(made, positive)
    found = found[(found["source"] != "audit") | found["pi"].notna()]
    wrong = found.loc[(found["source"] == "queue") & found["wrong"].notna(), "wrong"].to_numpy(dtype=np.float64)
    ones = np.ones(len(wrong))
    apart = review.shares_apart(
        found["positive"].to_numpy(dtype=np.float64), (found["source"] == "audit").to_numpy(dtype=bool),
        found["pi"].to_numpy(dtype=np.float64), level=level,
    )  # fmt: skip
    compared, counted = experiments(found, study.folder, level)
    said = made[made["action"] != ESCALATE]
    return {
        "posts": len(found),
        "decisions": len(said),
        "efficiency": marked(hajek_mean(wrong, ones, interval="wilson", level=level)),
        "audit": marked(apart.audit),
        "queue": marked(apart.queue),
        **agreement(said, rules, level),
        "seconds": float(said["seconds"].median()) if said["seconds"].notna().any() else None,
        "people": people(said),
        "experiment": compared,
        "experiment_posts": counted,
    }


def marked(found: Estimate) -> Content:
    """An estimate's fields, and whether it rests on too few posts to say much."""
    return {**found.as_dict(), "few": found.n < FEW}


def agreement(said: pd.DataFrame, rules: DeskSettings, level: float) -> Content:
    """Agreement of moderators on the posts that chance, not a moderator, sent to a second reading."""
    independent = said[said["stage"].isin(["first", "second"])].drop_duplicates(["post_id", "actor"], keep="last")
    lots = {
        (post, target): chance(rules.seed, "second", desk.QUEUE, post, target) < rules.second_rate
        for post, target in independent[["post_id", "target"]].drop_duplicates().itertuples(index=False)
    }
    drawn = [lots[key] for key in independent[["post_id", "target"]].itertuples(index=False, name=None)]
    mine = independent[np.array(drawn, dtype=bool)]
    item, posts = pd.factorize(mine["post_id"])
    code = pd.Index(rules.actions).get_indexer(pd.Index(mine["action"]))
    known = code >= 0
    counts = counts_from_annotations(
        item[known].astype(np.int64), code[known].astype(np.int64), n_items=len(posts), n_categories=len(rules.actions)
    )
    twice = int((counts.sum(axis=1) >= 2).sum())
    if not twice:
        nothing = marked(Estimate.undefined("no post drawn for it was read twice yet", level=level))
        return {"agreement": nothing, "kappa": nothing, "read_twice": 0}
    return {
        "agreement": {**percent_agreement(counts, level=level).as_dict(), "few": twice < FEW},
        "kappa": {**fleiss_kappa(counts, level=level).as_dict(), "few": twice < FEW},
        "read_twice": twice,
    }


def people(said: pd.DataFrame) -> list[Content]:
    """A row a moderator: actor, decisions, median seconds; those with most decisions first."""
    if said.empty:
        return []
    table = said.groupby("actor").agg(decisions=("post_id", "size"), seconds=("seconds", "median")).reset_index()
    ordered = table.sort_values("decisions", ascending=False)
    return snapshot.rows(ordered)


def experiments(found: pd.DataFrame, folder: Path, level: float) -> tuple[list[Content], int]:
    """The newest two strategies compared over all rounds in which both were read, and how many posts count.

    A round is one making of the queue. A decision belongs to the round that was on the desk when it was made, and each
    round counts as far down its lists as all that it chose was decided.
    """
    files = sorted((folder / desk.ROUNDS).glob("*.parquet"))
    if not files:
        return [], 0
    abouts = [read_metadata(path) for path in files]
    since = [pd.Timestamp(about["since"]) for about in abouts] + [pd.Timestamp.max.tz_localize("UTC")]
    names = (abouts[-1]["first"], abouts[-1]["second"])
    parts = []
    for at, (path, about) in enumerate(zip(files, abouts, strict=True)):
        if (about["first"], about["second"]) == names:
            parts.append(_round(read_frame(path), found, since[at], since[at + 1]))
    together = pd.concat(parts, ignore_index=True)
    table = experiment.compare(together, names=names, depth=2**31, level=level)
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")], len(together)


def _round(chosen: pd.DataFrame, found: pd.DataFrame, since: pd.Timestamp, until: pd.Timestamp) -> pd.DataFrame:
    """The decided posts of one round; places below its depth are NaN."""
    if len(found):
        chosen = chosen[~chosen["post_id"].isin(found.loc[found["decided_at"] < since, "post_id"])]
    inside = found[(found["decided_at"] >= since) & (found["decided_at"] < until)] if len(found) else found
    rows = chosen.merge(inside, on="post_id", how="left")
    decided = rows["readings"].notna()
    reach = experiment.depth(rows["rank_first"], rows["rank_second"], decided)
    for name in ("rank_first", "rank_second"):
        rows[name] = rows[name].where(rows[name] <= reach)
    kept: pd.DataFrame = rows[decided & (rows["rank_first"].notna() | rows["rank_second"].notna())]
    return kept


class LiveDesk:
    """The desk's numbers, computed again at most once in ``every`` seconds.

    Args:
        study: the study.
        db: its database, open.
        every: seconds.
    """

    def __init__(self, study: Study, db: Database, *, every: float = 10.0) -> None:
        self.study, self.db, self.every = study, db, every
        self._at = -math.inf
        self._held: Content = {}
        self._lock = threading.Lock()

    def numbers(self) -> Content:
        """As :func:`numbers`."""
        with self._lock:
            if not self._held or time.monotonic() - self._at > self.every:
                rules = desk.rules(self.study)
                self._held = numbers(desk.decision_frame(self.db), self.study, rules)
                self._at = time.monotonic()
            return self._held
