"""Tables, figures and claims from the rows of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from comoderate.papers import claims
from comoderate.papers.accuracy_surface.estimators import NAMES, OURS
from comoderate.papers.accuracy_surface.experiments import KINDS
from comoderate.papers.accuracy_surface.worlds import World
from comoderate.papers.claims import Verdict, paired
from comoderate.papers.facts import published
from comoderate.papers.results import Figure, Section
from comoderate.plots import Band, BandDisplay, QuantileDisplay

Rows = list[dict[str, Any]]
CALIBRATIONS = dict(zip(KINDS, ("Cal:Raw", "Cal:Temp", "Cal:Full", "Cal:Full, arm latent"), strict=True))
ERRORS = "Mean squared errors × 100, over arms with at least five examples in the pool, against the pool's own means."


def arrange(shapes: Sequence[World], rows: Rows, curves: Rows, calibrated: Rows, *, labels: int) -> list[Section]:
    """The page's sections.

    Args:
        shapes: a world of each name.
        rows: of :func:`~comoderate.papers.accuracy_surface.experiments.estimation`, with world, estimator and seed.
        curves: of ``exploration``.
        calibrated: of ``calibration``.
        labels: of Table 2.
    """
    frame = pd.DataFrame(rows)
    table = frame[frame["labels"] == labels]
    verdicts = [*_estimation_claims(table), *_exploration_claims(curves), *_calibration_claims(calibrated)]
    return [
        _claims(verdicts),
        _shapes(shapes),
        _table(table, labels),
        _against_labels(frame),
        *([_explored(curves)] if curves else []),
        *([_calibrated(calibrated)] if calibrated else []),
        _published(),
    ]


# ------------------------------------------------------------------ claims


def _estimation_claims(table: pd.DataFrame) -> list[Verdict]:
    pairs = [
        ("smoothing over arms helps on the worst arms", "worst", "BetaGP", "Beta-I", "30.1 → 26.7 on MF-CelebA"),
        ("noise of each arm's own helps", "macro", "BetaGP", "BernGP", ""),
        ("supervision of scales helps", "macro", "BetaGP-SL", "BetaGP", ""),
        ("pooling helps on the worst arms", "worst", "BetaGP-SLP", "BetaGP-SL", ""),
        ("the whole of the fixes helps on the worst arms", "worst", "BetaGP-SLP", "BetaGP", "26.7 → 19.1 on MF-CelebA"),
        ("Comoderate's surface beats the best published one", "macro", OURS, "BetaGP-SLP", ""),
    ]
    found = []
    for claim, measure, better, worse, paper in pairs:
        for world, part in table.groupby("world", sort=False):
            wide = part.pivot(index="seed", columns="estimator", values=measure)
            if {better, worse} <= set(wide.columns):
                found.append(
                    Verdict(claim, str(world), f"{measure} error saved", paired(wide[worse], wide[better]), paper)
                )
    return found


def _exploration_claims(curves: Rows) -> list[Verdict]:
    pairs = [
        ("SLP's variance explores better than Beta-I's", ("BetaGP-SLP", "variance"), ("Beta-I", "variance")),
        ("BetaGP's variance explores worse than Beta-I's", ("Beta-I", "variance"), ("BetaGP", "variance")),
        ("choosing what to label beats random labels", (OURS, "error_reduction"), (OURS, "random")),
    ]
    ends = {(c["world"], c["estimator"], c["strategy"], c["seed"]): c["macro"][-1] for c in curves}
    found = []
    for world in dict.fromkeys(c["world"] for c in curves):
        seeds = sorted({c["seed"] for c in curves if c["world"] == world})
        for claim, better, worse in pairs:
            values = [[ends.get((world, *one, seed), np.nan) for seed in seeds] for one in (better, worse)]
            found.append(Verdict(claim, world, "macro error saved at the end", paired(values[1], values[0])))
    return found


def _calibration_claims(calibrated: Rows) -> list[Verdict]:
    pairs = [("temp", "raw", "temperatures help"), ("full", "temp", "the joint potential helps beyond temperatures")]
    pairs += [("latent", "full", "taking the arm as latent helps beyond fractional counts")]
    ends = {(c["world"], c["kind"], c["seed"]): c["macro"][-1] for c in calibrated}
    found = []
    for world in dict.fromkeys(c["world"] for c in calibrated):
        seeds = sorted({c["seed"] for c in calibrated if c["world"] == world})
        for better, worse, claim in pairs:
            values = [[ends.get((world, kind, seed), np.nan) for seed in seeds] for kind in (better, worse)]
            found.append(Verdict(claim, world, "macro error saved at the end", paired(values[1], values[0])))
    return found


def _claims(verdicts: Sequence[Verdict]) -> Section:
    sentences = [
        "Each row is the error that the claim's side saves, paired by seed, with a 95 % interval over seeds: `holds` "
        "and `fails` where the interval leaves out 0, `open` where it does not.",
        *_summary(verdicts),
    ]
    return Section("Which claims hold here", sentences, "claims", claims.table(verdicts), claims.shown(verdicts))


def _summary(verdicts: Sequence[Verdict]) -> list[str]:
    lines = []
    for claim in dict.fromkeys(one.claim for one in verdicts):
        own = [one for one in verdicts if one.claim == claim]
        parts = []
        for word in ("holds", "fails", "open"):
            where = [one.where for one in own if one.verdict == word]
            parts += [f"{word} on {', '.join(where)}"] if where else []
        lines.append(f"- {claim[0].upper()}{claim[1:]}: {'; '.join(parts)}.")
    return ["\n".join(lines)]


# ------------------------------------------------------------------ tables and figures


def _shapes(shapes: Sequence[World]) -> Section:
    told = {one.name: one.truth[one.pool >= 5] for one in shapes}
    quantiles = {name: np.quantile(values, [0.1, 0.5, 0.9]) for name, values in told.items()}
    frame = pd.DataFrame(
        {
            "world": list(told), "arms": [len(one.arms) for one in shapes], "judged": [len(v) for v in told.values()],
            "accuracy": [float(one.correct.mean()) for one in shapes],
            "10 % of arms below": [q[0] for q in quantiles.values()], "median arm": [q[1] for q in quantiles.values()],
            "90 % of arms below": [q[2] for q in quantiles.values()],
        }
    )  # fmt: skip
    sentence = "A good accuracy overall hides weak arms, as the paper's first figure says of its own four services."
    return Section(
        "Figure 1: how accuracy spreads over arms", [sentence], "shapes", frame, frame.round(3),
        [Figure("figure-1", QuantileDisplay(told, title="Accuracy by arm"))],
    )  # fmt: skip


def _table(table: pd.DataFrame, labels: int) -> Section:
    measures = ["macro", "worst", "micro", "least_frequent", "coverage", "width", "seconds"]
    grouped = table.groupby(["world", "estimator"], sort=False)[measures]
    mean, sd = grouped.mean(), grouped.std(ddof=1)
    full = mean.join(sd[["macro", "worst"]], rsuffix="_sd").reset_index()
    shown = full.assign(
        macro=[f"{m:.2f} ± {s:.2f}" for m, s in zip(full["macro"], full["macro_sd"], strict=True)],
        worst=[f"{m:.2f} ± {s:.2f}" for m, s in zip(full["worst"], full["worst_sd"], strict=True)],
        micro=full["micro"].round(2), least_frequent=full["least_frequent"].round(2),
        coverage=full["coverage"].round(2), width=full["width"].round(2), seconds=full["seconds"].round(1),
    ).drop(columns=["macro_sd", "worst_sd"])  # fmt: skip
    shown = shown.rename(
        columns={"worst": "worst 50", "least_frequent": "rarest 50", "coverage": "95 % covers", "seconds": "CPU s"}
    )
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
        figures.append(Figure(f"figure-3-{world}", _curves(bands, "squared error × 100", f"Worst 50 arms on {world}")))
    full = frame.groupby(["world", "estimator", "labels"], sort=False)[["macro", "worst", "micro"]].mean().reset_index()
    wide = full.pivot_table(index=["world", "estimator"], columns="labels", values="worst", sort=False).round(2)
    shown = wide.reset_index().rename(columns={size: f"{size:,}" for size in wide.columns})
    return Section(
        "Figure 3: the worst arms against labels", ["Bands: one standard deviation over seeds."], "figure-3", full,
        shown, figures,
    )  # fmt: skip


def _explored(curves: Rows) -> Section:
    figures, rows = [], []
    for world in dict.fromkeys(c["world"] for c in curves):
        bands, here = [], [c for c in curves if c["world"] == world]
        for estimator, strategy in dict.fromkeys((c["estimator"], c["strategy"]) for c in here):
            own = [c for c in here if (c["estimator"], c["strategy"]) == (estimator, strategy)]
            labels, mean, sd = _average(own, "macro")
            bands.append(Band(f"{estimator}, {strategy.replace('_', ' ')}", labels, mean, mean - sd, mean + sd))
            rows += [
                {"world": world, "estimator": estimator, "strategy": strategy, "labels": int(x), "macro": float(y)}
                for x, y in zip(labels, mean, strict=True)
            ]
        figures.append(Figure(f"figure-4-{world}", _curves(bands, "macro error × 100", f"Exploration of {world}")))
    full = pd.DataFrame(rows)
    last = full.groupby(["world", "estimator", "strategy"], sort=False).agg(
        start=("macro", "first"), end=("macro", "last"), labels=("labels", "last")
    )
    return Section(
        "Figure 4: what to label next",
        ["The estimator's own uncertainty chooses; the first 500 labels are random. Bands as above."],
        "figure-4", full, last.reset_index().round(2), figures,
    )  # fmt: skip


def _curves(bands: Sequence[Band], y_label: str, title: str) -> BandDisplay:
    return BandDisplay(bands, x_label="labels", y_label=y_label, title=title)


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
        worst, fit = _average(own, "worst")[1], float(np.mean([c["log_likelihood"][0] for c in own]))
        rows += [
            {"calibration": CALIBRATIONS[kind], "labels": int(x), "macro": y, "worst 50": w, "log-likelihood": fit}
            for x, y, w in zip(labels, mean, worst, strict=True)
        ]
    sentences = [
        "Attributes are predicted by made-up models, right less often than the paper's and overconfident by a factor "
        "of two; Beta-I with random labels, as in the paper. The log-likelihood is that of the true arm on held-out "
        "examples, by the example."
    ]
    full = pd.DataFrame(rows)
    display = _curves(bands, "macro error × 100", "Predicted attributes")
    return Section(
        "Figure 5: calibration of attributes", sentences, "figure-5", full, full.round(2), [Figure("figure-5", display)]
    )


def _published() -> Section:
    facts = published("accuracy_surface")
    rows = [{"figure": kind, **row} for kind in ("estimation", "exploration", "calibration") for row in facts[kind]]
    full = pd.DataFrame(rows)
    wide = full.assign(at=[f"{row.figure} at {row.labels:,}" for row in full.itertuples()])
    shown = wide.pivot_table(index=["service", "method"], columns="at", values="value", sort=False).reset_index()
    sentences = [
        facts["note"],
        "The paper's services read images of faces and animals; neither the images nor the services' predictions are "
        "public, so its numbers stand beside ours and not against them. What can be compared is which method wins.",
    ]
    return Section("What the paper published", sentences, "published", full, shown)
