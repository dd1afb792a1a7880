"""The paper's claims about models and strategies, from replicates that all of them share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from comoderate.metrics import CollaborationCurves, Estimate
from comoderate.papers.collaboration.environments import Posts
from comoderate.papers.collaboration.evaluation import (
    COLUMNS,
    FRACTIONS,
    OURS,
    STRATEGIES,
    Environment,
    estimate_of,
)
from comoderate.review import crossings

Floats = NDArray[np.float64]
Tables = Mapping[str, Floats]
Pairs = Mapping[tuple[str, str], Floats]
PAIR = tuple(CollaborationCurves._fields)
AUROC, EFFICIENCY = PAIR.index("oracle_collaborative_auroc"), PAIR.index("review_efficiency")
OWN = dict(zip(OURS, (EFFICIENCY, AUROC, PAIR.index("oracle_collaborative_average_precision")), strict=True))
RATES = (0.02, 0.05, 0.1)
"""Shares of toxic posts to which the test posts are weighted, to see where strategies cross."""


def within(tables: Tables, pairs: Pairs, posts: Posts, probas: Mapping[str, Floats]) -> list[dict[str, Any]]:
    """Claims inside one environment: claim, measure and the fields of an estimate, a row each.

    Args:
        tables: for each model (1 + R, columns).
        pairs: for each model and strategy (1 + R, 5, fractions).
        posts: of the environment.
        probas: for each model (n,) probabilities.
    """
    n = len(posts.texts)
    rows = [
        *_strategies(pairs, n),
        *_losses(tables, n),
        *_ensembles(tables, n),
        *_moves(pairs, n),
        *_ranks(tables, pairs, n),
    ]
    return [*rows, *_crossover(posts, probas)]


def _row(claim: str, measure: str, drawn: Floats, n: int, *, published: str = "") -> dict[str, Any]:
    return {"claim": claim, "measure": measure, "published": published, **estimate_of(drawn, n=n).as_dict()}


def _strategies(pairs: Pairs, n: int) -> list[dict[str, Any]]:
    models = list(dict.fromkeys(model for model, _ in pairs))
    rows = []
    for place, name in ((AUROC, "OC-AUROC"), (EFFICIENCY, "review efficiency")):
        for at in (0.01, 0.05, 0.1, 0.2):
            k = FRACTIONS.index(at)
            gains = [pairs[m, "uncertainty"][:, place, k] - pairs[m, "toxicity"][:, place, k] for m in models]
            rows.append(
                _row("uncertainty beats toxicity review", f"{name} at {100 * at:g} %", np.mean(gains, axis=0), n)
            )
    for strategy, place in OWN.items():
        k = FRACTIONS.index(0.05)
        paper = [np.maximum(*(pairs[m, one][:, place, k] for one in STRATEGIES)) for m in models]
        gains = [pairs[m, strategy][:, place, k] - best for m, best in zip(models, paper, strict=True)]
        name = strategy.replace("_", " ")
        rows.append(
            _row(
                f"Comoderate's {name} beats the better of the paper's two",
                f"{PAIR[place]} at 5 %",
                np.mean(gains, axis=0),
                n,
            )
        )
    return rows


def _losses(tables: Tables, n: int) -> list[dict[str, Any]]:
    def gain(column: str, sign: float) -> Floats:
        k = COLUMNS.index(column)
        focal = [table[:, k] for name, table in tables.items() if name.endswith("focal")]
        plain = [table[:, k] for name, table in tables.items() if not name.endswith("focal")]
        return np.asarray(sign * (np.mean(focal, axis=0) - np.mean(plain, axis=0)))

    return [
        _row("focal loss helps ranking", "AUROC", gain("auroc", 1.0), n),
        _row("focal loss helps ranking", "AUPRC", gain("auprc", 1.0), n),
        _row("focal loss hurts calibration", "ECE", gain("ece", 1.0), n, published=".03 to over .1"),
    ]


def _ensembles(tables: Tables, n: int) -> list[dict[str, Any]]:
    def mean(column: str, wanted: bool) -> Floats:
        own = [table[:, COLUMNS.index(column)] for name, table in tables.items() if ("nsemble" in name) == wanted]
        return np.asarray(np.mean(own, axis=0))

    return [
        _row("ensembles predict best", name.upper(), mean(name, True) - mean(name, False), n)
        for name in ("auroc", "auprc")
    ]


def _moves(pairs: Pairs, n: int) -> list[dict[str, Any]]:
    """How far OC-AUROC moves with the strategy, less how far with the model, at one review fraction."""
    models = list(dict.fromkeys(model for model, _ in pairs))
    rows = []
    for at in (0.05, 0.1):
        k = FRACTIONS.index(at)
        grid = np.array([[pairs[m, s][:, AUROC, k] for s in STRATEGIES] for m in models])
        by_strategy = np.ptp(grid, axis=1).mean(axis=0)
        by_model = np.ptp(grid, axis=0).mean(axis=0)
        measure = f"OC-AUROC at {100 * at:g} %: range over strategies less range over models"
        rows.append(
            _row("choice of strategy moves OC-AUROC more than choice of model", measure, by_strategy - by_model, n)
        )
    return rows


def _ranks(tables: Tables, pairs: Pairs, n: int) -> list[dict[str, Any]]:
    """Kendall's τ over models between a calibration metric and review efficiency by uncertainty at 10 %."""
    k = FRACTIONS.index(0.1)
    efficiency = np.array([pairs[model, "uncertainty"][:, EFFICIENCY, k] for model in tables])

    def rank(column: str, sign: float) -> Floats:
        values = sign * np.array([table[:, COLUMNS.index(column)] for table in tables.values()])
        return np.array([kendalltau(values[:, r], efficiency[:, r]).statistic for r in range(values.shape[1])])

    calibration = rank("calibration_auprc", 1.0)
    rows = [_row("calibration AUPRC ranks models by review efficiency", "Kendall's τ", calibration, n)]
    for column, name in (("brier", "Brier score"), ("ece", "ECE")):
        less = calibration - rank(column, -1.0)
        rows.append(
            _row(f"{name} ranks models by review efficiency less well", "τ of calibration AUPRC less τ", less, n)
        )
    return rows


