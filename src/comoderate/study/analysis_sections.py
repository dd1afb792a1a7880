"""The report's sections on who was counted, in which unit, how much that is, of what kind, and who receives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate.corpus import read_frame
from comoderate.plots import PrevalenceDisplay, percent
from comoderate.plots import share as exactly
from comoderate.report import ReportSection
from comoderate.study import concentrating, population, showing, typology
from comoderate.study.scale import every
from comoderate.study.units import CROSS, MENTIONS, POSTS

if TYPE_CHECKING:
    from comoderate.study.study import Study

ERROR = 0.05
"""Chance of any false claim among the groups of one attribute that the sentences accept."""

NAMED = 8
"""Groups that sentences name; the table has all."""


def analysis_sections(study: Study) -> list[ReportSection | None]:
    """All of them, in their order; None for what this study has nothing for."""
    result = study.result
    return [
        population_section(study),
        units_section(result("units")),
        scale_section(result("scale")),
        typology_section(result("typology")),
        risk_section(result("risks"), result("units")),
        concentration_section(result("concentration")),
    ]


def population_section(study: Study) -> ReportSection | None:
    """Who was counted, and who was left out for which reason."""
    own = study.settings.population
    if own is None:
        return None
    members = read_frame(study.folder / population.MEMBERS)
    table = population.exclusions(members, own.include)
    counted, mentions = int(members["excluded"].isna().sum()), int(members["posts"].sum())
    sentences = [
        f"The population is a list of {len(members):,} people, of whom {counted:,} meet the rules. Posts in hand "
        f"mention them {mentions:,} times; posts that mention none of them were not drawn from.",
    ]
    silent = int((members["excluded"].isna() & (members["posts"] == 0)).sum())
    if silent:
        sentences.append(f"No post mentions {silent:,} of them: nobody wrote to them, or their handles are misspelt.")
    shown = table.rename(columns={"people": "people left out", "left": "people who remain"})
    shown.loc[0, "people left out"] = 0
    return ReportSection(title="Who was counted", sentences=sentences, tables=[("Who was left out, and why", shown)])


def units_section(table: pd.DataFrame) -> ReportSection | None:
    """Posts beside mentions and views, where the study has more than posts."""
    overall = table[table["domain"] == "all"] if len(table) else table
    if overall.empty or overall["unit"].nunique() < 2:
        return None
    sentences = [
        "A post that mentions three people, or that is seen a thousand times, counts once among posts, three times "
        "among mentions, a thousand times among views. The shares differ, and none stands for another."
    ]
    first = overall[(overall["target"] == overall["target"].iloc[0]) & (overall["cohort"] == overall["cohort"].iloc[0])]
    first = first[first["sample"] == first["sample"].iloc[0]]
    sentences += [
        f"Of {row.unit}, {showing.share(row)} are “{row.target}” (this is an estimate of {row.estimand})."
        for row in first.itertuples()
        if row.value == row.value
    ]
    shown = overall.assign(share=[showing.share(row) for row in overall.itertuples()])
    shown = shown[["target", "sample", "cohort", "unit", "share", "n", "estimand"]]
    shown = shown.rename(columns={"cohort": "labels of", "n": "counted with a label", "estimand": "an estimate of"})
    title = "Posts, mentions and views" if MENTIONS in set(overall["unit"]) else "Posts and views"
    return ReportSection(title=title, sentences=sentences, tables=[("The same labels in each unit", shown)])


def scale_section(table: pd.DataFrame) -> ReportSection | None:
    """How many posts a day, and one every how many seconds."""
    if table.empty:
        return None
    sentences = []
    for row in table[table["period"] == "day"].itertuples():
        between, what = every(row), "posts" if row.unit == POSTS else "mentions"
        often = ""
        if between.value < 3600 and between.high < 86_400:
            unit, by = ("minutes", 60) if between.low >= 300 else ("seconds", 1)
            ends = f"{between.low / by:,.0f} to {between.high / by:,.0f}"
            often = f": one every {between.value / by:,.0f} {unit} ({ends})"
        sentences.append(f"On an average day {showing.amount(row)} {what} are “{row.target}”{often}.")
    sentences.append(
        "Numbers for a period are the share times the posts of an average day of the study: they say what as many "
        "posts would bring elsewhere, not that there were as many."
    )
    shown = table.assign(number=[showing.amount(row) for row in table.itertuples()])
    shown = shown.assign(total=[showing.total(value) for value in shown["total"]])
    shown = shown[["target", "unit", "period", "number", "total"]]
    shown = shown.rename(columns={"number": "positive, with interval", "total": "posts in the period"})
    return ReportSection(title="How much that is", sentences=sentences, tables=[("Extrapolated", shown)])


def typology_section(table: pd.DataFrame) -> ReportSection | None:
    """Of what kind positive posts are."""
    known = table[table["value"].notna()] if len(table) else table
    if known.empty:
        return None
    sentences, figures = [], []
    for (target, question), part in known.groupby(["target", "question"], sort=False):
        ranked = part.sort_values("value", ascending=False, kind="stable")
        told = [f"{showing.share(row)} “{row.answer}”" for row in ranked.head(3).itertuples()]
        sentences.append(f"Of the posts that are “{target}”, by the question “{question}”: {', '.join(told)}.")
        title = f"“{question}” among posts that are “{target}”"
        figures.append(_forest(ranked, ranked["answer"], title, f"posts that are “{target}”"))
    sentences += [f"{typology.RULE} A post may have several, so shares need not sum to 100 %."]
    shown = known.assign(share=[showing.share(row) for row in known.itertuples()], note=showing.few(known))
    shown["soft"] = [percent(value) for value in shown["soft"]]
    shown = shown[["target", "question", "answer", "share", "soft", "n", "note"]]
    shown = shown.rename(columns={"soft": "raters who say so, on average", "n": "posts"})
    return ReportSection(
        title="Of what kind", sentences=sentences, tables=[("Share of each answer", shown)], figures=figures
    )


def _forest(part: pd.DataFrame, names: pd.Series, title: str, unit: str) -> PrevalenceDisplay:
    ends = (part[name].to_numpy(dtype=float) for name in ("value", "low", "high"))
    few = part["few"].to_numpy(dtype=bool)
    return PrevalenceDisplay([str(name) for name in names], *ends, few=few, title=title, unit=unit)


def risk_section(risks: pd.DataFrame, units: pd.DataFrame) -> ReportSection | None:
    """Who receives it: shares by group, and how much more likely than others."""
    if risks.empty:
        return None
    sure = risks[(risks["adjusted"] < ERROR) & ~risks["few"].astype(bool) & ~risks["domain"].str.contains(CROSS)]
    sure = sure.assign(size=(sure["value"].astype(float) - 1).abs()).sort_values("size", ascending=False, kind="stable")
    sentences = [_sentence(row) for row in sure.head(NAMED).itertuples()]
    if len(sure) > NAMED:
        sentences.append(f"{len(sure) - NAMED} more groups differ, less strongly; the table has them.")
    if sure.empty:
        sentences.append("No group differs from the others by more than chance would explain.")
    sentences.append(
        "Only groups that differ after a correction for the number of groups compared (Holm) are named: the chance of "
        f"any false one among the groups of an attribute is below {exactly(ERROR)}."
    )
    figures, tables = [], []
    shares = units[(units["domain"] != "all") & units["value"].notna()]
    shares = shares[shares["cohort"].isin(risks["cohort"]) & shares["sample"].isin(risks["sample"])]
    for (target, unit, domain), part in shares.groupby(["target", "unit", "domain"], sort=False):
        top, _ = showing.largest(part)
        if unit == MENTIONS and CROSS not in str(domain) and len(top) > 1:
            title = f"Share of {unit} that are “{target}”, by {str(domain).replace('_', ' ')}"
            figures.append(_forest(top, top["group"], title, unit))
    shown, told = showing.largest(risks)
    joined = shown.merge(
        shares.assign(share=[showing.share(row) for row in shares.itertuples()])[
            ["target", "sample", "cohort", "unit", "domain", "group", "share"]
        ],
        on=["target", "sample", "cohort", "unit", "domain", "group"],
        how="left",
    )
    joined["ratio"] = [showing.ratio(row) for row in joined.itertuples()]
    joined["adjusted"] = joined["adjusted"].map(_p_text)
    joined["few"] = showing.few(joined)
    joined = joined[["target", "unit", "domain", "group", "share", "ratio", "adjusted", "few"]]
    names = {"domain": "by", "share": "share, with interval", "ratio": "times as likely as in all others"}
    joined = joined.rename(columns={**names, "adjusted": "adjusted p-value", "few": "note"})
    tables.append(("Who receives it, in numbers", joined))
    return ReportSection(
        title="Who receives it", sentences=[*sentences, *told.values()], tables=tables, figures=figures
    )


def _p_text(value: float) -> str:
    """An adjusted p-value, as small as it matters."""
    return "–" if value != value else "below 0.001" if value < 0.001 else f"{value:.3f}"


def _sentence(row: Any) -> str:
    what = "Mentions of people" if row.unit == MENTIONS else "Posts"
    group = f"{what} with {row.domain.replace('_', ' ')} “{row.group}” are"
    return f"{group} {showing.more_or_less(row)} likely to be “{row.target}” than others."


def concentration_section(table: pd.DataFrame) -> ReportSection | None:
    """How much of it the most abused receive."""
    known = table[table["value"].notna()] if len(table) else table
    if known.empty:
        return None
    sentences = [
        f"The {row.most} people who receive most of what is “{row.target}” receive {showing.share(row)} of it; if all "
        f"{row.people:,} received alike it would be {percent(float(str(row.even)))}."
        for row in known.itertuples()
    ]
    shown = known.assign(share=[showing.share(row) for row in known.itertuples()])
    shown["apparent"], shown["even"] = ([percent(value) for value in shown[name]] for name in ("apparent", "even"))
    shown = shown[["target", "most", "people", "share", "apparent", "even"]]
    names = {
        "most": "most abused",
        "people": "people mentioned",
        "apparent": "before correction",
        "even": "if all alike",
    }
    caption = "Share of all positive mentions that the most abused receive"
    return ReportSection(
        title="How unevenly it falls", sentences=[*sentences, f"{concentrating.RULE} Nobody is named here."],
        tables=[(caption, shown.rename(columns=names))],
    )  # fmt: skip
