"""Raters one by one, and by group: how much, how fast, how far with the others, and whether that changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.agreement import counts_from_annotations, group_agreement
from comoderate.agreement import rater_view as view_of
from comoderate.codebook import Codebook
from comoderate.metrics import Estimate
from comoderate.study.ratings import MEASURING
from comoderate.study.votes import Votes, all_votes

TOO_FEW = "too few posts to judge"
LIKE_OTHERS = "in line with the others"
CAUTION = (
    "A rater who differs from the others may be careless, or may see what they miss. Read some of the posts together "
    "before concluding anything, and rank nobody by these numbers: part of every difference between raters is luck."
)
"""What must stand beside every table of raters."""

ENOUGH = 30
"""Posts shared with others below which nobody is judged."""

SMALL_GROUP, OTHERS, UNKNOWN = 0.01, "other groups", "not known"


def rater_table(
    annotations: pd.DataFrame, codebook: Codebook, *, questions: tuple[str, ...] = (), level: float = 0.95
) -> pd.DataFrame:
    """A row a question, cohort and rater, those with most posts first.

    Args:
        annotations: the snapshot; gold and tutorial answers are left out here.
        codebook: the questions.
        questions: only these; by default all but free texts.
        level: nominal coverage.

    Returns:
        question, cohort, rater_id, n_annotations, n_shared (posts that others rated too), seconds (median), the fields
        of the Estimate of agreement with the others of the cohort beyond chance, verdict; drift, drift_low,
        drift_high (change of plain agreement from the first half of the rater's answers to the second), drift_verdict.
        Cohorts whose raters are unknown have no rows.
    """
    measured = annotations[annotations["source"].isin(MEASURING)]
    rows = [row for votes in all_votes(measured, codebook, questions) for row in _rows(votes, level)]
    return pd.DataFrame(rows, columns=None if rows else ["question", "cohort", "rater_id"])


def _rows(votes: Votes, level: float) -> list[dict[str, Any]]:
    if votes.raters is None or votes.rater is None or not len(votes.item):
        return []
    timed = not np.isnan(votes.created_at).any()
    found = view_of(
        votes.item, votes.rater, votes.answer, seconds=votes.seconds, order=votes.created_at if timed else None,
        scale=_scale(votes), level=level,
    )  # fmt: skip
    usual = _usual([one.agreement for one in found])
    rows = []
    for one in found:
        drift = one.drift if timed else Estimate.undefined("answers have no times", level=level)
        rows.append(
            {
                "question": votes.question,
                "cohort": votes.cohort,
                "rater_id": str(votes.raters[one.rater]),
                "n_annotations": one.n,
                "n_shared": one.n_shared,
                "seconds": one.seconds,
                **one.agreement.as_dict(),
                "verdict": verdict(one.agreement, one.n_shared, usual),
                "drift": drift.value,
                "drift_low": drift.low,
                "drift_high": drift.high,
                "drift_verdict": drift_verdict(drift),
            }
        )
    return sorted(rows, key=lambda row: -row["n_annotations"])


def _scale(votes: Votes) -> Any:
    return "ordinal" if votes.kind == "ordinal" else "identity"


def _usual(found: list[Estimate]) -> float:
    """Agreement of a rating of the cohort, the mean over raters by their shared posts; NaN where none is defined."""
    known = [one for one in found if one.value == one.value]
    return float(np.average([e.value for e in known], weights=[e.n for e in known])) if known else float("nan")


def verdict(agreement: Estimate, n_shared: int, usual: float) -> str:
    """A rater's agreement in plain words, compared with what is usual in the cohort; none on few posts."""
    if n_shared < ENOUGH:
        return TOO_FEW
    if agreement.value != agreement.value:
        return f"cannot be said: {agreement.reason}"
    if agreement.high < 0:
        return "contradicts the others"
    if agreement.high < usual:
        return "agrees less than is usual"
    if agreement.low > usual:
        return "agrees more than is usual"
    return LIKE_OTHERS


def drift_verdict(drift: Estimate) -> str:
    """A rater's drift in plain words."""
    if drift.value != drift.value:
        return "cannot be said" if drift.reason is None else f"cannot be said: {drift.reason}"
    if drift.low > 0:
        return "agreement has risen"
    return "agreement has fallen" if drift.high < 0 else "no clear change"


def group_table(
    annotations: pd.DataFrame,
    codebook: Codebook,
    attribute: pd.Series,
    *,
    questions: tuple[str, ...] = (),
    level: float = 0.95,
) -> pd.DataFrame:
    """Agreement within groups of raters and across every two of them, beyond chance.

    Args:
        annotations: the snapshot; gold and tutorial answers are left out here.
        codebook: the questions.
        attribute: the group of each rater, indexed by rater_id; None where unknown.
        questions: only these; by default all but free texts.
        level: nominal coverage.

    Returns:
        question, cohort, group, other (the same group: agreement within it), n_raters (of ``group``), n_shared (posts
        on which two such raters met), an Estimate's fields. Groups with less than a hundredth of a cohort's answers
        are taken together.
    """
    measured = annotations[annotations["source"].isin(MEASURING)]
    rows = [row for votes in all_votes(measured, codebook, questions) for row in _pairs(votes, attribute, level)]
    return pd.DataFrame(rows, columns=None if rows else ["question", "cohort", "group", "other"])


def _pairs(votes: Votes, attribute: pd.Series, level: float) -> Iterator[dict[str, Any]]:
    if votes.raters is None or votes.rater is None or not len(votes.item):
        return
    of_rater = _groups(votes.raters, votes.rater, attribute)
    code, names = pd.factorize(of_rater, sort=True)
    found = group_agreement(votes.item, votes.rater, votes.answer, code[votes.rater], scale=_scale(votes), level=level)
    members = np.bincount(code, minlength=len(names))
    met = _met(votes, code[votes.rater], len(names))
    for pair in found:
        yield {
            "question": votes.question,
            "cohort": votes.cohort,
            "group": str(names[pair.group]),
            "other": str(names[pair.other]),
            "n_raters": int(members[pair.group]),
            "n_shared": int(met[pair.group, pair.other]),
            **pair.kappa.as_dict(),
        }


def _met(votes: Votes, group: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    """(groups, groups) on how many posts raters of two groups met; of one group, two of its raters."""
    counts = counts_from_annotations(votes.item, group, n_items=len(votes.posts), n_categories=n_groups)
    there = (counts > 0).astype(np.int64)
    met = there.T @ there
    np.fill_diagonal(met, (counts > 1).sum(axis=0))
    return met


def _groups(raters: pd.Index, rater: NDArray[np.int64], attribute: pd.Series) -> NDArray[np.object_]:
    """(raters,) the group of each, small ones taken together."""
    given = attribute.reindex(raters.astype(str))
    groups = given.where(given.notna(), UNKNOWN).to_numpy(dtype=object)
    share = pd.Series(groups[rater]).value_counts(normalize=True)
    small = share.index[share < SMALL_GROUP]
    groups[np.isin(groups.astype(str), small.astype(str))] = OTHERS
    return groups