def _crossover(posts: Posts, probas: Mapping[str, Floats]) -> list[dict[str, Any]]:
    """At which share of posts toxicity review overtakes uncertainty in efficiency, by the share of toxic posts."""
    grid = np.geomspace(0.002, 0.5, 40)
    found: dict[float, list[float]] = {rate: [] for rate in RATES}
    for rate in RATES:
        own = Environment(posts.at_rate(rate), replicates=2, seed=0, corrected={"exact-auroc", "one-label-rule"})
        for proba in probas.values():
            curves = [own.curves(proba, score, tuple(grid))[0, EFFICIENCY] for score in (proba * (1 - proba), proba)]
            crossed = crossings("uncertainty", "toxicity", grid, *curves)
            points = [one.review_fraction for one in crossed if one.above == "toxicity"]
            found[rate].append(points[0] if points else np.nan)
    rare, common = (np.array(found[rate]) for rate in (RATES[0], RATES[-1]))
    return [_crossing_row(rare, common)]


def _crossing_row(rare: Floats, common: Floats) -> dict[str, Any]:
    """Over models, by how much the logarithm of the crossing point is smaller where toxic posts are rarer."""
    earlier = np.log2(common / rare)
    earlier = earlier[np.isfinite(earlier)]
    claim = "the crossover comes earlier where toxicity is rarer"
    measure = f"halvings of the crossing point from {100 * RATES[-1]:g} % to {100 * RATES[0]:g} % toxic"
    if len(earlier) < 2:
        reason = "the strategies cross in fewer than two models"
        return {"claim": claim, "measure": measure, "published": "", **Estimate.undefined(reason).as_dict()}
    value, se = float(earlier.mean()), float(earlier.std(ddof=1) / np.sqrt(len(earlier)))
    found = Estimate(value, se, value - 1.96 * se, value + 1.96 * se, method="over models", n=len(earlier))
    return {"claim": claim, "measure": measure, "published": "", **found.as_dict()}
