"""Tables and figures from what was measured in each environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.metrics import CollaborationCurves, Estimate
from comoderate.papers import claims as verdicts
from comoderate.papers.claims import Verdict
from comoderate.papers.collaboration import beside
from comoderate.papers.collaboration.claims import CROSSING
from comoderate.papers.collaboration.evaluation import COLUMNS, FRACTIONS, OURS, STRATEGIES, estimate_of
from comoderate.papers.results import Figure, Section
from comoderate.plots import Bins, ReliabilityDisplay, ReviewCurveDisplay

Floats = NDArray[np.float64]
Measured = Sequence[dict[str, Any]]
HEADS = dict(
    zip(
        COLUMNS,
        ("AUROC", "AUPRC", "accuracy", "Brier score", "ECE", "calibration AUROC", "calibration AUPRC",
         "calibration AUROC of toxicity", "calibration AUPRC of toxicity"), strict=True,
    )
)  # fmt: skip
PREDICTION = COLUMNS[:5]
CURVES = dict(
    zip(
        CollaborationCurves._fields,
        ("OC-Acc", "OC-AUROC", "OC-AUPRC", "review efficiency", "review effectiveness"), strict=True,
    )
)  # fmt: skip
FIGURES = {
    ("test", "oracle_collaborative_auroc"): 2, ("deployment", "oracle_collaborative_auroc"): 3,
    ("test", "oracle_collaborative_average_precision"): 7, ("deployment", "oracle_collaborative_average_precision"): 8,
    ("test", "oracle_collaborative_accuracy"): 9, ("deployment", "oracle_collaborative_accuracy"): 10,
    ("test", "review_efficiency"): 11, ("deployment", "review_efficiency"): 12,
    ("test", "review_effectiveness"): 13, ("deployment", "review_effectiveness"): 14,
}  # fmt: skip
"""The paper's number of each figure; Figure 4 is the cross-entropy half of 11 and 12, 5 and 6 are reliability."""
LOSSES = ("cross-entropy", "focal")
BANDED = "Deterministic"
"""The method whose intervals are drawn; ten models' bands would hide one another."""
SHOWN = (0.01, 0.05, 0.1, 0.2)


def table_rows(tables: Mapping[str, Floats], n: int) -> list[dict[str, Any]]:
    """A row a model and column, with an estimate's fields."""
    return [
        {"model": model, "metric": name, **estimate_of(table[:, k], n=n).as_dict()}
        for model, table in tables.items()
        for k, name in enumerate(COLUMNS)
    ]


def curve_rows(pairs: Mapping[tuple[str, str], Floats], n: int) -> list[dict[str, Any]]:
    """A row a model, strategy, metric and review fraction, with an estimate's fields."""
    return [
        {"model": model, "strategy": strategy, "metric": metric, "review_fraction": at,
         **estimate_of(curves[:, i, k], n=n).as_dict()}
        for (model, strategy), curves in pairs.items()
        for i, metric in enumerate(CollaborationCurves._fields)
        for k, at in enumerate(FRACTIONS)
    ]  # fmt: skip


def digest(probas: Mapping[str, Floats]) -> str:
    """Tells whether models' probabilities are still those that something was computed from."""
    return " ".join(f"{proba.mean():.6f}" for proba in probas.values())


def arrange(
    measured: Measured, *, elsewhere: Measured = (), identities: Sequence[dict[str, Any]] = (), about: str = ""
) -> list[Section]:
    """The page's sections.

    Args:
        measured: a dictionary an environment and seed.
        elsewhere: the same for posts on which only the models are measured, no review.
        identities: rows by identity, model and metric.
        about: how the models differ from the paper's, a sentence.
    """
    found = [_claims([*measured, *elsewhere])]
    for name in dict.fromkeys(one["environment"] for one in measured):
        own = [one for one in measured if one["environment"] == name]
        found += [_table(own, PREDICTION, about), _table(own, COLUMNS[5:], about), _pair(own), _curves(own)]
        found += [_ours(own), _reliability(own)]
    if elsewhere:
        found += [_table(elsewhere, PREDICTION, about), _table(elsewhere, COLUMNS[5:], about)]
    changed = [one for one in measured if one["extra"]["changes"]]
    found += [_changes(changed)] if changed else []
    return [*found, *([_identities(identities)] if identities else [])]


def _where(one: dict[str, Any]) -> str:
    return str(one["posts"]) + (f", seed {one['seed']}" if one["again"] else "")


# ------------------------------------------------------------------ claims


