"""One display of each kind, from small made-up data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from comoderate.plots import (
    AgreementDisplay,
    AnnotationsPerPostDisplay,
    Answers,
    AnswersDisplay,
    Band,
    BandDisplay,
    Bins,
    Curve,
    DailyVolumeDisplay,
    Display,
    HeatmapDisplay,
    Point,
    PrecisionRecallDisplay,
    PrevalenceDisplay,
    QuantileDisplay,
    ReliabilityDisplay,
    ReviewCurveDisplay,
    RocDisplay,
    SimplexDisplay,
)

GRID = np.linspace(0, 1, 50)


def review_frame(name: str = "bayes") -> pd.DataFrame:
    rows = []
    for metric in ("oracle_collaborative_accuracy", "oracle_collaborative_auroc", "review_efficiency"):
        for strategy in ("uncertainty", "toxicity"):
            for fraction in (0.001, 0.01, 0.1):
                value = 0.9 + fraction / 2
                row = {"scorer": name, "strategy": strategy, "review_fraction": fraction, "metric": metric}
                rows.append({**row, "value": value, "low": value - 0.01, "high": value + 0.01})
    return pd.DataFrame(rows)


MAKERS: dict[str, Callable[[str], Display]] = {
    "prevalence": lambda n: PrevalenceDisplay(
        [n, "b"], [0.1, np.nan], [0.05, np.nan], [0.2, np.nan], few=[True, False], marks={"truth": [0.11, np.nan]},
        reference=0.1,
    ),
    "band": lambda n: BandDisplay(
        [Band(n, [1, 2, 3], [0.1, np.nan, 0.3], [0, 0, 0.2], [0.2, 0.2, 0.4])], x_label="labels", y_label="error",
        title="Error", reference={"goal": 0.2},
    ),
    "dates": lambda n: BandDisplay(
        [Band(k, ["2026-01-01", "2026-02-01"], [0.1, 0.2]) for k in (n, "b")], x_label="date", y_label="share (%)",
        title="Share", y_percent=True, x_scale="date",
    ),
    "precision-recall": lambda n: PrecisionRecallDisplay(
        [Curve(n, GRID, 1 - 0.9 * GRID)], points=[Point("crowd", 0.7, 0.8, (0.6, 0.8), (0.7, 0.9))], chance=0.1
    ),
    "roc": lambda n: RocDisplay([Curve(n, GRID, GRID**0.3)], points=[Point("crowd", 0.1, 0.8)], chance=0.5),
    "review": lambda n: ReviewCurveDisplay(pd.concat([review_frame(n), review_frame("other")])),
    "volume": lambda n: DailyVolumeDisplay(["2026-01-02", "2026-01-01"], [1000, 900], [500, 900], [5, 0], title=n),
    "agreement": lambda n: AgreementDisplay([n, n], [0.5, -0.1], [0.4, -0.2], [0.6, 0.0], series=["κ", "ICC"]),
    "annotations": lambda n: AnnotationsPerPostDisplay({n: [1, 2, 2, 30], "experts": [3, 3, 3, 3]}),
    "answers": lambda n: AnswersDisplay(
        [
            Answers(n, ["no", "yes"], {"crowd": [0.9, 0.1], "experts": [0.8, 0.2]}, {"crowd": 10, "experts": 5}),
            Answers("What type?", ["a", n], {"crowd": [0.5, 0.7]}, {"crowd": 1}, condition="if yes"),
        ]
    ),
    "simplex": lambda n: SimplexDisplay(
        {n: [[3, 0, 0], [1, 1, 1], [0, 0, 0]], "chance": [[1, 2, 0], [0, 3, 0]]}, ["no", n, "yes"]
    ),
    "reliability": lambda n: ReliabilityDisplay(
        [Bins(n, [0.1, 0.5], [0.2, np.nan], weight=[0.7, 0.3], low=[0.1, np.nan], high=[0.3, np.nan])]
    ),
    "heatmap": lambda n: HeatmapDisplay(
        [[0.5, np.nan], [0.9, 0.8]], [n, "b"], ["x", n], few=[[True, False], [False, False]], row_label=n,
        column_label="y",
    ),
    "quantiles": lambda n: QuantileDisplay({n: [0.5, 0.9, np.nan, 0.7]}, weights={n: [1, 2, 1, 1]}),
}  # fmt: skip


@pytest.fixture(params=list(MAKERS))
def maker(request: pytest.FixtureRequest) -> Callable[[str], Display]:
    """Makes a display whose texts hold a given name."""
    return MAKERS[request.param]


@pytest.fixture
def reviewed() -> pd.DataFrame:
    """A frame of review curves."""
    return review_frame()
