"""Tables, figures and claims from the campaigns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from comoderate.metrics import Estimate
from comoderate.papers import claims
from comoderate.papers.claims import Verdict
from comoderate.papers.facts import published
from comoderate.papers.results import Figure, Section
from comoderate.papers.troll_patrol.draws import WAYS
from comoderate.papers.troll_patrol.sources import ANSWERS
from comoderate.plots import PrecisionRecallDisplay, RocDisplay, SimplexDisplay

Campaigns = Sequence[dict[str, Any]]
COHORTS = ("volunteers", "experts")
METRICS = ("precision", "recall", "f1", "average_precision")


def arrange(campaigns: Campaigns) -> list[Section]:
    """The page's sections, from what each campaign gave."""
    return [
        _claims(campaigns), _campaigns(campaigns), _agreement(campaigns), _votes(campaigns[0]),
        _classifiers(campaigns), _curves(campaigns[0]), _estimates(campaigns), _draws(campaigns),
    ]  # fmt: skip


def _of(campaign: dict[str, Any], name: str) -> pd.DataFrame:
    return pd.DataFrame(campaign["study"][name])


def _where(campaign: dict[str, Any]) -> str:
    return f"{campaign['world']}, seed {campaign['seed']}"


def _text(row: Any) -> str:
    if row is None or math.isnan(row["value"]):
        return "–"
    ends = "" if math.isnan(row["low"]) else f" ({row['low']:.2f} to {row['high']:.2f})"
    return f"{row['value']:.2f}{ends}"


def _first(frame: pd.DataFrame, **wanted: Any) -> dict[str, Any] | None:
    for key, value in wanted.items():
        frame = frame[frame[key] == value]
    return None if frame.empty else {str(k): v for k, v in frame.iloc[0].items()}


# ------------------------------------------------------------------ claims


def _difference(one: dict[str, Any] | None, other: dict[str, Any] | None) -> Estimate:
    """The difference of two estimates from different posts or statistics, as if they were independent."""
    if one is None or other is None:
        return Estimate.undefined("one of them was not measured")
    value, se = one["value"] - other["value"], math.hypot(one["se"], other["se"])
    return Estimate(value, se, value - 1.96 * se, value + 1.96 * se, 0.95, "two estimates", int(one["n"]))


def _verdicts(campaign: dict[str, Any]) -> list[Verdict]:
    table, where = _of(campaign, "agreement"), _where(campaign)
    found = []
    for statistic, paper in (("fleiss_kappa", ".54 against .26"), ("icc", ".70 against .35")):
        pair = [_row(table, "problem", statistic, cohort) for cohort in ("experts", "volunteers")]
        found.append(Verdict("experts agree more than volunteers", where, statistic, _difference(*pair), paper))
    for cohort, paper in (("volunteers", ".26 against .16"), ("experts", ".54 against .74: the text says the reverse")):
        pair = [_row(table, "problem", "fleiss_kappa", cohort), _type_kappa(table, cohort)]
        found.append(
            Verdict(f"{cohort} agree more on presence than on type", where, "fleiss_kappa", _difference(*pair), paper)
        )
    scorers = _of(campaign, "evaluation")
    best = [
        _first(scorers, target="abusive", truth="volunteers", scorer=name, metric="average_precision")
        for name in ("bert", "service")
    ]
    found.append(
        Verdict(
            "the campaign's own model beats a service", where, "average precision", _difference(*best), ".40 to .34"
        )
    )
    return [*found, *_enrichment(campaign)]


def _enrichment(campaign: dict[str, Any]) -> list[Verdict]:
    table, where = pd.DataFrame(campaign["draws"]), _where(campaign)
    found = []
    for quantity, what in (("abusive", "the overall share"), ("severe", "a rare type")):
        pair = [_first(table, quantity=quantity, way=way) for way in ("B", "B + F")]
        if pair[0] is None or pair[1] is None:
            continue
        ratio, n = pair[0]["spread"] / pair[1]["spread"], int(pair[0]["draws"])
        se = ratio / math.sqrt(n)
        saved = Estimate(ratio - 1, se, ratio - 1 - 1.96 * se, ratio - 1 + 1.96 * se, 0.95, "simulated draws", n)
        found.append(Verdict(f"enrichment narrows {what}", where, "standard error saved, as a share", saved))
    return found