def _claims(measured: Measured) -> Section:
    found = []
    for one in measured:
        paper = beside.claimed(one["environment"])
        rows = [row for row in one["claims"] if row["claim"] != CROSSING] + one["extra"]["claims"]
        for row in rows:
            published = paper.get((row["claim"], row["measure"]))
            text = "" if published is None or np.isnan(published) else f"{published:+.3g}"
            measure = row["measure"].replace(", without", " without")
            for raw, name in CURVES.items():
                measure = measure.replace(raw, name)
            claim = row["claim"].replace("auroc", "AUROC")
            found.append(Verdict(claim, _where(one), measure, Estimate.from_dict(row), text))
    order = {claim: k for k, claim in enumerate(dict.fromkeys(one.claim for one in found))}
    found = sorted([*found, *_across(measured)], key=lambda one: order.get(one.claim, len(order)))
    sentences = [
        "Intervals are a bootstrap over posts, whose replicates all models and strategies share; a difference is the "
        "mean over models where it is not about one. In the column of published values stands what the same code "
        "makes of the paper's own tables; it published no intervals, and a claim of the paper may be small or "
        "reversed there. ECE is larger in a replicate, whose bins are noisier, so that the interval of a difference in "
        "it may lie beside its value; Kendall's τ of ten models is drawn towards 0 in the same way.",
    ]
    return verdicts.section(found, counted="posts", sentences=sentences)


def _across(measured: Measured) -> list[Verdict]:
    """Claims about leaving the domain: the environments' posts are independent of each other."""
    by_name = {(one["environment"], one["seed"]): one for one in measured}
    found = []
    for (name, seed), deployed in by_name.items():
        tested = by_name.get(("test", seed))
        if name != "deployment" or tested is None:
            continue
        for column, claim, sign in (
            ("accuracy", "accuracy improves out of domain", 1.0),
            ("brier", "the Brier score improves out of domain", -1.0),
            ("auroc", "AUROC falls out of domain", -1.0),
        ):
            drawn = sign * (np.array(deployed["spread"][column]) - np.array(tested["spread"][column]))
            paper = sign * (beside.mean("deployment", column) - beside.mean("test", column))
            where = f"{deployed['posts']} against {_where(tested)}"
            found.append(Verdict(claim, where, HEADS[column], estimate_of(drawn, n=deployed["n"]), f"{paper:+.3g}"))
    return found


# ------------------------------------------------------------------ tables


def _table(own: Measured, columns: Sequence[str], about: str) -> Section:
    one = own[0]
    frame = _averaged(own, "table", ["model", "metric"])
    frame = frame[frame["metric"].isin(columns)]
    full = frame.assign(environment=one["environment"])
    full["published"] = [
        beside.column(one["environment"], *key) for key in zip(full["model"], full["metric"], strict=True)
    ]
    lines: dict[str, dict[str, Any]] = {}
    for row in full.to_dict("records"):
        width = "" if not np.isfinite(row["low"]) else f" ({row['low']:.3f} to {row['high']:.3f})"
        paper = "" if not np.isfinite(row["published"]) else f" [{row['published']:.3f}]"
        line = lines.setdefault(row["model"], {"model": row["model"]})
        line[HEADS[row["metric"]]] = f"{row['value']:.3f}{width}{paper}"
    theirs = one["environment"] in beside.ENVIRONMENTS
    first = tuple(columns) == tuple(PREDICTION)
    part, number = ("prediction", "1") if first else ("calibration", "3" if one["environment"] == "deployment" else "2")
    sentences = [
        f"{_posts(own)} In brackets the 95 % interval"
        + (", in square brackets what the paper published." if theirs else "; the paper has no such table."),
        f"{_apart(full, columns)} {about}".strip() + (_rule(one) if first else ""),
    ]
    title = f"Table {number}: {part}, {one['title']}" if theirs else f"{part.capitalize()} {one['title']}"
    return Section(title, sentences, f"table-{number}-{one['environment']}", full, pd.DataFrame(list(lines.values())))


def _posts(own: Measured) -> str:
    one = own[0]
    seeds = f"; means over {len(own)} seeds" if len(own) > 1 else ""
    return f"{one['n']:,} posts of {one['posts']}, {100 * one['positives']:.1f} % of them toxic{seeds}."


def _apart(full: pd.DataFrame, columns: Sequence[str]) -> str:
    """How far the means over models are from the paper's, and which model is furthest, in words."""
    known = full.dropna(subset=["published"])
    told = []
    for name in columns:
        part = known[known["metric"] == name]
        if len(part):
            told.append(f"{HEADS[name]} {(part['value'] - part['published']).mean():+.3f}")
    if not told:
        return ""
    first = known[known["metric"] == columns[0]]
    far = first.iloc[int(np.argmax((first["value"] - first["published"]).abs()))]
    return (
        f"Ours less the paper's, mean over models: {', '.join(told)}. Furthest from it in {HEADS[columns[0]]} is "
        f"{far['model']}: {far['value']:.3f}, published {far['published']:.3f}."
    )


