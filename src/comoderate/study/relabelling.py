"""Which posts are worth another rating, and which divide their raters."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.agreement import fleiss_kappa, flip_chance, polarisation, relabel_order, soft_labels
from comoderate.agreement.flip import concentration_of
from comoderate.codebook import Codebook, Target
from comoderate.codebook.targets import MODELS
from comoderate.study.aggregating import Coded, Modelled, coded, fit
from comoderate.study.ratings import MEASURING, TRAINING
from comoderate.study.votes import counts_by_post

Floats = NDArray[np.float64]


def next_table(
    annotations: pd.DataFrame,
    codebook: Codebook,
    labels: pd.DataFrame,
    *,
    name: str,
    target: Target,
    cohort: str,
    weight: pd.Series | None = None,
) -> pd.DataFrame:
    """Labelled posts, those on which another rating is worth most first.

    Args:
        annotations: the snapshot.
        codebook: the questions.
        labels: of the target, as ``agree`` wrote them.
        name: the target's name, for messages.
        target: the target, whose rule turns ratings into labels.
        cohort: who would rate.
        weight: how many posts of the stream each stands for, by post_id; 1 for others.

    Returns:
        post_id, n_ratings, n_positive, y, flip_chance (that one more rating changes the label; losing or gaining one
        is a change too), weight. In order of chance times weight; among equals posts with fewer ratings first.
    """
    mine = labels[labels["cohort"] == cohort].reset_index(drop=True)
    mine = mine.drop(columns=["source", "cohort", "y_soft"])
    if target.aggregation in MODELS:
        answers = coded(annotations[annotations["source"].isin(TRAINING)], codebook, target)
        chance = _modelled(fit(answers, cohort, name, target), answers)
        mine["flip_chance"] = chance.reindex(mine["post_id"]).to_numpy()
    else:
        votes = np.stack([mine["n_ratings"] - mine["n_positive"], mine["n_positive"]], axis=1).astype(np.float64)
        mine["flip_chance"] = _voted(votes, target)
    mine["flip_chance"] = mine["flip_chance"].round(12)
    given = 1.0 if weight is None else weight.reindex(mine["post_id"]).fillna(1.0).to_numpy()
    mine["weight"] = given
    order = relabel_order(
        mine["flip_chance"].fillna(0.0), n_ratings=mine["n_ratings"], sample_weight=mine["weight"].to_numpy()
    )
    return mine.iloc[order].reset_index(drop=True)


def _voted(votes: Floats, target: Target) -> Floats:
    """(n,) chance that one more rating changes the label, from votes (n, 2) against and for."""
    if target.aggregation == "majority":
        ties = target.ties if target.ties in ("positive", "negative") else "abstain"
        return flip_chance(votes, ties=ties)
    strength = concentration_of(fleiss_kappa(votes).value)
    usual = np.nanmean(soft_labels(votes), axis=0)
    ahead = (votes + strength * usual) / (votes.sum(axis=1, keepdims=True) + strength)
    if target.aggregation == "any":
        return np.where(votes[:, 1] > 0, 0.0, ahead[:, 1])
    unanimous = votes.min(axis=1) == 0
    return np.where(unanimous, np.where(votes[:, 1] > 0, ahead[:, 0], ahead[:, 1]), 0.0)


def _modelled(found: Modelled, answers: Coded) -> pd.Series:
    """Chance, by post, that a rating by the cohort's usual rater takes the posterior across one half."""
    now = found.probas[:, answers.positive].sum(axis=1) > 0.5
    chance = np.zeros(len(now))
    for column in found.confusion.T:
        joint = found.probas * column
        total = joint.sum(axis=1)
        then = joint[:, answers.positive].sum(axis=1) > 0.5 * total
        chance += total * (then != now)
    return pd.Series(np.clip(chance, 0.0, 1.0), index=found.posts)


def polarised_table(
    annotations: pd.DataFrame, codebook: Codebook, target: Target, cohort: str, *, at_least: float = 0.75
) -> pd.DataFrame:
    """Posts whose raters are split between the ends of the scale, most split first.

    Args:
        annotations: the snapshot; gold and tutorial answers are left out here.
        codebook: the questions.
        target: an ordinal question is taken as it is; of others, whether answers are positive.
        cohort: whose answers.
        at_least: smallest split that is listed; 1: half at each end.

    Returns:
        post_id, n_ratings, polarisation, answers (how often each was given).
    """
    found = coded(annotations[annotations["source"].isin(MEASURING)], codebook, target)
    rows = found.rows[found.rows["cohort"] == cohort]
    names = codebook.question[target.question].answers
    code = rows["code"].to_numpy(dtype=np.int64)
    if not found.ordinal:
        code, names = found.positive[code].astype(np.int64), ("not positive", "positive")
    posts, counts = counts_by_post(rows["post_id"], code, len(names))
    split = np.nan_to_num(polarisation(counts), nan=-1.0).round(12)
    ratings = counts.sum(axis=1)
    order = np.lexsort((np.arange(len(split)), -ratings, -split))
    order = order[split[order] >= at_least]
    return pd.DataFrame(
        {
            "post_id": posts[order],
            "n_ratings": ratings[order].astype(np.int64),
            "polarisation": split[order],
            "answers": [_said(counts[row], names) for row in order],
        }
    )


def _said(counts: Floats, answers: tuple[str, ...]) -> str:
    return ", ".join(f"{int(n)} × {answer}" for n, answer in zip(counts, answers, strict=True) if n > 0)