def _row(table: pd.DataFrame, question: str, statistic: str, cohort: str) -> dict[str, Any] | None:
    weighted = _first(table, question=question, statistic=statistic, cohort=cohort, weighted=True)
    return weighted or _first(table, question=question, statistic=statistic, cohort=cohort)


def _type_kappa(table: pd.DataFrame, cohort: str) -> dict[str, Any] | None:
    """The mean of the types' kappas, with the standard error of a mean of independent ones."""
    rows = table[
        (table["cohort"] == cohort) & (table["statistic"] == "fleiss_kappa") & table["question"].str.startswith("type:")
    ]
    rows = rows[rows["weighted"] == rows["weighted"].max()].dropna(subset=["value", "se"])
    if rows.empty:
        return None
    value, se = float(rows["value"].mean()), float(np.sqrt((rows["se"] ** 2).sum()) / len(rows))
    return {"value": value, "se": se, "low": value - 1.96 * se, "high": value + 1.96 * se, "n": int(rows["n"].max())}


def _claims(campaigns: Campaigns) -> Section:
    verdicts = [one for campaign in campaigns for one in _verdicts(campaign)]
    sentences = [
        "Each row is a difference with its 95 % interval, positive where the claim holds: `holds` and `fails` where "
        "the interval leaves out 0, `open` where it does not.",
    ]
    return Section("Which claims hold here", sentences, "claims", claims.table(verdicts), claims.shown(verdicts))


# ------------------------------------------------------------------ tables and figures


def _campaigns(campaigns: Campaigns) -> Section:
    rows = []
    for one in campaigns:
        right = [" / ".join(f"{v:.2f}" for v in np.diag(np.array(one["confusion"][cohort]))) for cohort in COHORTS]
        heads = [f"{cohort} right on {' / '.join(ANSWERS)}" for cohort in COHORTS]
        told = dict(zip(heads, right, strict=True))
        rows.append({"campaign": _where(one), "posts": one["posts"], **one["study"]["design"], **told})
    sentences = [
        "Posts and their classes are real. Days have totals and a cap, a filter trained on another corpus enriches the "
        "sample, and raters answer as often rightly as real ones do: volunteers as the crowd workers of Davidson et "
        "al. (2017), experts as the annotators of ConvAbuse, each measured against the majority of the others.",
    ]
    frame = pd.DataFrame(rows)
    return Section("The campaigns", sentences, "campaigns", frame, frame)


def _agreement(campaigns: Campaigns) -> Section:
    facts = published("troll_patrol")["agreement"]
    rows, shown = [], []
    for fact in facts:
        line: dict[str, Any] = {"question": fact["question"], "statistic": fact["statistic"]}
        for cohort in COHORTS:
            line[f"{cohort}, published"] = fact[cohort]
        text = dict(line)
        for one in campaigns:
            table = _of(one, "agreement")
            for cohort in COHORTS:
                found = (
                    _type_kappa(table, cohort)
                    if fact["question"] == "type"
                    else _row(table, fact["question"], fact["statistic"], cohort)
                )
                line[f"{cohort}, {_where(one)}"] = math.nan if found is None else found["value"]
                text[f"{cohort}, {_where(one)}"] = _text(found)
        rows.append(line)
        shown.append(text)
    sentences = [
        "Weighted to the real stream. For the type, the mean of each type's binary kappa over posts on which at least "
        "two raters were asked. The paper's volunteers judged tweets about politics, with images and threads that a "
        "text does not show; ours are drawn from raters of short texts, whose majority is clearer.",
    ]
    return Section("Table 1: agreement", sentences, "table-1", pd.DataFrame(rows), pd.DataFrame(shown))


def _votes(campaign: dict[str, Any]) -> Section:
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
    display = SimplexDisplay(panels, ANSWERS, title="How raters split")
    sentence = "Corners are unanimity. Between the cohorts: what chance alone, and perfect agreement, would look like."
    return Section("Figure 2: how raters split", [sentence], figures=[Figure("figure-2", display)])


