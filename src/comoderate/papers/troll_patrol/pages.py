"""Tables and figures from the campaigns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from comoderate.papers import claims as shared
from comoderate.papers.facts import published
from comoderate.papers.results import Figure, Section
from comoderate.papers.troll_patrol import claims, corrections
from comoderate.papers.troll_patrol.claims import STATISTICS, agreement_row, first, frame_of, where
from comoderate.papers.troll_patrol.draws import WAYS
from comoderate.papers.troll_patrol.sources import ANSWERS
from comoderate.plots import PrecisionRecallDisplay, RocDisplay, SimplexDisplay

Campaigns = Sequence[dict[str, Any]]
COHORTS = ("volunteers", "experts")
METRICS = {"precision": "precision", "recall": "recall", "f1": "best F1", "average_precision": "average precision"}
_PHASES = {"base": "unbiased sample", "enrich": "added by the filter", "experts": "read by experts"}
HEADLINE = 0.071
"""The share of problematic or abusive mentions that Amnesty International published."""


def arrange(campaigns: Campaigns, *, annotators: Sequence[dict[str, Any]], off: Sequence[str]) -> list[Section]:
    """The page's sections.

    Args:
        campaigns: what each campaign gave.
        annotators: how far real annotators agree, in the columns of a study's agreement.
        off: corrections that the run went without.
    """
    firsts = list({one["world"]: one for one in reversed(campaigns)}.values())[::-1]
    changed = corrections.section([(where(one), one["changed"]) for one in campaigns])
    return [
        _claims(campaigns, annotators), _campaigns(campaigns), _agreement(campaigns), _votes(firsts),
        *(_classifiers(campaigns, cohort) for cohort in COHORTS), _curves(firsts), _estimates(campaigns),
        _draws(campaigns), *([] if off else [changed]),
    ]  # fmt: skip


def _text(row: Any) -> str:
    if row is None or math.isnan(row["value"]):
        return "–"
    ends = "" if math.isnan(row["low"]) else f" ({row['low']:.2f} to {row['high']:.2f})"
    return f"{row['value']:.2f}{ends}"


def _claims(campaigns: Campaigns, annotators: Sequence[dict[str, Any]]) -> Section:
    verdicts = [one for campaign in campaigns for one in claims.verdicts(campaign)]
    sentences = [
        "Rows of one claim are its campaigns; n is posts, or simulated draws of the sample. The campaigns' raters are "
        "drawn from how often real ones err, so what their agreement says is as good as that: the types of the "
        "davidson campaign are made up, and how often a rater names the right type follows from how often they are "
        "right at all. The annotators of ConvAbuse are real.",
    ]
    return shared.section([*verdicts, *claims.of_annotators(annotators)], counted="n", sentences=sentences)


# ------------------------------------------------------------------ tables and figures


def _campaigns(campaigns: Campaigns) -> Section:
    rows = []
    for one in campaigns:
        right = [" / ".join(f"{v:.2f}" for v in np.diag(np.array(one["confusion"][cohort]))) for cohort in COHORTS]
        heads = [f"{cohort} right on {' / '.join(ANSWERS)}" for cohort in COHORTS]
        told = dict(zip(heads, right, strict=True))
        drawn = one["study"]["design"]
        design = {name: drawn[key] for key, name in _PHASES.items() if key in drawn}
        rows.append({"campaign": where(one), "posts": one["posts"], **design, **told})
    sentences = [
        "Posts and their classes are real. Days have totals and a cap, a filter trained on another corpus enriches the "
        "sample, and raters answer as often rightly as real ones do: volunteers as the crowd workers of Davidson et "
        "al. (2017), experts as the annotators of ConvAbuse, each measured against the majority of the others.",
    ]
    frame = pd.DataFrame(rows)
    return Section("The campaigns", sentences, "campaigns", frame, frame)


def _agreement(campaigns: Campaigns) -> Section:
    rows, shown, told = [], [], []
    for fact in published("troll_patrol")["agreement"]:
        for cohort in COHORTS:
            key = {"question": fact["question"], "statistic": STATISTICS[fact["statistic"]], "raters": cohort}
            found = {
                where(one): agreement_row(frame_of(one, "agreement"), fact["question"], fact["statistic"], cohort)
                for one in campaigns
            }
            values = {name: math.nan if row is None else row["value"] for name, row in found.items()}
            rows.append({**key, "published": fact[cohort], **values})
            shown.append(
                {**key, "published": f"{fact[cohort]:.2f}", **{name: _text(row) for name, row in found.items()}}
            )
            told.append(_apart(f"{cohort} on the {key['question']}, {key['statistic']}", fact[cohort], values))
    sentences = [
        "Weighted to the real stream, with 95 % intervals. For the type, the mean of each type's binary kappa over "
        "posts on which at least two raters were asked.",
        "The paper's volunteers judged tweets about politics, with images and threads that a text does not show, and "
        "had six types to choose from; ours are drawn from raters of short texts, whose majority is clearer. Kappa "
        "also falls with the share of abuse, which differs by campaign. Ours less the paper's: "
        + "; ".join(told)
        + ".",
    ]
    return Section("Table 1: agreement", sentences, "table-1", pd.DataFrame(rows), pd.DataFrame(shown))


def _apart(what: str, paper: float, here: dict[str, float]) -> str:
    """How far ours are from a published value, in words."""
    told = [f"{value - paper:+.2f} on {name}" for name, value in here.items() if math.isfinite(value)]
    return f"{what}: {', '.join(told)}" if told else f"{what}: not measured"


def _votes(campaigns: Campaigns) -> Section:
    figures = []
    for campaign in campaigns:
        panels = {}
        for cohort in COHORTS:
            rows = np.array(campaign["study"]["votes"][cohort])
            counts = np.repeat(rows[:, 1:], rows[:, 0], axis=0)
            share = counts.sum(axis=0) / counts.sum()
            rng: np.random.Generator = np.random.default_rng(0)
            panels[cohort] = counts
            if cohort == "volunteers":
                panels["chance alone"] = rng.multinomial(3, share, size=len(counts))
                panels["perfect agreement"] = 3 * np.eye(3, dtype=int)[rng.choice(3, len(counts), p=share)]
        display = SimplexDisplay(panels, ANSWERS, title=f"How raters split: {campaign['world']}")
        figures.append(Figure(f"figure-2-{campaign['world']}", display))
    sentence = (
        "A disc is the posts whose votes split alike, corners are unanimity. Between the cohorts: what chance alone, "
        "and perfect agreement, would look like."
    )
    return Section("Figure 2: how raters split", [sentence], figures=figures)


def _classifiers(campaigns: Campaigns, cohort: str) -> Section:
    rows, shown, told = [], [], []
    for fact in published("troll_patrol")["classifiers"]:
        numbers = dict(zip(METRICS, fact[cohort] or [None] * 4, strict=True))
        found = {where(one): _measured(one, fact["scorer"], cohort) for one in campaigns}
        if all(row is None for one in found.values() for row in one.values()):
            continue
        key = {"classifier": fact["name"]}
        paper = {METRICS[m]: "–" if n is None else f"{n:.2f}" for m, n in numbers.items()}
        shown.append({**key, "where": "published", **paper})
        for name, one in found.items():
            values = {m: math.nan if row is None else row["value"] for m, row in one.items()}
            rows.append({**key, "campaign": name, **values, **{f"{m} published": n for m, n in numbers.items()}})
            shown.append({**key, "where": name, **{METRICS[m]: _text(row) for m, row in one.items()}})
        if numbers["average_precision"] is not None:
            ours = {name: _value(one["average_precision"]) for name, one in found.items()}
            told.append(_apart(fact["name"], numbers["average_precision"], ours))
    title = f"Table {2 if cohort == 'volunteers' else '2, continued'}: classifiers against the {cohort}"
    sentences = [_about(campaigns, cohort), f"Average precision, ours less the paper's: {'; '.join(told)}."]
    return Section(title, sentences, f"table-2-{cohort}", pd.DataFrame(rows), pd.DataFrame(shown))


def _value(row: dict[str, Any] | None) -> float:
    return math.nan if row is None else float(row["value"])


def _measured(campaign: dict[str, Any], scorer: str, cohort: str) -> dict[str, dict[str, Any] | None]:
    table = frame_of(campaign, "evaluation")
    table = table[(table["target"] == "abusive") & (table["truth"] == cohort)]
    return {metric: first(table, scorer=scorer, metric=metric) for metric in METRICS}


def _about(campaigns: Campaigns, cohort: str) -> str:
    """What the numbers are, and why they differ from the paper's."""
    shares = [f"{100 * one['truth'][f'abusive {cohort}']:.1f} % on {where(one)}" for one in campaigns]
    labels = [
        f"{one['study']['design'].get('base', 0) + one['study']['design'].get('enrich', 0):,}" for one in campaigns
    ]
    text = (
        "Weighted to the real stream; precision and recall at the threshold of the best F1, with 95 % intervals. A "
        f"scorer that knows nothing has the share of positive posts as its average precision: {' and '.join(shares)} "
        f"by the {cohort}, where Amnesty International published {100 * HEADLINE:.1f} % for its stream; that alone "
        "lifts or lowers every number. "
    )
    if cohort == "volunteers":
        return text + (
            "Naive Bayes (also the filter) and the local service are trained on Wikipedia talk, Davidson et al.'s "
            "classifier on another corpus than the campaign's, and the categories are the service's: on davidson's "
            "short tweets what they learnt carries over, on Reddit's misogyny it hardly does. Only the fine-tuned "
            "model learns from the campaign: in the small setting its encoder stays frozen, and it learns from "
            f"{' and '.join(labels)} labels where the paper's learnt from tens of thousands."
        )
    return text + (
        "The crowd is the share of positive volunteers on the experts' posts: it is far better here than in the paper, "
        "since volunteers and experts err independently about one truth, and real ones differ in what they look for."
    )


