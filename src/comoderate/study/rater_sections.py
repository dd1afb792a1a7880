"""Sections of the report on raters, one by one and by group; they are numbered there, not named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from comoderate.plots import AgreementDisplay
from comoderate.plots import count as whole
from comoderate.report import ReportSection
from comoderate.study import people
from comoderate.study.rater_view import CAUTION, ENOUGH

if TYPE_CHECKING:
    from comoderate.study.study import Study

MOST_RATERS, MOST_PAIRS = 20, 30


def rater_section(study: Study) -> ReportSection | None:
    """Each rater's agreement with the others, with a word of caution; None where raters are unknown."""
    everyone = people.raters(study, None)
    if everyone.empty:
        return None
    sentences, tables = [CAUTION], []
    for (question, cohort), part in everyone.groupby(["question", "cohort"], sort=False):
        if not part["n_shared"].any():
            continue
        sentences.append(_summary(str(question), str(cohort), part))
        caption = f"“{question}”, {cohort}"
        if len(part) > MOST_RATERS:
            caption += f": the {MOST_RATERS} of {whole(len(part))} raters with most answers"
        tables.append((caption, _frame(part.head(MOST_RATERS))))
    if not tables:
        return None
    sentences.append(
        "Raters are numbered by how much they answered; “comoderate agree --raters” has their ids. Agreement is that "
        "with the others of the same cohort on the same posts, beyond chance: 0 is guessing, 1 is perfect."
    )
    return ReportSection(title="Raters one by one", sentences=sentences, tables=tables)


def _summary(question: str, cohort: str, part: pd.DataFrame) -> str:
    judged = part[part["n_shared"] >= ENOUGH]
    middle = whole(float(part["n_annotations"].median()))
    start = f"“{question}”, {cohort}: {whole(len(part))} raters, half of them with {middle} answers or fewer."
    if judged.empty:
        return f"{start} None shares {ENOUGH} posts with others, so nobody is judged."
    words = judged["verdict"].value_counts()
    told = ", ".join(f"{verdict}: {whole(int(n))}" for verdict, n in words.items())
    rest = len(part) - len(judged)
    unjudged = f" The other {whole(rest)} have too few posts to judge." if rest else ""
    return f"{start} Of {whole(len(judged))} who share {ENOUGH} posts or more with others: {told}.{unjudged}"


def _frame(part: pd.DataFrame) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "rater": [f"rater {number}" for number in range(1, len(part) + 1)],
            "answers": part["n_annotations"].to_numpy(),
            "seconds a post": part["seconds"].to_numpy(),
            "value": part["value"].to_numpy(),
            "low": part["low"].to_numpy(),
            "high": part["high"].to_numpy(),
            "in plain words": part["verdict"].to_numpy(),
            "first half to second": part["drift_verdict"].to_numpy(),
        }
    )
    if table["seconds a post"].isna().all():
        table = table.drop(columns="seconds a post")
    if table["first half to second"].str.endswith("no times").all():
        table = table.drop(columns="first half to second")
    return table


def group_section(study: Study) -> ReportSection | None:
    """Agreement within and across groups of raters; None where nothing is known about raters."""
    known = study.settings.raters
    if known is None:
        return None
    tables, figures = [], []
    for name in known.attributes:
        found = people.groups(study, name, None)
        for (question, cohort), part in found.groupby(["question", "cohort"], sort=False) if len(found) else ():
            if part["group"].nunique() > 1:
                title = f"“{question}”, {cohort}, by {name}"
                tables.append((title, _pairs(part)))
                shown = part[part["value"].notna()]
                if 0 < len(shown) <= MOST_PAIRS:
                    names = [_named(one, other) for one, other in zip(shown["group"], shown["other"], strict=True)]
                    ends = [shown[end].to_numpy(dtype=np.float64) for end in ("value", "low", "high")]
                    where = [
                        "within" if a == b else "across" for a, b in zip(shown["group"], shown["other"], strict=True)
                    ]
                    figures.append(AgreementDisplay(names, *ends, series=where, title=title))
    if not tables:
        return None
    sentences = [
        "Agreement beyond chance within each group of raters, and across every two of them. Where it is clearly lower "
        "across two groups than within either, they read the question, or the posts, differently, and it matters whose "
        "labels are used. Groups with less than a hundredth of the answers are taken together."
    ]
    return ReportSection(title="Groups of raters", sentences=sentences, tables=tables, figures=figures)


def _named(group: str, other: str) -> str:
    return group if group == other else f"{group} with {other}"


def _pairs(part: pd.DataFrame) -> pd.DataFrame:
    within = part["group"] == part["other"]
    return pd.DataFrame(
        {
            "raters": part["group"], "with": part["other"].where(~within, "each other"), "value": part["value"],
            "low": part["low"], "high": part["high"], "posts that both rated": part["n_shared"],
        }
    )  # fmt: skip
