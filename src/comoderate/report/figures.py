"""Which displays a section shows, from its frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from comoderate.plots import (
    AgreementDisplay,
    Band,
    BandDisplay,
    DailyVolumeDisplay,
    PrecisionRecallDisplay,
    PrevalenceDisplay,
    ReviewCurveDisplay,
    RocDisplay,
)
from comoderate.plots.review import METRICS as REVIEW_METRICS
from comoderate.plots.volume import dated
from comoderate.report.blocks import Picture
from comoderate.report.words import as_day, is_percentage, text_of

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 30
_SERIES = ("sample", "cohort", "unit")


def volume(totals: pd.DataFrame) -> Picture | None:
    """Posts a day: all, in hand, drawn; None where no row has a date."""
    if dated(totals).empty:
        return None
    return Picture([DailyVolumeDisplay.from_frame(totals)], "Posts a day")


def prevalence(frame: pd.DataFrame, known: Mapping[str, Sequence[float]], title: str) -> Picture | None:
    """A forest of shares, or a band over time where the groups are days; None where a table says it better."""
    days = [as_day(group) for group in frame["group"]]
    if frame["domain"].nunique() == 1 and len(days) > 3 and None not in days:
        caption = f"{title}, with intervals where there are enough labels"
        return Picture([_over_time(frame.assign(day=[str(day) for day in days]), title)], caption)
    if not 1 < len(frame) <= MOST_ROWS:
        return None
    marks = {name: np.asarray(values, dtype=float) for name, values in known.items() if any(v == v for v in values)}
    return Picture([PrevalenceDisplay.from_frame(frame, marks=marks, title=title)], title)


def _over_time(frame: pd.DataFrame, title: str) -> BandDisplay:
    keys = [key for key in _SERIES if frame[key].nunique() > 1]
    curves = []
    for names, part in frame.groupby(keys, sort=False, dropna=False, observed=True) if keys else [((), frame)]:
        part = part.sort_values("day")
        few = part["few"].astype(bool)
        value, low, high = (part[c].astype(float) for c in ("value", "low", "high"))
        low, high = low.mask(few), high.mask(few)
        curves.append(Band(", ".join(map(str, names)), part["day"].to_numpy(dtype=str), value, low, high))
    label = f"share of {text_of(frame['unit'].iloc[0]) or 'posts'} (%)"
    return BandDisplay(curves, x_label="date", y_label=label, title=title, y_percent=True, x_scale="date")


def agreement(frame: pd.DataFrame) -> Picture | None:
    """Coefficients of agreement as dots; shares of equal answers stay in the table."""
    rows = frame[~frame["statistic"].astype(str).map(is_percentage)]
    if not len(rows) or rows["value"].isna().all() or len(rows) > 2 * MOST_ROWS:
        return None
    return Picture([AgreementDisplay.from_frame(rows)], "Agreement beyond chance")


def scorers(curves: pd.DataFrame, evaluation: pd.DataFrame | None, title: str, people: Sequence[str]) -> Picture | None:
    """Precision–recall and ROC curves side by side; ``people`` are points, and alone need no figure."""
    shown: list[PrecisionRecallDisplay | RocDisplay] = []
    held = set(curves["kind"])
    if set(curves["scorer"]) <= set(people):
        return None
    if "precision-recall" in held:
        chance = _base_rate(evaluation)
        display = PrecisionRecallDisplay.from_frame(curves, evaluation=evaluation, people=people, chance=chance)
        shown.append(display)
    if "roc" in held:
        shown.append(RocDisplay.from_frame(curves, evaluation=evaluation, people=people))
    return Picture(shown, title) if shown else None


def _base_rate(evaluation: pd.DataFrame | None) -> float | None:
    if evaluation is None:
        return None
    rows = evaluation[(evaluation["metric"] == "prevalence") & (evaluation["domain"] == "all")]
    return float(rows["value"].iloc[0]) if len(rows) and rows["value"].notna().iloc[0] else None


def review(frame: pd.DataFrame, title: str) -> Picture | None:
    """A display a metric, side by side where there is room."""
    held = set(frame["metric"][frame["value"].notna()])
    shown = [ReviewCurveDisplay(frame, metrics=[metric]) for metric in REVIEW_METRICS if metric in held]
    return Picture(shown, title) if shown else None
