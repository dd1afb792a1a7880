"""How far raters agree: a row a question, cohort and statistic, overall and by group."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.agreement import (
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    intraclass_correlation,
    krippendorff_alpha_counts,
    masi_distance,
    percent_agreement,
    ratings_from_counts,
)
from comoderate.codebook import Codebook
from comoderate.metrics import Estimate
from comoderate.study.estimating import FEW, domain_values
from comoderate.study.ratings import MEASURING
from comoderate.study.votes import Votes, all_votes

Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats | None, float], Estimate]

_CHOSEN = re.compile(r"category (\d+) was chosen on only (\d+) of (\d+) items")

MAIN = ("fleiss_kappa", "icc")
"""The statistics of the paper's table; the others stand beside them for those who look for them."""


class Measured(NamedTuple):
    """One table of votes and the statistics that it takes.

    Attributes:
        question: its name; ``type: racism`` for one of several answers.
        votes: where the table comes from.
        counts: (posts, categories).
        statistics: by name.
    """

    question: str
    votes: Votes
    counts: Floats
    statistics: dict[str, Statistic]


def agreement_table(
    annotations: pd.DataFrame,
    codebook: Codebook,
    posts: pd.DataFrame,
    *,
    weight: pd.Series | None = None,
    by: tuple[str, ...] = (),
    level: float = 0.95,
) -> pd.DataFrame:
    """Agreement on every question in every cohort (Delisle et al. 2019, Table 1, and more).

    ``fleiss_kappa``, ``gwet_ac1``, ``percent_agreement`` and ``krippendorff_alpha`` for nominal answers; for ordinal
    ones ``icc`` as well, ordinal α, and ``gwet_ac2`` in place of ``gwet_ac1``; where several answers may be given, α
    with the MASI distance of sets, and κ, AC1 and percent agreement of each answer (``type: racism``), over the raters
    who were asked.

    Args:
        annotations: the snapshot; gold and tutorial answers are left out here.
        codebook: the questions.
        posts: post_id and the attributes of ``by``.
        weight: design weights by post_id, for agreement on the real stream instead of on the labelled posts.
        by: ``day``, ``week`` or attributes.
        level: nominal coverage.

    Returns:
        A row a statistic and group: question, cohort, statistic, weighted, domain, group, counts, an Estimate's fields,
        few. What is undefined is NaN, with a reason.
    """
    known = posts.drop_duplicates("post_id").set_index("post_id")
    rows: list[dict[str, Any]] = []
    for votes in all_votes(annotations[annotations["source"].isin(MEASURING)], codebook):
        follow_up = codebook.question[votes.question].when is not None
        given = None if weight is None else weight.reindex(votes.posts).to_numpy(dtype=np.float64)
        parts = list(_parts(votes, known, by))
        for measured in measures(votes, follow_up=follow_up):
            for domain, group, inside in parts:
                rows += _rows(measured, domain, group, inside, given, level)
    return pd.DataFrame(rows)


def measures(votes: Votes, *, follow_up: bool = False) -> Iterator[Measured]:
    """The tables of votes of one question and cohort: one, or where several answers may be given one an answer too.

    Args:
        votes: the answers.
        follow_up: whether only some raters of a post were asked. Posts on which it was one alone are then left out:
            they are those on which raters disagree about the question before, and chance must be that of the same
            posts as agreement.
    """

    def paired(counts: Floats) -> Floats:
        enough = counts.sum(axis=1, keepdims=True) >= 2
        return np.where(enough, counts, 0.0) if follow_up and enough.any() else counts

    if votes.sets is None:
        yield Measured(votes.question, votes, paired(votes.counts), ORDINAL if votes.kind == "ordinal" else NOMINAL)
        return
    distance = masi_distance(votes.sets) if len(votes.sets) else np.zeros((1, 1))

    def of_sets(counts: Floats, weight: Floats | None, level: float) -> Estimate:
        return krippendorff_alpha_counts(counts, distance=distance, sample_weight=weight, confidence=level)

    yield Measured(votes.question, votes, paired(votes.counts), {"krippendorff_alpha": of_sets})
    of_answer = {name: NOMINAL[name] for name in ("fleiss_kappa", "gwet_ac1", "percent_agreement")}
    for position, answer in enumerate(votes.answers):
        yield Measured(f"{votes.question}: {answer}", votes, paired(votes.counts_of(position)), of_answer)