def _curves(campaigns: Campaigns) -> Section:
    figures = []
    names = {fact["scorer"]: fact["name"].partition(" (")[0] for fact in published("troll_patrol")["classifiers"]}
    for campaign in campaigns:
        curves = frame_of(campaign, "curves").replace({"scorer": names})
        evaluation = frame_of(campaign, "evaluation").replace({"scorer": names})
        for cohort in COHORTS:
            own = curves[(curves["target"] == "abusive") & (curves["truth"] == cohort)]
            own = own[~own["scorer"].isin(["experts", names["volunteers"]])]
            if own.empty:
                continue
            people = (names["volunteers"],) if cohort == "experts" else ()
            title = f"Against {cohort}: {campaign['world']}"
            shown: Any = {"evaluation": evaluation, "people": people, "title": title}
            stem = f"figure-3-{campaign['world']}-{cohort}"
            figures += [
                Figure(stem, PrecisionRecallDisplay.from_frame(own, **shown)),
                Figure(f"{stem}-roc", RocDisplay.from_frame(own, **shown)),
            ]
    sentence = "Against the experts the crowd is a point with its interval, as in the paper."
    return Section("Figure 3: precision–recall and ROC, the crowd as a point", [sentence], figures=figures)


def _estimates(campaigns: Campaigns) -> Section:
    rows, shown = [], []
    for one in campaigns:
        for row in _prevalence(one):
            truth = one["truth"].get(f"{row['target']} {row['cohort']}", math.nan)
            key = {"campaign": where(one), "target": row["target"], "cohort": row["cohort"]}
            rows.append({**key, **{name: row[name] for name in ("value", "low", "high")}, "truth": truth})
            estimate = f"{100 * row['value']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f})"
            inside = "yes" if row["low"] <= truth <= row["high"] else "no"
            line = {"campaign": where(one), "share that is": row["target"], "by": row["cohort"], "estimate": estimate}
            shown.append({**line, "truth": f"{100 * truth:.1f} %", "interval holds it": inside})
    sentences = [
        "The truth is what the cohort's majority would say of every post of the world. Nothing of this can stand "
        f"beside a published number: the paper's own estimate, {100 * HEADLINE:.1f} % problematic or abusive, is of "
        "another stream, whose truth nobody knows.",
    ]
    title = "How much abuse: estimates beside the truth"
    return Section(title, sentences, "estimates", pd.DataFrame(rows), pd.DataFrame(shown))


