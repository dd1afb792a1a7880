"""Sections of the report on what raters did: answers, splits, agreement by group, divided posts, soft labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from comoderate.agreement import simulated_counts, systemic_disagreement
from comoderate.codebook import Codebook, Question
from comoderate.codebook.conditions import mentioned
from comoderate.metrics import Estimate
from comoderate.plots import (
    AgreementDisplay,
    AnnotationsPerPostDisplay,
    Answers,
    AnswersDisplay,
    SimplexDisplay,
    percent,
    statistic_name,
)
from comoderate.plots import count as whole
from comoderate.report import ReportSection
from comoderate.study import people
from comoderate.study.agreeing import MAIN
from comoderate.study.rater_sections import group_section, rater_section
from comoderate.study.ratings import MEASURING
from comoderate.study.votes import Votes, all_votes

if TYPE_CHECKING:
    from comoderate.study.study import Study

MOST_QUESTIONS, MOST_GROUPS, MOST_POSTS, LONGEST_CONDITION = 8, 30, 10, 36
NEXT_TO_NOTHING, ALIKE = 0.005, 0.0005
KINDS: tuple[Literal["hard", "soft"], ...] = ("hard", "soft")


def agreement_sections(study: Study) -> list[ReportSection | None]:
    """All of them, None where a study has nothing for one."""
    notes = study.annotations()
    votes = list(all_votes(notes[notes["source"].isin(MEASURING)], study.settings.codebook))
    agreement = study.result("agreement")
    return [
        answers_section(votes, study.settings.codebook),
        simplex_section(votes, study.settings.codebook, seed=study.settings.study.seed),
        domain_section(agreement),
        rater_section(study),
        group_section(study),
        divided_section(study, agreement),
        soft_section(study),
    ]


def answers_section(votes: list[Votes], codebook: Codebook) -> ReportSection | None:
    """How many annotations posts got, and what was answered, follow-ups among those who were asked."""
    if not votes:
        return None
    first = [one for one in votes if one.question == votes[0].question]
    per_post = {one.cohort: one.counts.sum(axis=1).astype(np.int64) for one in first}
    shown = list(dict.fromkeys(one.question for one in votes))[:MOST_QUESTIONS]
    asked = [_answers(name, codebook.question[name], [v for v in votes if v.question == name]) for name in shown]
    sentences = ["The first figure counts judgements of a post, the second what they said."]
    if any(codebook.question[name].when for name in shown):
        sentences.append(
            "A follow-up question is put only to those whose earlier answers call for it; its shares are of those who "
            "were asked."
        )
    figures = (AnnotationsPerPostDisplay(per_post), AnswersDisplay(asked))
    return ReportSection(title="What raters answered", sentences=sentences, figures=figures)


def _answers(name: str, question: Question, votes: list[Votes]) -> Answers:
    shares = {one.cohort: _shares(one) for one in votes}
    asked = {one.cohort: len(one.item) for one in votes}
    condition = "" if question.when is None else f"if {condition_words(question.when)}"
    if len(condition) > LONGEST_CONDITION:
        condition = f"follow-up to {', '.join(dict.fromkeys(parent for parent, _ in mentioned(question.when)))}"
    return Answers(question.text or name, question.answers, shares, asked, condition)


def _shares(votes: Votes) -> np.ndarray:
    if votes.sets is not None:
        return votes.sets[votes.answer].mean(axis=0) if len(votes.item) else np.zeros(len(votes.answers))
    return np.bincount(votes.answer, minlength=len(votes.answers)) / max(len(votes.answer), 1)


def condition_words(condition: Mapping[str, Any]) -> str:
    """When a follow-up is asked, in words."""
    parts = []
    for key, value in condition.items():
        if key in ("any", "all"):
            joined = (" or " if key == "any" else " and ").join(condition_words(inner) for inner in value)
            parts.append(f"({joined})" if len(value) > 1 and len(condition) > 1 else joined)
        else:
            parts.append(f"{key} is {' or '.join(f'“{answer}”' for answer in value)}")
    return " and ".join(parts)


def simplex_section(votes: list[Votes], codebook: Codebook, *, seed: int) -> ReportSection | None:
    """Where posts lie between three answers, between simulated perfect agreement and simulated chance."""
    figures = []
    for name, question in codebook.question.items():
        mine = [one for one in votes if one.question == name and one.sets is None]
        if len(question.answers) != 3 or not mine:
            continue
        observed = {one.cohort: one.counts[one.counts.sum(axis=1) >= 2] for one in mine}
        observed = {cohort: counts for cohort, counts in observed.items() if len(counts)}
        if not observed:
            continue
        model = next(iter(observed.values()))
        perfect = simulated_counts(model, kind="perfect", random_state=seed)
        chance = simulated_counts(model, kind="chance", random_state=seed)
        panels = {"simulated: perfect agreement": perfect, **observed, "simulated: pure chance": chance}
        title = f"How raters split over “{name}”"
        figures.append(SimplexDisplay(panels, question.answers, title=title))
    if not figures:
        return None
    sentences = [
        "Each disc is a place between three answers, and its area the share of posts there: in a corner all raters of "
        "a post gave the same answer, on an edge they split over two, inside over three. Posts with two ratings or "
        "more are shown.",
        "With perfect agreement all posts would lie in corners. By chance alone, raters who answer as often as these "
        "do but regardless of the post would spread them as in the last panel. The nearer the observed picture is to "
        "the first, the more the answers tell about the posts.",
    ]
    return ReportSection(title="Between three answers", sentences=sentences, figures=figures)


def domain_section(agreement: pd.DataFrame) -> ReportSection | None:
    """Agreement by group of posts."""
    if agreement.empty:
        return None
    rows = agreement[(agreement["domain"] != "all") & agreement["statistic"].isin(MAIN) & ~agreement["weighted"]]
    defined = rows.groupby(["question", "cohort", "domain"])["value"].transform(lambda values: values.notna().any())
    rows = rows[defined.astype(bool)] if len(rows) else rows
    if rows.empty:
        return None
    figures, tables = [], []
    for domain, part in rows.groupby("domain", sort=False):
        named = str(domain).replace("_", " ")
        first = part[(part["question"] == part["question"].iloc[0]) & (part["statistic"] == "fleiss_kappa")]
        first = first[first["value"].notna()]
        if 1 < first["group"].nunique() <= MOST_GROUPS:
            ends = [first[name].to_numpy(dtype=np.float64) for name in ("value", "low", "high")]
            title = f"Agreement by {named}: “{first['question'].iloc[0]}”"
            figures.append(
                AgreementDisplay(first["group"].tolist(), *ends, series=first["cohort"].tolist(), title=title)
            )
        tables.append((f"Agreement by {named}", _domain_frame(part, agreement)))
    sentences = [
        "The same questions, group by group of posts. Groups are smaller, so intervals are wider, and a difference "
        "between groups whose intervals overlap may be luck.",
        "Where nearly all posts of a group get one and the same answer, κ is near 0 however well raters agree, for "
        "chance would make them agree as well. The share of pairs of raters with the same answer stands beside it.",
    ]
    return ReportSection(title="Agreement by group of posts", sentences=sentences, tables=tables, figures=figures)


def _domain_frame(part: pd.DataFrame, agreement: pd.DataFrame) -> pd.DataFrame:
    keys = ["question", "cohort", "domain", "group"]
    same = agreement[(agreement["statistic"] == "percent_agreement") & ~agreement["weighted"]].set_index(keys)["value"]
    pairs = same.reindex(pd.MultiIndex.from_frame(part[keys])).to_numpy(dtype=np.float64)
    note = part["reason"].where(part["value"].isna(), part["few"].map({True: "few posts", False: ""}))
    table = pd.DataFrame(
        {
            "question": part["question"], "labels of": part["cohort"], "group": part["group"],
            "statistic": part["statistic"].map(statistic_name), "value": part["value"], "low": part["low"],
            "high": part["high"], "same answers": [percent(share) if share == share else "" for share in pairs],
            "posts": part["n_items"], "note": note.fillna(""),
        }
    )  # fmt: skip
    return table if table["note"].any() else table.drop(columns="note")


def divided_section(study: Study, agreement: pd.DataFrame) -> ReportSection | None:
    """Systemic disagreement, the most polarised posts by id, and how many labels one more rating would change."""
    sentences, tables, seen = [], [], set()
    for name, target in study.settings.target.items():
        cohort = study.cohort_of(name)
        table = people.polarised(study, len(study.labels(name)), name, cohort)
        subject = target.question if study.settings.codebook.question[target.question].kind == "ordinal" else name
        if len(table) and (subject, cohort) not in seen:
            seen.add((subject, cohort))
            shown = table.head(MOST_POSTS).rename(columns={"n_ratings": "ratings"}).drop(columns="polarisation")
            tables.append((f"“{subject}”: the most divided of {whole(len(table))} such posts, {cohort}", shown))
        flips = people.next_posts(study, len(study.labels(name)), name, cohort)
        if len(flips) and flips["n_ratings"].max() > 1:
            expected, untold = float(flips["flip_chance"].sum()), int(flips["y"].isna().sum())
            tied = f" {whole(untold)} have no label now, being split." if untold else ""
            sentences.append(
                f"If each of the {whole(len(flips))} posts with a rating by {cohort} got one more, about "
                f"{whole(round(expected))} labels for “{name}” would change.{tied}"
            )
    told = list(_systemic(agreement))
    if not (told or tables):
        return None
    if tables:
        told.append(
            "The posts below split their raters between the ends of the scale. Only their ids are shown: “comoderate "
            f"agree --polarised {MOST_POSTS} --show-text” prints their texts, and “--next {MOST_POSTS}” the posts on "
            "which one more rating is worth most."
        )
    return ReportSection(title="Posts that divide raters", sentences=[*told, *sentences], tables=tables)


def _systemic(agreement: pd.DataFrame) -> Iterator[str]:
    """A sentence for each question on which raters contradict each other."""
    if agreement.empty:
        return
    rows = agreement[(agreement["domain"] == "all") & agreement["statistic"].isin(MAIN) & ~agreement["weighted"]]
    for _, row in rows.iterrows():
        found = systemic_disagreement(Estimate.from_dict({str(name): value for name, value in row.items()}))
        if found.certain or (found.systemic and row["value"] < -NEXT_TO_NOTHING):
            yield f"“{row['question']}”, {row['cohort']}, {statistic_name(row['statistic'])}. {found.sentence}"


def soft_section(study: Study) -> ReportSection | None:
    """Shares from soft labels beside those from hard ones, where the two differ."""
    rows = []
    for name in study.settings.target:
        labels = study.labels(name)
        for cohort in study.cohorts:
            soft = labels.loc[labels["cohort"] == cohort, "y_soft"].dropna()
            if soft.isin([0.0, 1.0]).all():
                continue
            sample = study.sample_for(cohort)
            both = {kind: study.prevalence(name, sample, cohort, labels=kind).iloc[0] for kind in KINDS}
            if not abs(both["hard"]["value"] - both["soft"]["value"]) >= ALIKE:
                continue
            for kind, row in both.items():
                key = {"target": name, "sample": sample, "labels of": cohort, "labels": kind}
                rows.append({**key, **{end: 100 * row[end] for end in ("value", "low", "high")}, "posts": row["n"]})
    if not rows:
        return None
    sentences = [
        "A hard label says yes or no. A soft label says how sure it is: the share of a post's raters who said yes, or "
        "the probability that a model of the raters gives. Shares of positive posts from both, in per cent, differ "
        "where raters often part: a majority rounds every close vote, and a soft label does not."
    ]
    table = pd.DataFrame(rows).rename(columns={"labels": "kind of label"})
    return ReportSection(
        title="Shares from soft labels", sentences=sentences, tables=[("Share of all posts in per cent", table)]
    )
