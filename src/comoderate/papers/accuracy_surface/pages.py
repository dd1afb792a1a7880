"""Tables, figures and claims from the rows of a run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from comoderate.papers import claims as verdicts
from comoderate.papers.accuracy_surface import beside, claims, corrections
from comoderate.papers.accuracy_surface.beside import Here
from comoderate.papers.accuracy_surface.estimators import NAMES
from comoderate.papers.accuracy_surface.experiments import KINDS
from comoderate.papers.accuracy_surface.worlds import World
from comoderate.papers.facts import published
from comoderate.papers.results import Figure, Section
from comoderate.plots import Band, BandDisplay, QuantileDisplay

Rows = list[dict[str, Any]]
CALIBRATIONS = dict(zip(KINDS, ("Cal:Raw", "Cal:Temp", "Cal:Full", "Cal:Full, arm latent"), strict=True))
STRATEGIES = {"error_reduction": "expected error reduction", "variance": "variance", "random": "at random"}
ERRORS = (
    "Errors are mean squared errors × 100 against the pool's own means, over arms with at least five examples in the "
    "pool: each arm alike (macro), the 50 arms of least accuracy, each example alike (micro), and the 50 rarest arms."
)
_MEASURES = {
    "macro": "macro error", "worst": "50 worst arms", "micro": "micro error", "least_frequent": "50 rarest arms",
    "coverage": "95 % intervals cover", "width": "their mean width", "seconds": "CPU seconds",
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What a run found.

    Attributes:
        shapes: a world of each name.
        rows: of :func:`~comoderate.papers.accuracy_surface.experiments.estimation`, with world, estimator and seed.
        curves: of ``exploration``.
        calibrated: of ``calibration``.
        changed: of :mod:`~comoderate.papers.accuracy_surface.corrections`.
        judged: the world on which corrections were turned off.
    """

    shapes: Sequence[World]
    rows: Rows
    curves: Rows
    calibrated: Rows
    changed: Rows
    judged: str


def arrange(found: Found, *, labels: int, off: Collection[str]) -> list[Section]:
    """The page's sections.

    Args:
        found: what the run found.
        labels: of Table 2.
        off: corrections that the run went without.
    """
    frame = pd.DataFrame(found.rows)
    table = frame[frame["labels"] == labels]
    explored = [_explored(found.curves)] if found.curves else []
    by_variance = [curve for curve in found.curves if curve["strategy"] == "variance"]
    explored += [_explored_beside(by_variance)] if by_variance else []
    calibrated = [_calibrated(found.calibrated), _calibrated_beside(found.calibrated)] if found.calibrated else []
    changed = [corrections.section(found.changed, where=found.judged, labels=labels, off=off)] if found.changed else []
    return [
        _claims(table, found),
        _shapes(found.shapes),
        _table(table, labels),
        _against_labels(frame),
        _estimated_beside(table, labels, off),
        *explored,
        *calibrated,
        *changed,
        _published(),
    ]


def _claims(table: pd.DataFrame, found: Found) -> Section:
    told = [*claims.estimation(table), *claims.exploration(found.curves), *claims.calibration(found.calibrated)]
    sentence = (
        "The difference is the share of an error that the claim's side saves, paired by seed; its interval is over "
        "seeds. Two labelled sets that differ in luck alone move these shares, so few seeds leave much open."
    )
    return verdicts.section(told, counted="seeds", sentences=[sentence])


# ------------------------------------------------------------------ tables and figures


def _shapes(shapes: Sequence[World]) -> Section:
    told = {one.name: one.truth[one.pool >= 5] for one in shapes}
    quantiles = {name: np.quantile(values, [0.1, 0.5, 0.9]) for name, values in told.items()}
    frame = pd.DataFrame(
        {
            "world": list(told), "arms": [len(one.arms) for one in shapes],
            "arms judged": [len(v) for v in told.values()], "accuracy": [float(one.correct.mean()) for one in shapes],
            "10 % of arms below": [q[0] for q in quantiles.values()], "median arm": [q[1] for q in quantiles.values()],
            "90 % of arms below": [q[2] for q in quantiles.values()],
        }
    )  # fmt: skip
    sentence = (
        "A good accuracy overall hides weak arms, as the paper's first figure says of its own four services. Arms of "
        "at least five examples are judged; of a made-up world this is the first seed's."
    )
    return Section(
        "Figure 1: how accuracy spreads over arms", [sentence], "shapes", frame, frame.round(3),
        [Figure("figure-1", QuantileDisplay(told, title="Accuracy by arm"))],
    )  # fmt: skip