def _prevalence(campaign: dict[str, Any]) -> list[dict[str, Any]]:
    """The study's estimates; without the correction of the weights, those that the printed weights give."""
    if campaign["exact"]:
        return [{str(k): v for k, v in row.items()} for row in frame_of(campaign, "prevalence").to_dict("records")]
    printed = [
        one for one in campaign["changed"] if (one["correction"], one["way"]) == ("exact-weights", "as published")
    ]
    names = [one["quantity"].removeprefix("share ").split(", ") for one in printed]
    return [{**one, "target": target, "cohort": cohort} for one, (target, cohort) in zip(printed, names, strict=True)]


def _draws(campaigns: Campaigns) -> Section:
    full = pd.concat([pd.DataFrame(one["draws"]).assign(campaign=where(one)) for one in campaigns], ignore_index=True)
    shown = pd.DataFrame(
        {
            "campaign": full["campaign"], "quantity": full["quantity"], "way": full["way"],
            "truth": [f"{100 * v:.2f} %" for v in full["truth"]],
            "bias": [f"{100 * b / t:+.1f} %" for b, t in zip(full["bias"], full["truth"], strict=True)],
            "95 % intervals cover": full["coverage"].round(3),
            "mean width": [f"{100 * v:.2f}" for v in full["width"]], "labels": full["n"].round().astype(int),
        }
    )  # fmt: skip
    told = "; ".join(f"*{way}*: {what}" for way, what in WAYS.items())
    sentences = [f"The same design drawn again and again. {told}. Bias is relative to the truth, width in points."]
    return Section("What the design buys", sentences, "draws", full, shown)
