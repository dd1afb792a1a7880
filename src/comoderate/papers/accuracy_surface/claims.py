"""The paper's claims about estimators, exploration and calibration, from errors paired by seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from comoderate.papers.accuracy_surface.beside import published_savings
from comoderate.papers.accuracy_surface.estimators import OURS
from comoderate.papers.claims import Verdict, saved

Rows = list[dict[str, Any]]
MEASURES = {"worst": "saving in the error of the 50 worst arms", "macro": "saving in the macro error"}
END = "saving in the macro error at the last label"


def estimation(table: pd.DataFrame) -> list[Verdict]:
    """Claims about estimators at equal labels.

    Args:
        table: rows of one number of labels, with world, estimator, seed and errors.
    """
    triples = [
        ("smoothing over arms helps", "worst", "BetaGP", "Beta-I"),
        ("noise of each arm's own helps", "macro", "BetaGP", "BernGP"),
        ("supervision of scales helps", "macro", "BetaGP-SL", "BetaGP"),
        ("pooling helps", "worst", "BetaGP-SLP", "BetaGP-SL"),
        ("supervision of scales and pooling together help", "worst", "BetaGP-SLP", "BetaGP"),
        ("Comoderate's surface beats the paper's whole method", "macro", OURS, "BetaGP-SLP"),
    ]
    found = []
    for claim, measure, better, worse in triples:
        paper = published_savings("estimation", better, worse) if measure == "worst" else ""
        for world, part in table.groupby("world", sort=False):
            wide = part.pivot(index="seed", columns="estimator", values=measure)
            if {better, worse} <= set(wide.columns):
                share = saved(wide[better], wide[worse])
                found.append(Verdict(claim, str(world), MEASURES[measure], share, paper, share=True))
    return found


def exploration(curves: Rows) -> list[Verdict]:
    """Claims about what to label next, at the last label.

    Args:
        curves: with world, estimator, strategy, seed and ``macro``.
    """
    pairs = [
        ("the variance of BetaGP-SLP explores better than that of Beta-I", ("BetaGP-SLP", "variance"),
         ("Beta-I", "variance")),
        ("the variance of BetaGP explores worse than that of Beta-I", ("Beta-I", "variance"), ("BetaGP", "variance")),
        ("choosing what to label beats random labels", (OURS, "error_reduction"), (OURS, "random")),
    ]  # fmt: skip
    ends = {(c["world"], c["estimator"], c["strategy"], c["seed"]): c["macro"][-1] for c in curves}
    found = []
    for claim, better, worse in pairs:
        paper = published_savings("exploration", better[0], worse[0])
        for world in dict.fromkeys(c["world"] for c in curves):
            seeds = sorted({c["seed"] for c in curves if c["world"] == world})
            good, bad = (_ends(ends, [(world, *one, seed) for seed in seeds]) for one in (better, worse))
            found.append(Verdict(claim, world, END, saved(good, bad), paper, share=True))
    return found


def calibration(calibrated: Rows) -> list[Verdict]:
    """Claims about predicted attributes, at the last label.

    Args:
        calibrated: with world, kind, seed and ``macro``.
    """
    triples = [
        ("calibrating attributes helps", "full", "raw", published_savings("calibration", "Cal:Full", "Cal:Raw")),
        ("temperatures help", "temp", "raw", published_savings("calibration", "Cal:Temp", "Cal:Raw")),
        ("the joint potential helps beyond temperatures", "full", "temp",
         published_savings("calibration", "Cal:Full", "Cal:Temp")),
        ("taking the arm as latent helps beyond fractional counts", "latent", "full", ""),
    ]  # fmt: skip
    ends = {(c["world"], c["kind"], c["seed"]): c["macro"][-1] for c in calibrated}
    found = []
    for claim, better, worse, paper in triples:
        for world in dict.fromkeys(c["world"] for c in calibrated):
            seeds = sorted({c["seed"] for c in calibrated if c["world"] == world})
            good, bad = (_ends(ends, [(world, kind, seed) for seed in seeds]) for kind in (better, worse))
            found.append(Verdict(claim, world, END, saved(good, bad), paper, share=True))
    return found


def _ends(ends: dict[Any, float], keys: Sequence[Any]) -> list[float]:
    return [ends.get(key, np.nan) for key in keys]