def _parts(
    votes: Votes, posts: pd.DataFrame, by: tuple[str, ...]
) -> Iterator[tuple[str, str, NDArray[np.bool_] | slice]]:
    """Everything, and each group of each grouping: its name, and which posts are in it."""
    yield "all", "all", slice(None)
    if not by:
        return
    known = posts.reindex(votes.posts).reset_index()
    for domain in by:
        groups = domain_values(known, domain).to_numpy(dtype=object)
        for group in sorted({g for g in groups if g is not None and g == g}):
            yield domain, str(group), groups == group


def _rows(
    measured: Measured, domain: str, group: str, inside: Any, weight: Floats | None, level: float
) -> Iterator[dict[str, Any]]:
    table = measured.counts[inside]
    weights = None
    if weight is not None:
        own = weight[inside]
        table, weights = table[own > 0], own[own > 0]
    common = {
        "n_items": int((table.sum(axis=1) >= 2).sum()),
        "n_annotations": int(table.sum()),
        "n_raters": measured.votes.n_raters,
    }
    few = bool(common["n_items"] < FEW)
    for name, statistic in measured.statistics.items():
        yield {
            "question": measured.question,
            "cohort": measured.votes.cohort,
            "statistic": name,
            "weighted": weight is not None,
            "domain": domain,
            "group": group,
            **common,
            **_in_words(statistic(table, weights, level).as_dict(), measured),
            "few": few,
        }


def _in_words(found: dict[str, Any], measured: Measured) -> dict[str, Any]:
    """An estimate whose reason names answers and posts instead of numbered categories and items."""
    answers: tuple[str, ...] = tuple(measured.votes.answers)
    if measured.votes.sets is not None:
        one = measured.question.partition(": ")[2]
        answers = (f"not {one}", one)

    def named(match: re.Match[str]) -> str:
        category, on, of = (int(number) for number in match.groups())
        answer = f"“{answers[category]}”" if category < len(answers) else f"answer {category + 1}"
        return f"{answer} was chosen on only {on} of {of} post{'' if of == 1 else 's'}"

    reason = found["reason"]
    return found if reason is None else {**found, "reason": _CHOSEN.sub(named, reason)}


def _kappa(counts: Floats, weight: Floats | None, level: float) -> Estimate:
    return fleiss_kappa(counts, sample_weight=weight, level=level)


def _icc(counts: Floats, weight: Floats | None, level: float) -> Estimate:
    return intraclass_correlation(ratings_from_counts(counts), sample_weight=weight, level=level)


def _alpha(counts: Floats, weight: Floats | None, level: float) -> Estimate:
    return krippendorff_alpha_counts(counts, level="nominal", sample_weight=weight, confidence=level)


def _ordinal_alpha(counts: Floats, weight: Floats | None, level: float) -> Estimate:
    return krippendorff_alpha_counts(counts, level="ordinal", sample_weight=weight, confidence=level)


def _ac1(counts: Floats, weight: Floats | None, level: float) -> Estimate:
    return gwet_ac1(counts, sample_weight=weight, level=level)


def _ac2(counts: Floats, weight: Floats | None, level: float) -> Estimate:
    return gwet_ac2(counts, sample_weight=weight, level=level)


def _percent(counts: Floats, weight: Floats | None, level: float) -> Estimate:
    return percent_agreement(counts, sample_weight=weight, level=level)


NOMINAL: dict[str, Statistic] = {
    "fleiss_kappa": _kappa, "krippendorff_alpha": _alpha, "gwet_ac1": _ac1, "percent_agreement": _percent,
}  # fmt: skip
ORDINAL: dict[str, Statistic] = {
    "fleiss_kappa": _kappa, "icc": _icc, "krippendorff_alpha": _ordinal_alpha, "gwet_ac2": _ac2,
    "percent_agreement": _percent,
}  # fmt: skip
