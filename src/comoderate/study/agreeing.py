"""How far raters agree: a row a question and cohort, overall and by group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from comoderate.agreement import fleiss_kappa
from comoderate.codebook import Codebook
from comoderate.study.estimating import FEW, domain_values
from comoderate.study.ratings import MEASURING, answered, asked

KEYS = ["post_id", "cohort"]


def agreement_table(
    annotations: pd.DataFrame,
    codebook: Codebook,
    posts: pd.DataFrame,
    *,
    weight: pd.Series | None = None,
    by: tuple[str, ...] = (),
    level: float = 0.95,
) -> pd.DataFrame:
    """Fleiss' kappa of every question and cohort (Delisle et al. 2019, Table 1).

    Args:
        annotations: the snapshot; gold and tutorial answers are left out here.
        codebook: the questions.
        posts: post_id and the attributes of ``by``.
        weight: design weights by post_id, for agreement on the real stream instead of on the labelled posts.
        by: ``day``, ``week`` or attributes.
        level: nominal coverage.

    Returns:
        A row a statistic and group: question, cohort, statistic, domain, group, counts, an Estimate's fields, few.
        A question with several answers gives a row an answer (``type: racism``), over the raters who were asked.
    """
    measured = annotations[annotations["source"].isin(MEASURING)]
    rows: list[dict[str, Any]] = []
    for question, cohort, counts, raters in question_counts(measured, codebook):
        base = {"question": question, "cohort": cohort, "n_raters": raters}
        rows.append(_row(counts, base, "all", "all", weight, level))
        if by:
            known = posts.set_index("post_id").reindex(counts.index).reset_index()
            for domain in by:
                groups = domain_values(known, domain).to_numpy(dtype=object)
                named = sorted({g for g in groups if g is not None and g == g})
                rows += [_row(counts[groups == group], base, domain, str(group), weight, level) for group in named]
    return pd.DataFrame(rows)


def question_counts(annotations: pd.DataFrame, codebook: Codebook) -> Iterator[tuple[str, str, pd.DataFrame, float]]:
    """Each question and cohort: name, cohort, ratings (posts × answers), number of raters (NaN: unknown)."""
    for name, question in codebook.question.items():
        if question.kind == "text":
            continue
        mine = answered(annotations, codebook, name)
        for cohort in mine["cohort"].unique():
            answers = mine[mine["cohort"] == cohort]
            raters = answers["rater_id"]
            n_raters = float(raters.nunique()) if raters.notna().all() else float("nan")
            if question.kind != "multiple":
                counts = pd.crosstab(answers["post_id"], answers["answer"])
                yield name, cohort, counts.reindex(columns=list(question.answers), fill_value=0), n_raters
                continue
            invited = asked(annotations[annotations["cohort"] == cohort], codebook, name)
            total = invited.groupby("post_id").size()
            for answer in question.answers:
                ticked = answers[answers["answer"] == answer].groupby("post_id")["rater_id"].nunique()
                yes = ticked.reindex(total.index, fill_value=0)
                yield f"{name}: {answer}", cohort, pd.DataFrame({"no": total - yes, "yes": yes}), n_raters


def _row(
    counts: pd.DataFrame, base: dict[str, Any], domain: str, group: str, weight: pd.Series | None, level: float
) -> dict[str, Any]:
    table = counts.to_numpy(dtype=np.float64)
    weights = None
    if weight is not None:
        known = weight.reindex(counts.index).to_numpy(dtype=np.float64)
        table, weights = table[known > 0], known[known > 0]
    estimate = fleiss_kappa(table, sample_weight=weights, level=level)
    return {
        **base,
        "statistic": "fleiss_kappa" if weight is None else "fleiss_kappa, weighted",
        "domain": domain,
        "group": group,
        "n_items": int((table.sum(axis=1) >= 2).sum()),
        "n_annotations": int(table.sum()),
        **estimate.as_dict(),
        "few": bool(domain != "all" and len(table) < FEW),
    }
