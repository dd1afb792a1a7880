"""From annotations to ratings: which rater called which post positive for a target, and what a post's label is."""

from __future__ import annotations

import numpy as np
import pandas as pd

from comoderate.codebook import Codebook, Target

MEASURING = ("sample", "audit", "import")
"""Sources whose labels may enter an estimate, where the post has a known inclusion probability."""

SURFACE = (*MEASURING, "assess")
"""Sources whose labels may enter an accuracy surface, which speaks of each arm by itself.

Assessment chooses arms by how little is known of them and draws at random within: its labels say what an arm is like,
but never how much there is overall, not even where the post happens to be in a sample.
"""

TRAINING = (*SURFACE, "queue", "appeal")
"""Sources whose labels may train; gold and tutorial answers test raters and do neither."""


def asked(annotations: pd.DataFrame, codebook: Codebook, question: str) -> pd.DataFrame:
    """The raters who were asked ``question``: post_id, rater_id, cohort, source, a row a rater and post.

    A rater was asked where the codebook's conditions hold for the rater's own answers. Votes without raters count as
    asked where they answered. A cohort of which nobody ever answered the question was not asked it at all.
    """
    keys = ["post_id", "rater_id", "cohort", "source"]
    cohorts = annotations.loc[annotations["question"] == question, "cohort"].unique()
    known = annotations[annotations["rater_id"].notna() & annotations["cohort"].isin(cohorts)]
    if codebook.question[question].when is None:
        return known[known["question"] == question][keys].drop_duplicates(ignore_index=True)
    rater = known.groupby(keys, sort=False).ngroup().to_numpy()  # one after the other, as they first appear
    said: list[list[tuple[str, str]]] = [[] for _ in range(int(rater.max(initial=-1)) + 1)]
    for number, one, answer in zip(rater.tolist(), known["question"], known["answer"], strict=True):
        said[number].append((one, answer))
    cache: dict[tuple[tuple[str, str], ...], bool] = {}

    def was_asked(given: tuple[tuple[str, str], ...]) -> bool:
        if given not in cache:
            ticked: dict[str, set[str]] = {}
            for one, answer in given:
                ticked.setdefault(one, set()).add(answer)
            cache[given] = question in codebook.asked(ticked)
        return cache[given]

    mask = np.array([was_asked(tuple(given)) for given in said], dtype=bool)
    return known[keys].drop_duplicates(ignore_index=True)[mask].reset_index(drop=True)


def answered(annotations: pd.DataFrame, codebook: Codebook, question: str) -> pd.DataFrame:
    """The annotations that answer ``question``, without those of raters whom the codebook did not ask."""
    mine = annotations[annotations["question"] == question]
    if codebook.question[question].when is None:
        return mine
    keys = ["post_id", "rater_id", "cohort", "source"]
    return mine.merge(asked(annotations, codebook, question), on=keys, how="inner")


def ratings(annotations: pd.DataFrame, codebook: Codebook, target: Target) -> pd.DataFrame:
    """One row a rating: post_id, cohort, source, rater_id (None for votes), positive (bool).

    A rater who was not asked the target's question gives no rating, neither positive nor negative.
    """
    mine = answered(annotations, codebook, target.question)
    positive = mine.assign(positive=mine["answer"].isin(target.positive_answers(codebook)))
    columns = ["post_id", "cohort", "source", "rater_id", "positive"]
    if codebook.question[target.question].kind != "multiple":
        return positive[columns].reset_index(drop=True)
    keys = ["post_id", "rater_id", "cohort", "source"]
    ticked = positive.groupby(keys, sort=False, as_index=False)["positive"].any()
    found = asked(annotations, codebook, target.question).merge(ticked, on=keys, how="left")
    found["positive"] = found["positive"].eq(True)
    return found[columns]


def aggregate(rated: pd.DataFrame, target: Target) -> pd.DataFrame:
    """The label of each post for each cohort: post_id, cohort, source, n_ratings, n_positive, y, y_soft.

    ``y`` is 0, 1, or NaN where the target's rules give no label; ``y_soft`` is the share of positive ratings. A post
    labelled for several reasons keeps the source of its first rating.
    """
    groups = rated.groupby(["post_id", "cohort"], sort=False)
    table = groups.agg(source=("source", "first"), n_ratings=("positive", "size"), n_positive=("positive", "sum"))
    table = table.reset_index()
    table["n_positive"] = table["n_positive"].astype("int64")
    table["y_soft"] = table["n_positive"] / table["n_ratings"]
    table["y"] = label(table["n_positive"].to_numpy(), table["n_ratings"].to_numpy(), target)
    return table[["post_id", "cohort", "source", "n_ratings", "n_positive", "y", "y_soft"]]


def label(positive: np.ndarray, total: np.ndarray, target: Target) -> np.ndarray:
    """0, 1 or NaN for posts with ``positive`` of ``total`` ratings, by the target's aggregation and tie rule.

    What needs more than these counts (raters, other cohorts, the order of answers) is up to
    :mod:`comoderate.study.aggregating`.
    """
    if target.aggregation == "any":
        return np.asarray(positive > 0, dtype=np.float64)
    if target.aggregation == "soft":
        return np.where(positive == total, 1.0, np.where(positive == 0, 0.0, np.nan))
    tie = {"positive": 1.0, "negative": 0.0}.get(target.ties, np.nan)
    return np.where(2 * positive > total, 1.0, np.where(2 * positive < total, 0.0, tie))