def _rule(one: dict[str, Any]) -> str:
    if one["environment"] != "deployment":
        return ""
    return (
        " The paper's AUROC and AUPRC here call a comment toxic if any rater did, which many more comments are than "
        "those that more than 70 % of the raters call so: they answer another question than ours, and AUPRC, which "
        "without skill is the share of toxic posts, starts from far higher."
        if one["one_rule"]
        else " As published, AUROC and AUPRC call a comment toxic if any rater did."
    )


def _pair(own: Measured) -> Section:
    """Each metric of the pair by strategy and review fraction, means over models, the paper's in square brackets."""
    one = own[0]
    full = _averaged(own, "curves", ["model", "strategy", "metric", "review_fraction"])
    paper = {
        (model, strategy, metric, at): value
        for model in beside.MODELS for strategy in STRATEGIES for metric in CURVES
        for at, value in zip(FRACTIONS, beside.curve(one["environment"], model, strategy, metric), strict=True)
    }  # fmt: skip
    keys = zip(full["model"], full["strategy"], full["metric"], full["review_fraction"], strict=True)
    full["published"] = [paper.get(key, np.nan) for key in keys]
    mean = full.groupby(["metric", "strategy", "review_fraction"], sort=False)[["value", "published"]].mean()
    found = dict(zip(mean.index, zip(mean["value"], mean["published"], strict=True), strict=True))
    shown = []
    for metric in CURVES:
        for strategy in (*STRATEGIES, *OURS):
            line = {"metric": CURVES[metric], "strategy": _words(strategy)}
            for at in SHOWN:
                if (metric, strategy, at) in found:
                    value, there = found[metric, strategy, at]
                    line[f"{100 * at:g} % read"] = f"{value:.3f}" + ("" if np.isnan(there) else f" [{there:.3f}]")
            shown.append(line)
    sentences = [
        "The metrics of model and moderators together, by which posts moderators read and how many: means over models, "
        "in square brackets the paper's. OC-Acc, OC-AUROC and OC-AUPRC: after the moderators have corrected what they "
        "read; review efficiency: how often what they read was wrong; effectiveness: which share of all errors they "
        "read. The file has each model, with its interval and the paper's value. They differ from "
        "the paper's as the models do: see the tables above; the last three strategies are Comoderate's.",
    ]
    title = f"What review buys, {one['title']}"
    return Section(title, sentences, f"curves-{one['environment']}", full, pd.DataFrame(shown))


def _words(strategy: str) -> str:
    return strategy.replace("_", " ").replace("auroc", "AUROC")


def _averaged(own: Measured, name: str, keys: list[str]) -> pd.DataFrame:
    """Rows of one seed as they are; of several their mean, with an interval from the spread over seeds."""
    frame = pd.concat([pd.DataFrame(one[name]) for one in own], ignore_index=True)
    if len(own) == 1:
        return frame
    grouped = frame.groupby(keys, sort=False)["value"]
    mean, error = grouped.mean(), grouped.std(ddof=1) / np.sqrt(len(own))
    ends = {"value": mean, "se": error, "low": mean - 1.96 * error, "high": mean + 1.96 * error}
    return pd.DataFrame(ends).reset_index()


# ------------------------------------------------------------------ figures


def _curves(own: Measured) -> Section:
    one = own[0]
    frame = _averaged(own, "curves", ["model", "strategy", "metric", "review_fraction"])
    frame = frame[frame["strategy"].isin(STRATEGIES)]
    figures = []
    for (environment, metric), number in sorted(FIGURES.items(), key=lambda item: item[1]):
        if environment == one["environment"]:
            figures += [_figure(frame, one, metric, loss, f"figure-{number}-{loss}") for loss in LOSSES]
    figures.append(_figure(frame, one, "review_efficiency", "cross-entropy", f"figure-4-{one['environment']}"))
    numbers = sorted(number for (name, _), number in FIGURES.items() if name == one["environment"])
    sentence = (
        f"Solid: moderators read what is uncertain; dashed: what is most toxic. The band is the 95 % interval of the "
        f"{BANDED.lower()} model; those of the others stand in the file above. Figure 4 is the cross-entropy "
        "half of review efficiency."
    )
    told = ", ".join(map(str, [numbers[0], 4, *numbers[1:]]))
    return Section(f"Figures {told}: {one['title']}", [sentence], figures=figures)


