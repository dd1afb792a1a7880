"""How much there is: shares with intervals as a forest of dots, and shares over time as a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import column, floats, labels, or_nan, varying
from comoderate.plots.axes import legend_above, legend_height, percent_axis, rows_of_names
from comoderate.plots.display import Display
from comoderate.plots.numbers import percent, shorten
from comoderate.plots.style import MUTED, PAPER, colour

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class PrevalenceDisplay(Display):
    """A forest plot: a row a group, a dot for the share and a line for its interval.

    Args:
        names: a label a row, from top to bottom.
        value, low, high: shares in [0, 1]; NaN where undefined.
        few: rows with too few labels, drawn hollow.
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
        few: ArrayLike | None = None,
        marks: Mapping[str, ArrayLike] | None = None,
        reference: float | None = None,
        title: str = "Share of positive posts",
        unit: str = "posts",
    ) -> None:
        self.names, size = list(names), len(names)
        self.value, self.low = floats(value, "value", size=size), floats(low, "low", size=size)
        self.high = floats(high, "high", size=size)
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
        """From rows of the frame of prevalences; rows are named by the columns in which they differ."""
        names = labels(frame, varying(frame, ("target", "sample", "cohort", "unit", "domain", "group")) or ["group"])
        units = frame["unit"].unique() if "unit" in frame else ["posts"]
        return cls(
            names,
            column(frame, "value"),
            column(frame, "low"),
            column(frame, "high"),
            few=frame["few"].to_numpy(dtype=bool) if "few" in frame else None,
            marks=marks,
            reference=reference,
            title=title,
            unit=str(units[0]) if len(units) == 1 else "units",
        )

    @property
    def height(self) -> float:
        """Inches: a line a row, and the axis."""
        return 0.75 + 0.27 * len(self.names) + legend_height(self._entries())

    def _entries(self) -> int:
        return sum((bool(self.marks), bool(self.few.any()), self.reference is not None)) and (
            1 + len(self.marks) + bool(self.few.any()) + (self.reference is not None)
        )

    def _draw(self, ax: Axes, panel: int) -> None:
        rows = np.arange(len(self.names))
        if self.reference is not None:
            ax.axvline(self.reference, color=MUTED, linestyle="--", linewidth=1, label="all groups together")
        ax.hlines(rows, self.low, self.high, color=colour(0), linewidth=2)
        for hollow, name in ((False, "estimate, with interval"), (True, "estimate from few labels")):
            chosen = self.few == hollow
            if chosen.any():
                face = PAPER if hollow else colour(0)
                ax.plot(self.value[chosen], rows[chosen], "o", color=colour(0), markerfacecolor=face, label=name)
        for index, (name, array) in enumerate(self.marks.items()):
            hue, shape = colour(index + 1), "D" if index == 0 else "s"
            ax.plot(array, rows, shape, color=hue, markerfacecolor=PAPER, markersize=5, label=name)
        self._finish(ax)

    def _finish(self, ax: Axes) -> None:
        for row in np.flatnonzero(~np.isfinite(self.value)):
            ax.text(0.02, float(row), "undefined", transform=ax.get_yaxis_transform(), va="center", color=MUTED)
        rows_of_names(ax, [shorten(name, 26) for name in self.names])
        ax.set_xlabel(f"share of {shorten(self.unit)} (%)")
        percent_axis(ax, "x")
        if self._entries():
            legend_above(ax)

    def describe(self) -> str:
        """Each row's share with interval; the extremes only where there are many rows."""
        shown = list(range(len(self.names)))
        if len(shown) > 12:
            order = [i for i in np.argsort(self.value) if np.isfinite(self.value[i])]
            shown = [*order[:3], *order[-3:]]
        rows = [f"{self.names[i]} {percent(self.value[i], self.low[i], self.high[i])}" for i in shown]
        start = f"Dots with intervals for {len(self.names)} rows"
        return (
            f"{start}; the lowest and highest: {'; '.join(rows)}."
            if len(rows) < len(self.names)
            else (f"{start}: {'; '.join(rows)}.")
        )
