"""Tables, figures and claims from what was measured in each environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.metrics import CollaborationCurves, Estimate
from comoderate.papers import claims as verdicts
from comoderate.papers.claims import Verdict
from comoderate.papers.collaboration.evaluation import COLUMNS, FRACTIONS, STRATEGIES, estimate_of
from comoderate.papers.facts import published
from comoderate.papers.results import Figure, Section
from comoderate.plots import Bins, ReliabilityDisplay, ReviewCurveDisplay

Floats = NDArray[np.float64]
Measured = Sequence[dict[str, Any]]
HEADS = dict(
    zip(
        COLUMNS,
        ("AUROC", "AUPRC", "Accuracy", "Brier", "ECE", "Calib. AUROC", "Calib. AUPRC", "Calib. AUROC (toxicity)",
         "Calib. AUPRC (toxicity)"), strict=True,
    )
)  # fmt: skip
_PUBLISHED = {"auroc": "auroc", "auprc": "auprc", "accuracy": "acc", "brier": "brier", "ece": "ece"}
_MODELS = {
    "Deterministic, cross-entropy": "Deterministic", "Monte Carlo dropout, cross-entropy": "Monte Carlo Dropout",
    "Ensemble, cross-entropy": "Ensemble (size=10)", "SNGP, cross-entropy": "SNGP",
    "SNGP ensemble, cross-entropy": "SNGP Ensemble (size=10)", "Deterministic, focal": "Deterministic + Focal Loss",
    "Monte Carlo dropout, focal": "Monte Carlo Dropout + Focal Loss",
    "Ensemble, focal": "Ensemble + Focal Loss (size=10)", "SNGP, focal": "SNGP + Focal Loss",
    "SNGP ensemble, focal": "SNGP Ensemble + Focal Loss (size=10)",
}  # fmt: skip
_ENVIRONMENTS = {"test": "wikipedia_test", "deployment": "civil_comments_test"}


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


def arrange(measured: Measured, *, identities: Sequence[dict[str, Any]] = ()) -> list[Section]:
    """The page's sections.

    Args:
        measured: a dictionary an environment and seed.
        identities: rows by identity, model and metric.
    """
    found = [_claims(measured)]
    for name in dict.fromkeys(one["environment"] for one in measured):
        own = [one for one in measured if one["environment"] == name]
        found += [_table(own), _curves(own), _reliability(own)]
    return [*found, *([_identities(identities)] if identities else [])]


def _where(one: dict[str, Any]) -> str:
    return str(one["title"]) + (f", seed {one['seed']}" if one["seed"] else "")


# ------------------------------------------------------------------ claims


def _claims(measured: Measured) -> Section:
    found = [
        Verdict(row["claim"], _where(one), row["measure"], Estimate.from_dict(row), row["published"])
        for one in measured
        for row in one["claims"]
    ]
    found += _across(measured)
    sentences = [
        "Each row is a difference, positive where the claim holds, with a 95 % bootstrap interval over posts (all "
        "models and strategies share the replicates), averaged over models where it is not about one: `holds` and "
        "`fails` where the interval leaves out 0, `open` where it does not.",
    ]
    return Section("Which claims hold here", sentences, "claims", verdicts.table(found), verdicts.shown(found))


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
            found.append(Verdict(claim, "both", HEADS[column], estimate_of(drawn, n=len(drawn) - 1)))
    return found


# ------------------------------------------------------------------ tables and figures


def _table(own: Measured) -> Section:
    one = own[0]
    facts = published("collaboration")[_ENVIRONMENTS[one["environment"]]]
    frame = _averaged(own, "table", ["model", "metric"])
    full = frame.assign(environment=one["environment"])
    records = frame.to_dict("records")
    full["published"] = [_fact(facts, row["model"], row["metric"]) for row in records]
    lines: dict[str, dict[str, Any]] = {}
    for row in records:
        fact = _fact(facts, row["model"], row["metric"])
        width = "" if not np.isfinite(row["low"]) else f" ({row['low']:.3f}–{row['high']:.3f})"
        line = lines.setdefault(row["model"], {"model": row["model"]})
        line[HEADS[row["metric"]]] = f"{row['value']:.3f}{width}" + ("" if fact is None else f" [{fact:.3f}]")
    shown = list(lines.values())
    sentences = [
        f"{one['title'].capitalize()}: {100 * one['positives']:.1f} % of the posts are toxic. In brackets: 95 % "
        "intervals; in square brackets: published, for BERT-base trained on all of Wikipedia talk and, in deployment, "
        "the whole of CivilComments, whose AUROC and AUPRC follow another label rule.",
    ]
    title = f"Table 1: prediction and calibration, {one['title']}"
    return Section(title, sentences, f"table-1-{one['environment']}", full, pd.DataFrame(shown))


def _fact(facts: dict[str, Any], model: str, metric: str) -> float | None:
    own = facts.get(_MODELS.get(model, ""), {})
    value: float | None
    if metric in _PUBLISHED:
        value = own.get(_PUBLISHED[metric])
        return value
    name = "calib_auroc" if "auroc" in metric else "calib_auprc"
    value = own.get(name, {}).get("toxicity" if metric.endswith("toxicity") else "uncertainty")
    return value


def _averaged(own: Measured, name: str, keys: list[str]) -> pd.DataFrame:
    """Rows of one seed as they are; of several their mean, with an interval from the spread over seeds."""
    frame = pd.concat([pd.DataFrame(one[name]) for one in own], ignore_index=True)
    if len(own) == 1:
        return frame
    grouped = frame.groupby(keys, sort=False)["value"]
    mean, error = grouped.mean(), grouped.std(ddof=1) / np.sqrt(len(own))
    ends = {"value": mean, "se": error, "low": mean - 1.96 * error, "high": mean + 1.96 * error}
    return pd.DataFrame(ends).reset_index()


def _curves(own: Measured) -> Section:
    one = own[0]
    frame = _averaged(own, "curves", ["model", "strategy", "metric", "review_fraction"])
    figures = []
    for loss in ("cross-entropy", "focal"):
        part = frame[frame["model"].str.endswith(loss) & frame["strategy"].isin(STRATEGIES)]
        shown = part.assign(scorer=part["model"].str.removesuffix(f", {loss}"))
        shown = shown.assign(low=np.nan, high=np.nan)  # ten models' bands would hide one another; the file has them
        display = ReviewCurveDisplay(shown, title=f"{one['title'].capitalize()}, {loss}")
        figures.append(Figure(f"curves-{one['environment']}-{loss}", display))
    wide = frame[frame["metric"] == "oracle_collaborative_auroc"]
    wide = wide.assign(at=[f"{100 * v:g} %" for v in wide["review_fraction"]])
    table = (
        wide.pivot_table(index=["model", "strategy"], columns="at", values="value", sort=False).round(4).reset_index()
    )
    sentences = [
        "The metrics of the pair against the share of posts that moderators read: OC-AUROC in the table (Tables 2 and "
        "3), all five in the figures (Figures 2 to 14), solid for uncertainty and dashed for toxicity, and with "
        "intervals in the file, where Comoderate's strategies stand beside the paper's.",
    ]
    title = f"What review buys, {one['title']}"
    return Section(title, sentences, f"curves-{one['environment']}", frame, table, figures)


def _reliability(own: Measured) -> Section:
    one = own[0]
    bins = [
        Bins(model, found["predicted"], found["observed"])
        for model, found in one["reliability"].items()
        if model.startswith(("Deterministic", "SNGP,"))
    ]
    title = f"Reliability, {one['title']}"
    sentence = "Above the diagonal probabilities claim too little, below it too much."
    return Section(
        title, [sentence], figures=[Figure(f"reliability-{one['environment']}", ReliabilityDisplay(bins, title=title))]
    )


def _identities(rows: Sequence[dict[str, Any]]) -> Section:
    frame = pd.DataFrame(rows)
    wide = frame.pivot_table(
        index=["identity", "posts", "metric"], values="value", aggfunc=["min", "mean", "max"], sort=False
    )
    wide.columns = pd.Index(["least over models", "mean over models", "most over models"])
    sentence = "Posts of the deployment that mention an identity; models one by one, with intervals, in the file."
    return Section("By identity", [sentence], "identities", frame, wide.round(3).reset_index())