def _table(table: pd.DataFrame, labels: int) -> Section:
    grouped = table.groupby(["world", "estimator"], sort=False)[list(_MEASURES)]
    mean, sd = grouped.mean(), grouped.std(ddof=1)
    full = mean.join(sd[["macro", "worst"]], rsuffix="_sd").reset_index()
    shown = full.drop(columns=["macro_sd", "worst_sd"])
    for name in ("macro", "worst"):
        shown[name] = [
            f"{m:.2f}" + ("" if np.isnan(s) else f" ± {s:.2f}")
            for m, s in zip(full[name], full[f"{name}_sd"], strict=True)
        ]
    digits = {"micro": 2, "least_frequent": 2, "coverage": 2, "width": 2, "seconds": 1}
    shown = shown.round(digits).rename(columns=_MEASURES)
    sentences = [
        f"{labels:,} random labels, the same for every estimator; mean over seeds ± standard deviation. {ERRORS}",
        *_best(full),
    ]
    return Section("Table 2: estimators at equal labels", sentences, "table-2", full, shown)


def _best(full: pd.DataFrame) -> list[str]:
    least = full.loc[full.groupby("world", sort=False)["macro"].idxmin()]
    won = [f"{row.world} ({row.estimator})" for row in least.itertuples()]
    return [f"The least macro error: {', '.join(won)}."]


def _against_labels(frame: pd.DataFrame) -> Section:
    figures = []
    for world, part in frame.groupby("world", sort=False):
        bands = []
        for name in NAMES:
            own = part[part["estimator"] == name].groupby("labels")["worst"]
            mean, sd = own.mean(), own.std(ddof=1).fillna(0.0)
            labels, low, high = mean.index.to_numpy(), (mean - sd).to_numpy(), (mean + sd).to_numpy()
            bands.append(Band(name, labels, mean.to_numpy(), low, high))
        figures.append(
            Figure(
                f"figure-3-{world}",
                _curves(bands, "squared error × 100, 50 worst arms", f"The 50 worst arms of {world}"),
            )
        )
    full = frame[["world", "estimator", "labels", "seed", "macro", "worst", "micro", "coverage"]]
    wide = full.pivot_table(index=["world", "estimator"], columns="labels", values="worst", sort=False).round(2)
    shown = wide.reset_index().rename(columns={size: f"{size:,} labels" for size in wide.columns})
    return Section(
        "Figure 3: the worst arms against labels",
        ["Error of the 50 worst arms; bands in the figures are one standard deviation over seeds."],
        "figure-3", full, shown, figures,
    )  # fmt: skip


def _explored(curves: Rows) -> Section:
    figures, rows = [], []
    for world in dict.fromkeys(c["world"] for c in curves):
        bands, here = [], [c for c in curves if c["world"] == world]
        for estimator, strategy in dict.fromkeys((c["estimator"], c["strategy"]) for c in here):
            own = [c for c in here if (c["estimator"], c["strategy"]) == (estimator, strategy)]
            labels, mean, sd = _average(own, "macro")
            bands.append(Band(f"{estimator}, {STRATEGIES[strategy]}", labels, mean, mean - sd, mean + sd))
            key = {"world": world, "estimator": estimator, "strategy": strategy}
            rows += [
                {**key, "seed": c["seed"], "labels": int(x), "macro": float(y)}
                for c in own for x, y in zip(labels, c["macro"], strict=False)
            ]  # fmt: skip
        figures.append(
            Figure(f"figure-4-{world}", _curves(bands, "macro squared error × 100", f"What to label next: {world}"))
        )
    full = pd.DataFrame(rows)
    keys = ["world", "estimator", "strategy"]
    mean_curves = full.groupby([*keys, "labels"], sort=False)["macro"].mean().reset_index()
    last = mean_curves.groupby(keys, sort=False).agg(
        start=("macro", "first"), end=("macro", "last"), first=("labels", "first"), last=("labels", "last")
    )
    first, final = int(last["first"].min()), int(last["last"].max())
    heads = {"start": f"macro error at {first:,} labels", "end": f"at {final:,} labels", "strategy": "chosen by"}
    shown = last.drop(columns=["first", "last"]).reset_index().round(2)
    shown = shown.assign(strategy=[STRATEGIES[name] for name in shown["strategy"]]).rename(columns=heads)
    sentence = (
        f"Macro error when the estimator's own uncertainty chooses what is labelled next; the first {first:,} labels "
        "are random. Bands as above."
    )
    return Section("Figure 4: what to label next", [sentence], "figure-4", full, shown, figures)


def _curves(bands: Sequence[Band], y_label: str, title: str) -> BandDisplay:
    return BandDisplay(bands, x_label="labelled examples", y_label=y_label, title=title)


