"""Who receives it, and how much that is a day: relative risks of groups, and shares turned into numbers of posts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate.corpus import read_frame
from comoderate.metrics import Estimate
from comoderate.report import ReportSection
from comoderate.sampling import holm, p_value, relative_risk, scaled
from comoderate.study import drawing
from comoderate.study.checks import BUILT_IN_DOMAINS
from comoderate.study.estimating import FEW, design_of, domain_values

if TYPE_CHECKING:
    from comoderate.study.study import Study

ERROR = 0.05
"""Chance of any false claim among the groups of one attribute that the sentences accept."""


def risk_table(study: Study) -> pd.DataFrame:
    """How much more likely posts of each group are to be positive than all other posts, for the first cohort.

    Returns:
        target, sample, cohort, domain, group, the fields of an Estimate (a relative risk), few, adjusted: the p-value
        of "no difference", adjusted for the number of groups (Holm).
    """
    by = [domain for domain in study.settings.evaluate.by if domain not in BUILT_IN_DOMAINS]
    rows: list[dict[str, Any]] = []
    for target in study.settings.target:
        for domain in by:
            found = _groups(study, target, domain)
            rows += _adjusted(found) if found else []
    columns = ["target", "sample", "cohort", "domain", "group", "value", "low", "high", "few", "adjusted"]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)


def _groups(study: Study, target: str, domain: str) -> list[tuple[dict[str, Any], Estimate]]:
    cohort = study.cohort_of(target)
    sample = study.sample_for(cohort)
    table = study.labelled_with_warnings(target, sample, cohort).frame
    groups = domain_values(study.attributes(table["post_id"]), domain).to_numpy(dtype=object)
    y, weight = table["y"].to_numpy(dtype=np.float64), table["weight"].to_numpy(dtype=np.float64)
    design = design_of(table, study.sample_settings(sample).finite)
    level = study.settings.evaluate.level
    key = {"target": target, "sample": sample, "cohort": cohort, "domain": domain}
    found = []
    for group in sorted({str(g) for g in groups[weight > 0] if g is not None and g == g}):
        inside = groups == group
        risk = relative_risk(y, weight, inside, ~inside, level=level, **design)
        found.append(({**key, "group": group, "few": int((inside & (weight > 0)).sum()) < FEW}, risk))
    return found


def _adjusted(found: list[tuple[dict[str, Any], Estimate]]) -> list[dict[str, Any]]:
    adjusted = holm([p_value(risk, null=1.0, log=True) for _, risk in found])
    return [{**key, **risk.as_dict(), "adjusted": p} for (key, risk), p in zip(found, adjusted, strict=True)]


def daily_sentences(study: Study, prevalence: pd.DataFrame) -> list[str]:
    """How many posts a day each target's share is; empty for studies without dates."""
    strata = _days(study)
    if strata is None:
        return []
    posts = float(strata["N"].sum()) / len(strata)
    sentences = []
    for target in study.settings.target:
        cohort = study.cohort_of(target)
        mine = prevalence[
            (prevalence["target"] == target) & (prevalence["cohort"] == cohort) & (prevalence["domain"] == "all")
            & (prevalence["sample"] == study.sample_for(cohort))
        ]  # fmt: skip
        if len(mine) and np.isfinite(mine["value"].iloc[0]):
            day = scaled(Estimate.from_dict(dict(zip(mine.columns, mine.iloc[0], strict=True))), posts)
            sentences.append(
                f"On an average day {day.value:,.0f} ({day.low:,.0f} to {day.high:,.0f}) of {posts:,.0f} posts are "
                f"“{target}”."
            )
    return sentences


def _days(study: Study) -> pd.DataFrame | None:
    sample = study.main_sample
    strata = read_frame(study.folder / "samples" / f"{sample}.strata.parquet")
    base = strata[strata["phase"].isin(["base", "poisson"])]
    return None if base.empty or set(base["stratum"]) == {drawing.ALL} else base


def risk_section(table: pd.DataFrame, daily: list[str]) -> ReportSection | None:
    """The report's section; None where the study has neither groups nor days."""
    if table.empty and not daily:
        return None
    sentences, tables = list(daily), []
    if len(table):
        sure = table[(table["adjusted"] < ERROR) & ~table["few"].astype(bool)]
        sentences += [_sentence(row) for row in sure.itertuples()]
        if sure.empty:
            sentences.append("No group differs from the others by more than chance would explain.")
        sentences.append(
            f"Only groups that differ after a correction for the number of groups are named: the chance of any false "
            f"one among the groups of an attribute is below {ERROR:.0%}."
        )
        shown = table.assign(few=table["few"].map({True: "few labels", False: ""}))
        shown = shown[["target", "domain", "group", "value", "low", "high", "few"]]
        shown = shown.rename(columns={"domain": "by", "few": "note"})
        tables.append(("How many times as likely as in all other posts", shown))
    return ReportSection(title="Who receives it", sentences=sentences, tables=tables)


def _sentence(row: Any) -> str:
    change, low, high = (abs(value - 1) for value in (row.value, row.low, row.high))
    group = f"Posts with {row.domain.replace('_', ' ')} “{row.group}” are {change:.0%}"
    if row.value > 1:
        return f"{group} more likely to be “{row.target}” than others ({low:.0%} to {high:.0%} more)."
    return f"{group} less likely to be “{row.target}” than others ({high:.0%} to {low:.0%} less)."
