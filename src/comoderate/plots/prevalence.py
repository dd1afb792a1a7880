"""How much there is: shares with intervals as a forest of dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import column, distinguishing, floats, labels, or_nan, unique, varying
from comoderate.plots.axes import legend_above, legend_height, percent_axis, rows_of_names
from comoderate.plots.display import Display
from comoderate.plots.numbers import percent, shorten
from comoderate.plots.style import INK, MUTED, PAPER, colour, marker

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MARKS = ("D", "x")


class PrevalenceDisplay(Display):
    """A forest plot: a row a group, in it a dot for the share and a line for its interval, a colour a series.

    Args:
        names: a label an estimate; estimates with the same label share a row. Rows stand in order of appearance.
        value, low, high: shares in [0, 1]; NaN where undefined.
        series: what tells the estimates of a row apart (the cohort, the sample).
        few: estimates from too few labels, drawn hollow.
        marks: named arrays of further shares beside the estimates (the truth, the full data), NaN where unknown.
        reference: a share for all rows together, drawn as a vertical line.
        title: what is shown.
        unit: what is counted, for the axis.
    """

    def __init__(
        self,
        names: Sequence[str],
        value: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        *,
        series: Sequence[str] | None = None,
        few: ArrayLike | None = None,
        marks: Mapping[str, ArrayLike] | None = None,
        reference: float | None = None,
        title: str = "Share of positive posts",
        unit: str = "posts",
    ) -> None:
        self.names, size = list(names), len(names)
        self.value, self.low = floats(value, "value", size=size), floats(low, "low", size=size)
        self.high = floats(high, "high", size=size)
        self.series = [""] * size if series is None else list(series)
        if len(self.series) != size:
            raise ValueError(f"series has {len(self.series)} entries, but {size} are needed")
        self.few = np.zeros(size, dtype=bool) if few is None else np.asarray(few, dtype=bool)
        self.marks = {name: or_nan(array, name, size) for name, array in (marks or {}).items()}
        self.reference, self.title, self.unit = reference, title, unit

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        marks: Mapping[str, ArrayLike] | None = None,
        reference: float | None = None,
        title: str = "Share of positive posts",
    ) -> PrevalenceDisplay:
        """From rows of the frame of prevalences: rows by target and group, series by sample, cohort and unit."""
        rows, series = (
            varying(frame, ("target", "domain", "group")),
            distinguishing(frame, ("sample", "cohort", "unit")),
        )
        if not rows:
            rows, series = series or ["group"], []
        units = frame["unit"].unique() if "unit" in frame else ["posts"]
        return cls(
            labels(frame, rows),
            column(frame, "value"),
            column(frame, "low"),
            column(frame, "high"),
            series=labels(frame, series),
            few=frame["few"].to_numpy(dtype=bool) if "few" in frame else None,
            marks=marks,
            reference=reference,
            title=title,
            unit=str(units[0]) if len(units) == 1 else "units",
        )

    @property
    def height(self) -> float:
        """Inches: a line an estimate, and the axis."""
        rows, series = len(unique(self.names)), len(unique(self.series))
        return 0.75 + (0.13 + 0.14 * series) * rows + legend_height(self._entries())

    def _entries(self) -> int:
        """Lines of the legend; none where there is one kind of dot."""
        kinds = len(unique(self.series)), bool(self.few.any()), len(self.marks), self.reference is not None
        total = sum(map(int, kinds))
        return total if total > 1 else 0

    def _places(self) -> np.ndarray:
        rows, series = unique(self.names), unique(self.series)
        row = np.array([rows.index(name) for name in self.names], dtype=float)
        shift = np.array([series.index(name) for name in self.series]) - (len(series) - 1) / 2
        return row + shift * 0.7 / max(len(series), 1)

    def _draw(self, ax: Axes, panel: int) -> None:
        place, which = self._places(), np.array(self.series)
        if self.reference is not None:
            ax.axvline(self.reference, color=MUTED, linestyle="--", linewidth=1, label="all groups together")
        for index, name in enumerate(unique(self.series)):
            hue, shape, chosen = colour(index), marker(index), which == name
            ax.hlines(place[chosen], self.low[chosen], self.high[chosen], color=hue, linewidth=2)
            full, hollow = chosen & ~self.few, chosen & self.few
            ax.plot(self.value[full], place[full], shape, color=hue, label=shorten(name) or "estimate")
            ax.plot(self.value[hollow], place[hollow], shape, color=hue, markerfacecolor=PAPER)
        if self.few.any():
            ax.plot([], [], "o", color=MUTED, markerfacecolor=PAPER, label="hollow: few labels")
        for (name, array), shape in zip(self.marks.items(), _MARKS * len(self.marks)):
            ax.plot(array, place, shape, color=INK, markerfacecolor="none", markersize=6, label=shorten(name))
        self._finish(ax, place)

    def _finish(self, ax: Axes, place: np.ndarray) -> None:
        for at in place[~np.isfinite(self.value)]:
            ax.text(0.02, float(at), "undefined", transform=ax.get_yaxis_transform(), va="center", color=MUTED)
        rows_of_names(ax, [shorten(name, 26) for name in unique(self.names)])
        ax.set_xlabel(f"share of {shorten(self.unit)} (%), with interval")
        percent_axis(ax, "x")
        if self._entries():
            legend_above(ax)

    def _tell(self, index: int) -> str:
        name = ", ".join(word for word in (self.names[index], self.series[index]) if word)
        return f"{name} {percent(self.value[index], self.low[index], self.high[index])}"

    def describe(self) -> str:
        """Each row's share with interval; the extremes only where there are many rows."""
        start = f"Dots with intervals for {len(self.names)} estimates"
        if len(self.names) <= 12:
            return f"{start}: {'; '.join(map(self._tell, range(len(self.names))))}."
        order = [int(i) for i in np.argsort(self.value) if np.isfinite(self.value[i])]
        return f"{start}; the lowest and highest: {'; '.join(map(self._tell, [*order[:3], *order[-3:]]))}."
