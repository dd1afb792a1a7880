"""A stream whose base rate differs from that of the labelled posts, found without labels from the scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate import metrics
from comoderate.calibration import Frugal, correct_prior

if TYPE_CHECKING:
    from comoderate.study.cases import Case

Floats = NDArray[np.float64]
BASE_RATE = (
    "target", "scorer", "sample", "labelled", "value", "se", "low", "high", "level", "method", "n", "n_effective",
    "reason", "used",
)  # fmt: skip
MOST = 20_000
"""Posts of the stream that the interval is made from."""

REPLICATES = 100


def shifted(case: Case, stream: Floats) -> tuple[Case, pd.DataFrame]:
    """The case as it would be at the stream's base rate, and what was found, as one row.

    Where only the base rate differs, a labelled post stands for as many posts of the stream as its class is commoner
    there: weights of positives are multiplied by π'/π, those of negatives by (1 − π')/(1 − π). Calibration, advice,
    thresholds and costs then all follow.

    Args:
        case: the labelled posts.
        stream: (N,) the scorer's probabilities of the posts that the queue is made of.

    Source: Saerens, Latinne and Decaestecker (2002) for π'; the weights are those of label shift.
    """
    own = float(np.average(case.y, weights=case.weight))
    row: dict[str, Any] = {"target": case.target, "scorer": case.scorer, "sample": case.sample, "labelled": own}
    if not len(stream):
        empty = metrics.Estimate.undefined(reason="the queue's stream is empty")
        return case, _table({**row, **empty.as_dict(), "used": False})
    part = stream[np.linspace(0, len(stream) - 1, min(len(stream), MOST)).round().astype(np.int64)]

    def rate(weight: Floats, posts: Floats = part) -> float:
        prior = float(np.average(case.y, weights=weight))
        if not 0.0 < prior < 1.0:
            return float("nan")
        fitted = Frugal().fit(case.proba, case.y, sample_weight=weight)
        return correct_prior(fitted.predict(posts), source_prior=prior).prior

    value = rate(case.weight, stream)
    drawn = np.array([[rate(weight)] for weight in case.found.replicates[:REPLICATES]])
    spread = metrics.Replicated(np.array([value]), drawn, True)
    found = metrics.as_estimates(spread, case.weight, level=case.found.level, why="the scores tell no base rate")
    assert isinstance(found, metrics.Estimate)
    used = 0.0 < value < 1.0
    factor = np.where(case.y == 1.0, value / own, (1.0 - value) / (1.0 - own))
    moved = replace(case, found=case.found.reweighted(factor)) if used else case
    return moved, _table({**row, **found.as_dict(), "used": used})


def _table(row: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame([row], columns=list(BASE_RATE))