def _figure(frame: pd.DataFrame, one: dict[str, Any], metric: str, loss: str, name: str) -> Figure:
    part = frame[frame["model"].str.endswith(loss) & (frame["metric"] == metric)]
    part = part.assign(scorer=part["model"].str.removesuffix(f", {loss}"))
    hidden = part["scorer"] != BANDED
    part = part.assign(low=part["low"].mask(hidden), high=part["high"].mask(hidden))
    title = f"Figure {name.split('-')[1]}: {CURVES[metric]}, {one['title']}, {loss}"
    return Figure(name, ReviewCurveDisplay(part, title=title))


def _ours(own: Measured) -> Section:
    """Our strategies beside the paper's for one model, with the intervals of all."""
    one = own[0]
    frame = _averaged(own, "curves", ["model", "strategy", "metric", "review_fraction"])
    model = f"{BANDED}, cross-entropy"
    part = frame[(frame["model"] == model) & frame["strategy"].isin([*STRATEGIES, *OURS])]
    part = part.assign(strategy=[_words(name) for name in part["strategy"]], scorer=model)
    names = ("review_efficiency", "oracle_collaborative_auroc", "oracle_collaborative_average_precision")
    figures = [
        Figure(
            f"strategies-{CURVES[name].replace(' ', '-').lower()}-{one['environment']}",
            ReviewCurveDisplay(part[part["metric"] == name], title=f"{CURVES[name]}, {one['title']}"),
        )
        for name in names
    ]
    sentence = (
        f"The five strategies on one model ({model}), each with its 95 % interval. Intervals of two strategies overlap "
        "more than their difference is uncertain, since both read the same posts: the claims above judge differences."
    )
    return Section(f"Comoderate's strategies beside the paper's, {one['title']}", [sentence], figures=figures)


def _reliability(own: Measured) -> Section:
    one = own[0]
    bins = [
        Bins(model, found["predicted"], found["observed"], low=found["low"], high=found["high"])
        for model, found in one["extra"]["reliability"].items()
        if model.startswith(("Deterministic", "SNGP,"))
    ]
    number = 5 if one["environment"] == "test" else 6
    title = f"Figure {number}: reliability, {one['title']}"
    seed = f" Seed {one['seed']} alone." if one["again"] else ""
    sentence = (
        "Above the diagonal probabilities claim too little, below it too much; bins of equal width, 95 % intervals "
        f"over posts.{seed}"
    )
    figure = Figure(f"figure-{number}", ReliabilityDisplay(bins, title=title))
    return Section(title, [sentence], figures=[figure])


# ------------------------------------------------------------------ corrections and groups


def _changes(measured: Measured) -> Section:
    full = pd.DataFrame([{"where": _where(one), **row} for one in measured for row in one["extra"]["changes"]])
    shown = pd.DataFrame(
        {
            "where": full["where"], "quantity": full["quantity"], "turned off": full["off"],
            "corrected": [f"{v:.3f}" for v in full["corrected"]],
            "as published": [f"{v:.3f}" for v in full["as_published"]],
            "change": [
                f"{row.change:+.4f} ({row.low:+.4f} to {row.high:+.4f})" for row in full.itertuples()
            ],
        }
    )  # fmt: skip
    sentences = [
        "The same scores measured both ways, means over models, the change with a 95 % interval over posts; review by "
        "uncertainty. `all-passes`, `exact-precision` and `mean-field` change the scores themselves: a run of its own "
        "with `--as-published` shows what they do.",
    ]
    if hard := [_where(one) for one in measured if not one["extra"]["soft"]]:
        sentences.append(
            f"The label rule changes nothing on {' and '.join(hard)}, where labels are known only as 0 and 1; on "
            "CivilComments whole, any rater's word makes many more comments toxic than 70 % of the raters do."
        )
    return Section("What the corrections change", sentences, "corrections", full, shown)


def _identities(rows: Sequence[dict[str, Any]]) -> Section:
    frame = pd.DataFrame(rows)
    wide = frame.pivot_table(
        index=["identity", "posts", "metric"], values="value", aggfunc=["min", "mean", "max"], sort=False
    )
    wide.columns = pd.Index(["least over models", "mean over models", "most over models"])
    sentence = (
        "Posts of the deployment that mention an identity, where there are a hundred of them with both labels; models "
        "one by one, with intervals, in the file."
    )
    return Section("By identity", [sentence], "identities", frame, wide.round(3).reset_index())
