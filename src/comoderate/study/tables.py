"""The study's tables of results: every number for report, web and command line is computed here, once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate.study import estimating, evaluating
from comoderate.study.evaluating import Evaluation
from comoderate.study.forgetting import is_tombstone
from comoderate.study.units import estimand_of

if TYPE_CHECKING:
    from comoderate.study.study import Study

Comparison = tuple[str, str, str, Any, Evaluation]
"""Target, cohort whose labels are the truth, scorer, probabilities, and the evaluation that they belong to."""


def agreement(study: Study, by: tuple[str, ...]) -> pd.DataFrame:
    """Agreement among raters on the labelled posts and, where the sample has unequal weights, on the real stream."""
    frames = [study.agreement(by=by)]
    if study.sample(study.main_sample)["pi"].nunique() > 1:
        frames.append(study.agreement(sample=study.main_sample))
    return pd.concat(frames, ignore_index=True)


def prevalence(study: Study, by: tuple[str, ...]) -> pd.DataFrame:
    """How much there is, for every target, measuring sample and cohort; and what each number is an estimate of.

    ``forgotten`` counts the drawn posts that were forgotten on request, which the estimate has lost.
    """
    rows = []
    for target in study.settings.target:
        for sample, cohort in measured(study):
            table = study.prevalence(target, sample, cohort, by=by)
            what = {"unit": unit_of(study, target), "estimand": estimand_of(study, sample)}
            gone = int(is_tombstone(study.sample(sample)["post_id"]).sum())
            rows.append(table.assign(target=target, sample=sample, cohort=cohort, **what, forgotten=gone))
    return pd.concat(rows, ignore_index=True)


def unit_of(study: Study, target: str) -> str:
    """What a share is a share of: all posts, or those on which a follow-up question was asked."""
    question = study.settings.target[target].question
    asked = study.settings.codebook.question[question].when is None
    return "posts" if asked else f"posts on which “{question}” was asked"


def added_cohorts(study: Study) -> list[str]:
    """The cohorts whose answers measure by the last snapshot; moderators measure by the audit alone."""
    made = study.artefacts.record("labels") or {"summary": {}}
    return [one for one in made["summary"].get("cohorts", []) if one != study.settings.review.cohort]


def measured(study: Study) -> list[tuple[str, str]]:
    """Pairs of sample and cohort that give estimates: each cohort on its own sample, and on every census."""
    s = study.settings
    pairs = [(study.sample_for(cohort), cohort) for cohort in study.cohorts]
    pairs += [(name, c) for name, own in s.sample.items() if own.design == "census" for c in study.cohorts]
    return list(dict.fromkeys(pairs))


def evaluation(study: Study, by: tuple[str, ...]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every scorer against every cohort's labels: the table of metrics, and the curves."""
    rows: list[dict[str, Any]] = []
    curves: list[pd.DataFrame] = []
    for target, truth, name, proba, found in compared(study):
        key = {"target": target, "sample": study.sample_for(truth), "truth": truth, "scorer": name}
        rows += [{**key, **row} for row in found.compare(proba, by)]
        curves += [curve.assign(**key) for curve in found.curves(proba)]
    empty = pd.DataFrame(columns=["target", "sample", "truth", "scorer"])
    return pd.DataFrame(rows) if rows else empty, pd.concat(curves, ignore_index=True) if curves else empty


def compared(study: Study) -> Iterator[Comparison]:
    """Every comparison that the study asks for."""
    s = study.settings
    for target in s.target:
        for truth in s.evaluate.truth or study.cohorts:
            found = measure(study, target, truth)
            if found is None:
                continue
            for name in study.comparable(target):
                proba, scored = found.scored(evaluating.scores_of(found.rows, study.scores(name), name))
                if len(np.unique(scored.y)) == 2:
                    yield target, truth, name, proba, scored
            yield from _cohorts_as_scorers(study, target, truth, found)


def measure(study: Study, target: str, truth: str) -> Evaluation | None:
    """The labelled posts that measure a target's scorers; None where they are not of both classes."""
    e = study.settings.evaluate
    table = study.labelled_with_warnings(target, study.sample_for(truth), truth).frame
    if e.only_folds:
        table = table[table["fold"].isin(e.only_folds)].reset_index(drop=True)
    if table.loc[table["weight"] > 0, "y"].nunique() < 2:
        return None
    return Evaluation(
        table,
        study.attributes(table["post_id"]),
        replicates=e.replicates,
        level=e.level,
        seed=study.settings.study.seed,
    )


def _cohorts_as_scorers(study: Study, target: str, truth: str, found: Evaluation) -> Iterator[Comparison]:
    """The share of positive ratings of another cohort as a score, where that cohort rated the same posts."""
    labels = study.labels(target)
    for cohort in study.cohorts:
        theirs = labels[labels["cohort"] == cohort].set_index("post_id")
        votes = theirs["n_positive"] / theirs["n_ratings"]  # not y_soft: a model may have used the truth's own answers
        share = votes.reindex(found.rows["post_id"]).to_numpy()
        both = ~np.isnan(share)
        if cohort == truth or both.sum() < estimating.FEW:
            continue
        part = found.subset(both)
        if len(np.unique(part.y)) == 2:
            yield target, truth, cohort, share[both], part