def _average(curves: Rows, measure: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    length = min(len(c["labels"]) for c in curves)
    values = np.array([c[measure][:length] for c in curves])
    spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(length)
    return np.array(curves[0]["labels"][:length]), values.mean(axis=0), spread


def _calibrated(calibrated: Rows) -> Section:
    bands, rows = [], []
    for kind in KINDS:
        own = [c for c in calibrated if c["kind"] == kind]
        labels, mean, sd = _average(own, "macro")
        bands.append(Band(CALIBRATIONS[kind], labels, mean, mean - sd, mean + sd))
        rows += [
            {"calibration": CALIBRATIONS[kind], "labels": int(x), "seed": c["seed"], "macro": y, "worst": w,
             "log_likelihood": c["log_likelihood"][0]}
            for c in own for x, y, w in zip(labels, c["macro"], c["worst"], strict=False)
        ]  # fmt: skip
    sentences = [
        "Attributes are predicted by made-up models, right less often than the paper's and overconfident by a factor "
        "of two; Beta-I with random labels, as in the paper. The log-likelihood is that of the true arm on held-out "
        "examples, per example."
    ]
    full = pd.DataFrame(rows)
    mean_rows = full.drop(columns="seed").groupby(["calibration", "labels"], sort=False).mean().reset_index()
    shown = mean_rows.round(2).rename(columns={**_MEASURES, "log_likelihood": "log-likelihood"})
    display = _curves(bands, "macro squared error × 100", "Predicted attributes")
    return Section(
        "Figure 5: calibration of attributes", sentences, "figure-5", full, shown, [Figure("figure-5", display)]
    )


# ------------------------------------------------------------------ published beside measured


def _estimated_beside(table: pd.DataFrame, labels: int, off: Collection[str]) -> Section:
    errors = table.pivot_table(index="world", columns="estimator", values="worst", sort=False)
    arms = (int(table["arms"].min()), int(table["arms"].max()))
    judged = " to ".join(f"{one:,}" for one in dict.fromkeys(arms))
    sentences = [
        f"Error of the 50 worst arms at {beside.LABELS:,} labels in the paper and {labels:,} here. The paper's "
        "services read images of faces and animals; neither the images nor the services' predictions are public, so "
        f"ours are other services (with {judged} arms that are judged) and only savings compare.",
        "Where the savings of BetaGP-SLP are less than the paper's, BetaGP has less to be saved: corrected, it already "
        "lets an arm's own counts speak and stops before it fits noise. What that changes stands further down."
        if not off
        else f"This run goes without {', '.join(off)}.",
    ]
    methods = ("Beta-I", "BetaGP", "BetaGP-SLP")
    here = Here("estimation", "Figure 3, published beside measured", methods, _by_world(errors), sentences)
    return beside.section(here)


def _explored_beside(curves: Rows) -> Section:
    own = pd.DataFrame([{"world": c["world"], "estimator": c["estimator"], "macro": c["macro"][-1]} for c in curves])
    errors = own.pivot_table(index="world", columns="estimator", values="macro", sort=False)
    labels = max(c["labels"][-1] for c in curves)
    batch = curves[0]["labels"][1] - curves[0]["labels"][0]
    sentence = (
        f"Macro error when variance chooses, {beside.LABELS:,} labels after the first 500 in the paper, at {labels:,} "
        f"labels here, chosen {batch:,} at a time (12 in the paper): the two are at different points of their curves."
    )
    methods = ("Beta-I", "BetaGP", "BetaGP-SLP")
    here = Here("exploration", "Figure 4, published beside measured", methods, _by_world(errors), [sentence])
    return beside.section(here)


def _calibrated_beside(calibrated: Rows) -> Section:
    own = pd.DataFrame(
        [{"world": c["world"], "kind": CALIBRATIONS[c["kind"]], "macro": c["macro"][-1]} for c in calibrated]
    )
    errors = own.pivot_table(index="world", columns="kind", values="macro", sort=False)
    labels = max(c["labels"][-1] for c in calibrated)
    sentence = (
        f"Macro error of Beta-I with predicted attributes, {beside.LAST['calibration']:,} labels after the first 500 "
        f"in the paper, at {labels:,} labels here. The paper's attribute models are networks that read images, ours "
        "are made up; what calibration saves depends on how they err."
    )
    methods = ("Cal:Raw", "Cal:Temp", "Cal:Full")
    here = Here("calibration", "Figure 5, published beside measured", methods, _by_world(errors), [sentence])
    return beside.section(here)


def _by_world(errors: pd.DataFrame) -> dict[str, dict[str, float]]:
    return {str(world): {str(k): float(v) for k, v in row.items()} for world, row in errors.iterrows()}


def _published() -> Section:
    facts = published("accuracy_surface")
    rows = [{"figure": kind, **row} for kind in ("estimation", "exploration", "calibration") for row in facts[kind]]
    full = pd.DataFrame(rows)
    count = full.groupby("figure", sort=False).agg(
        services=("service", "nunique"), methods=("method", "nunique"), numbers=("value", "size")
    )
    shown = count.reset_index().assign(figure=["Figure 3", "Figure 4", "Figure 5"])
    return Section("All that was read from the paper's plots", [facts["note"]], "published", full, shown)
