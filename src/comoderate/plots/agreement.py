"""Do raters agree: a dot with its interval for each question, cohort and statistic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import column, floats, labels, unique, varying
from comoderate.plots.axes import legend_above, legend_height, rows_of_names
from comoderate.plots.display import Display
from comoderate.plots.names import statistic_name
from comoderate.plots.numbers import number, shorten
from comoderate.plots.style import MUTED, colour, marker

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class AgreementDisplay(Display):
    """Coefficients of agreement as dots with intervals; 0 is chance, 1 is perfect.

    Args:
        names: a label a row, from top to bottom.
        value, low, high: coefficients; NaN where undefined.
        series: what tells the rows apart by colour and shape, such as the statistic or the cohort.
        title: what is shown.
        x_label: label of the axis.
    """

    def __init__(
        self,
        names: Sequence[str],
        value: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        *,
        series: Sequence[str] | None = None,
        title: str = "Agreement between raters",
        x_label: str = "agreement beyond chance (1 is perfect)",
    ) -> None:
        self.names, size = list(names), len(names)
        self.value, self.low = floats(value, "value", size=size), floats(low, "low", size=size)
        self.high = floats(high, "high", size=size)
        self.series = [""] * size if series is None else list(series)
        if len(self.series) != size:
            raise ValueError(f"series has {len(self.series)} entries, but {size} are needed")
        self.title, self.x_label = title, x_label

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, title: str = "Agreement between raters") -> AgreementDisplay:
        """From the frame of agreement: rows named by question and cohort, coloured by statistic."""
        names = labels(frame, varying(frame, ("question", "cohort")) or ["question"])
        statistic = frame["statistic"].astype(str).map(statistic_name).tolist()
        data = [column(frame, name) for name in ("value", "low", "high")]
        return cls(names, *data, series=statistic, title=title)

    @property
    def height(self) -> float:
        """Inches: a line a row, the axis and the legend."""
        rows = unique(self.names)
        return 0.8 + (0.2 + 0.14 * len(unique(self.series))) * len(rows) + legend_height(len(unique(self.series)) + 1)

    def _draw(self, ax: Axes, panel: int) -> None:
        rows, series = unique(self.names), unique(self.series)
        place = np.array([rows.index(name) for name in self.names], dtype=float)
        which = np.array([series.index(name) for name in self.series])
        place += (which - (len(series) - 1) / 2) * 0.7 / max(len(series), 1)
        ax.axvline(0, color=MUTED, linestyle="--", linewidth=1, label="chance")
        for index, name in enumerate(series):
            chosen = which == index
            ax.hlines(place[chosen], self.low[chosen], self.high[chosen], color=colour(index), linewidth=2)
            dots: dict[str, Any] = {"color": colour(index), "marker": marker(index), "linestyle": "none"}
            ax.plot(self.value[chosen], place[chosen], label=shorten(name, 48) or "estimate", **dots)
        for row in np.flatnonzero(~np.isfinite(self.value)):
            where = ax.get_yaxis_transform()
            ax.text(0.98, place[row], "undefined", transform=where, va="center", ha="right", color=MUTED)
        rows_of_names(ax, [shorten(name, 26) for name in rows])
        ax.set_xlim(min(-0.05, float(np.nanmin([*self.low, *self.value, 0.0])) - 0.05), 1.02)
        ax.set_xlabel(shorten(self.x_label, 60))
        legend_above(ax)

    def describe(self) -> str:
        """Each row's coefficient with interval."""
        rows = zip(self.names, self.series, self.value, self.low, self.high)
        told = [f"{name}{f', {kind}' if kind else ''}: {number(v, lo, hi)}" for name, kind, v, lo, hi in rows]
        return f"Dots with intervals; 0 is chance and 1 is perfect agreement. {'; '.join(told)}."
