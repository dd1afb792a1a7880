"""The paper's numbers in the arrays of our own, so that the same code computes what its claims rest on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comoderate.metrics import CollaborationCurves
from comoderate.papers.collaboration import claims
from comoderate.papers.collaboration.evaluation import COLUMNS, FRACTIONS, STRATEGIES
from comoderate.papers.facts import published

Floats = NDArray[np.float64]
ENVIRONMENTS = {"test": "wikipedia_test", "deployment": "civil_comments_test"}
MODELS = {
    "Deterministic, cross-entropy": "Deterministic", "Monte Carlo dropout, cross-entropy": "Monte Carlo Dropout",
    "Ensemble, cross-entropy": "Ensemble (size=10)", "SNGP, cross-entropy": "SNGP",
    "SNGP ensemble, cross-entropy": "SNGP Ensemble (size=10)", "Deterministic, focal": "Deterministic + Focal Loss",
    "Monte Carlo dropout, focal": "Monte Carlo Dropout + Focal Loss",
    "Ensemble, focal": "Ensemble + Focal Loss (size=10)", "SNGP, focal": "SNGP + Focal Loss",
    "SNGP ensemble, focal": "SNGP Ensemble + Focal Loss (size=10)",
}  # fmt: skip
"""Our names of the models, and the paper's."""
_COLUMNS = {"auroc": "auroc", "auprc": "auprc", "accuracy": "acc", "brier": "brier", "ece": "ece"}
_CURVES = dict(
    zip(
        CollaborationCurves._fields,
        ("oc_acc", "oc_auroc", "oc_auprc", "review_efficiency", "review_effectiveness"), strict=True,
    )
)  # fmt: skip


def column(environment: str, model: str, metric: str) -> float:
    """A published number of a model; NaN where there is none."""
    own = _model(environment, model)
    if metric in _COLUMNS:
        return float(own.get(_COLUMNS[metric], np.nan))
    name = "calib_auroc" if "auroc" in metric else "calib_auprc"
    return float(own.get(name, {}).get("toxicity" if metric.endswith("toxicity") else "uncertainty", np.nan))


def curve(environment: str, model: str, strategy: str, metric: str) -> Floats:
    """(fractions,) published numbers of a model and strategy; NaN where there are none."""
    found = _model(environment, model).get(strategy, {}).get(_CURVES[metric])
    return np.full(len(FRACTIONS), np.nan) if found is None else np.asarray(found, dtype=np.float64)


def claimed(environment: str) -> dict[tuple[str, str], float]:
    """What the paper's own numbers say of a claim and measure, by the very code that judges ours."""
    tables = {model: np.array([[column(environment, model, name) for name in COLUMNS]]) for model in MODELS}
    pairs = {
        (model, strategy): np.array([[curve(environment, model, strategy, name) for name in _CURVES]])
        for model in MODELS
        for strategy in STRATEGIES
    }
    rows = [*claims.within(tables, pairs, 0), *claims.without_sngp(tables, pairs, 0)]
    found = {(row["claim"], row["measure"]): float(row["value"]) for row in rows}
    for metric, name in (("calibration_auroc", "calibration AUROC"), ("calibration_auprc", "calibration AUPRC")):
        focal, plain = (
            np.mean([column(environment, model, metric) for model in MODELS if model.endswith("focal") == wanted])
            for wanted in (True, False)
        )
        found["focal loss hurts calibration", f"loss in {name}"] = float(plain - focal)
    return found


def mean(environment: str, metric: str) -> float:
    """The mean of a published number over the ten models."""
    return float(np.mean([column(environment, model, metric) for model in MODELS]))


def _model(environment: str, model: str) -> dict[str, Any]:
    facts: dict[str, Any] = published("collaboration").get(ENVIRONMENTS.get(environment, ""), {})
    found: dict[str, Any] = facts.get(MODELS.get(model, ""), {})
    return found