def _classifiers(campaigns: Campaigns) -> Section:
    rows, shown = [], []
    for fact in published("troll_patrol")["classifiers"]:
        for cohort in COHORTS:
            numbers = fact[cohort] or [None] * 4
            for one in campaigns:
                table = _of(one, "evaluation")
                table = table[(table["target"] == "abusive") & (table["truth"] == cohort)]
                found = [_first(table, scorer=fact["scorer"], metric=metric) for metric in METRICS]
                if all(value is None for value in found):
                    continue
                key = {"classifier": fact["name"], "against": cohort, "campaign": _where(one)}
                values = {m: math.nan if v is None else v["value"] for m, v in zip(METRICS, found, strict=True)}
                ours = {f"{m} published": n for m, n in zip(METRICS, numbers, strict=True)}
                rows.append({**key, **values, **ours})
                heads = ("precision", "recall", "best F1", "AP")
                paper = " / ".join("–" if n is None else f"{n:.2f}" for n in numbers)
                text = {h: _text(v) for h, v in zip(heads, found, strict=True)}
                shown.append({**key, **text, "published P / R / F1 / AP": paper})
    sentences = [
        "Weighted to the real stream; precision and recall at the threshold of the best F1. Naive Bayes (also the "
        "filter) and the service are trained on Wikipedia talk, Davidson et al.'s classifier on another corpus than "
        "the campaign's; the categories are those of the local service; only the fine-tuned model learns from the "
        "campaign itself. The crowd is the share of positive volunteers on the experts' posts.",
        "In the small setting the fine-tuned model's encoder stays frozen, and it learns from some 1,500 noisy labels "
        "where the paper's learnt from tens of thousands.",
    ]
    return Section(
        "Table 2: classifiers against crowd and experts", sentences, "table-2", pd.DataFrame(rows), pd.DataFrame(shown)
    )


def _curves(campaign: dict[str, Any]) -> Section:
    curves, evaluation = _of(campaign, "curves"), _of(campaign, "evaluation")
    figures = []
    for cohort in COHORTS:
        own = curves[(curves["target"] == "abusive") & (curves["truth"] == cohort) & (curves["scorer"] != "experts")]
        if own.empty:
            continue
        people = ("volunteers",) if cohort == "experts" else ()
        shown: Any = {"evaluation": evaluation, "people": people, "title": f"Against {cohort}: {campaign['world']}"}
        figures += [
            Figure(f"figure-3-{cohort}", PrecisionRecallDisplay.from_frame(own, **shown)),
            Figure(f"figure-3-{cohort}-roc", RocDisplay.from_frame(own, **shown)),
        ]
    return Section("Figure 3: precision–recall and ROC, the crowd as a point", figures=figures)


def _estimates(campaigns: Campaigns) -> Section:
    rows, shown = [], []
    for one in campaigns:
        table = _of(one, "prevalence")
        for row in table.to_dict("records"):
            truth = one["truth"].get(f"{row['target']} {row['cohort']}", math.nan)
            inside = row["low"] <= truth <= row["high"]
            key = {"campaign": _where(one), "target": row["target"], "cohort": row["cohort"]}
            rows.append({**key, **{name: row[name] for name in ("value", "low", "high")}, "truth": truth})
            estimate = f"{100 * row['value']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f})"
            covers = "yes" if inside else "no"
            shown.append({**key, "estimate": estimate, "truth": f"{100 * truth:.1f} %", "covers": covers})
    sentence = "The truth is what the cohort's majority would say of every post of the world."
    title = "How much abuse: estimates beside the truth"
    return Section(title, [sentence], "estimates", pd.DataFrame(rows), pd.DataFrame(shown))


def _draws(campaigns: Campaigns) -> Section:
    full = pd.concat([pd.DataFrame(one["draws"]).assign(campaign=_where(one)) for one in campaigns], ignore_index=True)
    shown = pd.DataFrame(
        {
            "campaign": full["campaign"], "quantity": full["quantity"], "way": full["way"],
            "truth": [f"{100 * v:.2f} %" for v in full["truth"]],
            "bias": [f"{100 * b / t:+.1f} %" for b, t in zip(full["bias"], full["truth"], strict=True)],
            "95 % covers": full["coverage"].round(3), "mean width": [f"{100 * v:.2f}" for v in full["width"]],
            "labels": full["n"].round().astype(int),
        }
    )  # fmt: skip
    told = "; ".join(f"*{way}*: {what}" for way, what in WAYS.items())
    sentences = [f"The same design drawn again and again. {told}. Bias is relative to the truth, width in points."]
    return Section("What the design buys", sentences, "draws", full, shown)
