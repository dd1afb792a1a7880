"""From annotations to labels by the target's rule: votes, medians of ordinal answers, or models of who errs how."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.agreement import DawidSkene, HierarchicalDawidSkene, OneCoinDawidSkene, counts_from_annotations
from comoderate.codebook import Codebook, Target
from comoderate.codebook.targets import MODELS
from comoderate.errors import ComoderateError
from comoderate.study.ratings import aggregate, answered, ratings

Floats = NDArray[np.float64]
_CLASSES = {"dawid_skene": DawidSkene, "one_coin": OneCoinDawidSkene, "hierarchical": HierarchicalDawidSkene}


class Coded(NamedTuple):
    """The answers that a target reads, as codes.

    Attributes:
        rows: post_id, cohort, rater_id, code; a row a rating.
        positive: (q,) which codes are positive.
        ordinal: whether codes have an order.
    """

    rows: pd.DataFrame
    positive: NDArray[np.bool_]
    ordinal: bool


class Modelled(NamedTuple):
    """What a model says about the posts of one cohort.

    Attributes:
        posts: their ids.
        probas: (posts, q) probabilities of answers.
        confusion: (q, q) what a rater answers, given the true answer; the mean over raters, by their ratings.
    """

    posts: pd.Index
    probas: Floats
    confusion: Floats


def label_table(annotations: pd.DataFrame, codebook: Codebook, name: str, target: Target) -> pd.DataFrame:
    """The label of each post for each cohort: post_id, cohort, source, n_ratings, n_positive, y, y_soft.

    Args:
        annotations: the snapshot, without gold and tutorial answers.
        codebook: the questions.
        name: the target's name, for messages.
        target: the target.

    Returns:
        ``y`` is 0, 1, or NaN where the rules give no label. ``y_soft`` is the share of positive ratings, or the
        probability that a model gives; ``y`` is then whether it is above one half.

    Raises:
        ComoderateError: a model is asked for where raters are unknown.
    """
    table = aggregate(ratings(annotations, codebook, target), target)
    if target.aggregation in MODELS:
        return _with_models(table, coded(annotations, codebook, target), name, target)
    if target.aggregation == "majority":
        if codebook.question[target.question].kind == "ordinal":
            table["y"] = _medians(table, coded(annotations, codebook, target), target)
        if target.ties == "experts":
            table["y"] = _settled(table, target)
    return table


def collapsed(table: pd.DataFrame, name: str, target: Target) -> list[str]:
    """What to know where a model calls all posts of a cohort alike although their raters differ."""
    if target.aggregation not in MODELS:
        return []
    return [
        f"target {name!r}: {target.aggregation!r} calls all posts rated by {cohort} alike, as happens where raters "
        "agree little more than by chance; 'majority' or anchors may serve better"
        for cohort, rows in table.groupby("cohort", sort=False)
        if rows["y"].nunique() == 1 and (2 * rows["n_positive"] > rows["n_ratings"]).nunique() == 2
    ]


def coded(annotations: pd.DataFrame, codebook: Codebook, target: Target) -> Coded:
    """The answers that a target reads; of a question with several answers only whether a rater's are positive."""
    question = codebook.question[target.question]
    columns = ["post_id", "cohort", "rater_id"]
    if question.kind == "multiple":
        rated = ratings(annotations, codebook, target)
        rows = rated[columns].assign(code=rated["positive"].astype("int64"))
        return Coded(rows, np.array([False, True]), False)
    mine = answered(annotations, codebook, target.question)
    rows = mine[columns].assign(code=pd.Index(question.answers).get_indexer(pd.Index(mine["answer"])))
    positive = np.isin(question.answers, target.positive_answers(codebook))
    return Coded(rows, np.asarray(positive), question.kind == "ordinal")


def fit(found: Coded, cohort: str, name: str, target: Target) -> Modelled:
    """The target's model of one cohort's posts, with the answers of the anchors beside the cohort's own.

    Raises:
        ComoderateError: raters are unknown.
    """
    cohorts = [cohort, *([target.anchor_cohort] if target.anchor_cohort not in (None, cohort) else [])]
    rows = found.rows[found.rows["cohort"].isin(cohorts)]
    if rows["rater_id"].isna().any():
        who = rows.loc[rows["rater_id"].isna(), "cohort"].iloc[0]
        raise ComoderateError(
            f"{target.aggregation!r} needs to know who answered, and the votes of {who!r} have no raters",
            where=f"target.{name}.aggregation",
            do="choose 'majority' or 'soft', or name rater_id under [annotations]",
        )
    item, posts = pd.factorize(rows["post_id"])
    rater, _ = pd.factorize(rows["cohort"] + "\x1f" + rows["rater_id"].astype(str))
    anchors = tuple(code for code, one in enumerate(cohorts) if one == target.anchor_cohort)
    model = _CLASSES[target.aggregation](ordinal=found.ordinal, anchors=anchors)
    codes = pd.Index(cohorts).get_indexer(pd.Index(rows["cohort"]))
    answer = rows["code"].to_numpy(dtype=np.int64)
    model.fit(item, rater, answer, cohort=codes, n_categories=len(found.positive))
    own = np.bincount(rater[codes == 0], minlength=len(model.confusion_))
    usual = np.average(model.confusion_, axis=0, weights=own)
    return Modelled(pd.Index(posts), model.probas_, usual)


def _with_models(table: pd.DataFrame, found: Coded, name: str, target: Target) -> pd.DataFrame:
    for cohort in table["cohort"].unique():
        modelled = fit(found, cohort, name, target)
        chance = pd.Series(modelled.probas[:, found.positive].sum(axis=1), index=modelled.posts)
        mine = table["cohort"] == cohort
        table.loc[mine, "y_soft"] = np.clip(chance.reindex(table.loc[mine, "post_id"]).to_numpy(), 0.0, 1.0)
    table["y"] = (table["y_soft"] > 0.5).astype("float64").where(table["y_soft"].notna())
    return table


def _medians(table: pd.DataFrame, found: Coded, target: Target) -> Floats:
    """Labels of ordinal answers: that of the median answer; a tie where the two middle answers differ about it."""
    item = pd.MultiIndex.from_frame(table[["post_id", "cohort"]]).get_indexer(
        pd.MultiIndex.from_frame(found.rows[["post_id", "cohort"]])
    )
    codes = found.rows["code"].to_numpy(dtype=np.int64)
    counts = counts_from_annotations(item, codes, n_items=len(table), n_categories=len(found.positive))
    reached, half = np.cumsum(counts, axis=1), counts.sum(axis=1, keepdims=True) / 2
    low, high = (reached >= half).argmax(axis=1), (reached > half).argmax(axis=1)
    agree = found.positive[low] == found.positive[high]
    tie = np.full(len(table), {"positive": 1.0, "negative": 0.0}.get(target.ties, np.nan))
    if target.ties == "ordinal-median":
        tie = found.positive[(low + high) // 2].astype(np.float64)
    return np.asarray(np.where(agree, found.positive[low], tie), dtype=np.float64)


def _settled(table: pd.DataFrame, target: Target) -> pd.Series:
    """Labels with even splits of other cohorts settled by the tie cohort's own label of the same post."""
    experts = table[table["cohort"] == target.tie_cohort].set_index("post_id")["y"]
    theirs = pd.Series(experts.reindex(table["post_id"]).to_numpy(), index=table.index)
    return table["y"].fillna(theirs)
