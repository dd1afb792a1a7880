"""Of what kind it is: the share of each answer to a follow-up question among positive posts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate.codebook import Codebook, Target
from comoderate.codebook.conditions import mentioned
from comoderate.metrics import Estimate
from comoderate.sampling import hajek_domains
from comoderate.study.estimating import FEW
from comoderate.study.ratings import MEASURING, ratings
from comoderate.study.units import Rows, post_rows

if TYPE_CHECKING:
    from comoderate.study.study import Study

COLUMNS = ("target", "sample", "cohort", "question", "answer", "value", "low", "high", "soft", "few")
RULE = "An answer counts where at least half of the raters who were asked gave it."


def typology_table(study: Study) -> pd.DataFrame:
    """The share of each type among the positive posts of each target, by the target's cohort.

    An answer counts on a post where at least half of the raters who were asked the follow-up gave it; several may
    count, so shares need not sum to 1.

    Returns:
        target, sample, cohort, question, answer, the fields of an Estimate, soft (the mean share of raters who gave the
        answer), few.
    """
    rows = [row for target in study.settings.target for row in _target(study, target)]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(COLUMNS))


def follow_ups(codebook: Codebook, target: Target) -> list[str]:
    """The questions that are asked because of a positive answer to the target's question, free texts aside."""
    positive = set(target.positive_answers(codebook))
    return [
        name
        for name, question in codebook.question.items()
        if question.kind != "text"
        and any(parent == target.question and positive & set(answers) for parent, answers in mentioned(question.when))
    ]


def _target(study: Study, target: str) -> Iterator[dict[str, Any]]:
    s, cohort = study.settings, study.cohort_of(target)
    questions = follow_ups(s.codebook, s.target[target])
    if not questions:
        return
    sample = study.sample_for(cohort)
    rows = post_rows(study, target, sample, cohort)
    notes = study.annotations()
    notes = notes[(notes["cohort"] == cohort) & notes["source"].isin(MEASURING)]
    key = {"target": target, "sample": sample, "cohort": cohort}
    for question in questions:
        for answer in s.codebook.question[question].answers:
            found = ratings(notes, s.codebook, Target(question=question, positive=(answer,)))
            share = found.groupby("post_id")["positive"].mean().reindex(rows.labelled["post_id"]).to_numpy(np.float64)
            hard, soft = _shares(rows, share, s.evaluate.level)
            if hard is None:
                continue
            few = hard.n < FEW
            row = {**key, "question": question, "answer": answer, **hard.as_dict()}
            yield {**row, "soft": soft, "few": bool(few)}


def _shares(rows: Rows, share: Any, level: float) -> tuple[Estimate | None, float]:
    """Among positive posts on which the follow-up was asked: the estimate by the rule, and the mean share of raters."""
    asked = (rows.y == 1) & ~np.isnan(share)
    inside = pd.Series("positive", index=range(len(share)), dtype=object).where(asked, None).to_numpy(dtype=object)
    if not asked.any():
        return None, float("nan")
    known = np.nan_to_num(share)
    means = [
        hajek_domains(values, rows.weight, inside, level=level, **rows.design)[0][1]
        for values in ((known >= 0.5).astype(np.float64), known)
    ]
    return means[0], means[1].value
