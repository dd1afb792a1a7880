"""The paper's claims about models and strategies, from replicates that all of them share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from comoderate.metrics import CollaborationCurves
from comoderate.papers.collaboration.evaluation import (
    COLUMNS,
    FRACTIONS,
    OURS,
    STRATEGIES,
    estimate_of,
)

Floats = NDArray[np.float64]
Tables = Mapping[str, Floats]
Pairs = Mapping[tuple[str, str], Floats]
PAIR = tuple(CollaborationCurves._fields)
AUROC, EFFICIENCY = PAIR.index("oracle_collaborative_auroc"), PAIR.index("review_efficiency")
OWN = dict(zip(OURS, (EFFICIENCY, AUROC, PAIR.index("oracle_collaborative_average_precision")), strict=True))
RATES = (0.02, 0.1)
"""Shares of toxic posts to which posts are weighted, to see where strategies cross."""
CROSSING = "the crossover comes earlier where toxicity is rarer"


def within(tables: Tables, pairs: Pairs, n: int) -> list[dict[str, Any]]:
    """Claims inside one environment: claim, measure and the fields of an estimate, a row each.

    Args:
        tables: for each model (1 + R, columns).
        pairs: for each model and strategy (1 + R, 5, fractions).
        n: posts of the environment.
    """
    return [
        *_strategies(pairs, n),
        *_ours(pairs, n),
        *of_models(tables, n),
        *_moves(pairs, n),
        *_ranks(tables, pairs, n),
    ]


def of_models(tables: Tables, n: int) -> list[dict[str, Any]]:
    """Claims about losses and ensembles, which need no review.

    Args:
        tables: for each model (1 + R, columns).
        n: posts of the environment.
    """
    return [*_losses(tables, n), *_ensembles(tables, n)]


def without_sngp(tables: Tables, pairs: Pairs, n: int) -> list[dict[str, Any]]:
    """Claims about losses and models once more, without the networks that a short training hardly fits.

    Args:
        tables: for each model (1 + R, columns).
        pairs: for each model and strategy (1 + R, 5, fractions).
        n: posts of the environment.
    """
    left = {model: table for model, table in tables.items() if not model.startswith("SNGP")}
    both = {key: curves for key, curves in pairs.items() if not key[0].startswith("SNGP")}
    rows = [*of_models(left, n), *_moves(both, n)]
    return [{**row, "measure": f"{row['measure']}, without SNGP"} for row in rows]


def _row(claim: str, measure: str, drawn: Floats, n: int) -> dict[str, Any]:
    return {"claim": claim, "measure": measure, "published": "", **estimate_of(drawn, n=n).as_dict()}


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
    return rows


def _ours(pairs: Pairs, n: int) -> list[dict[str, Any]]:
    """Our strategies against the better of the paper's two, where their scores are there."""
    models = list(dict.fromkeys(model for model, _ in pairs))
    rows = []
    for strategy, place in OWN.items() if any(strategy in OWN for _, strategy in pairs) else ():
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
        _row("focal loss hurts calibration", "ECE", gain("ece", 1.0), n),
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
