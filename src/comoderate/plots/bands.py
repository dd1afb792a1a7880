"""Curves with bands: any value against time, effort or a setting, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import floats, gaps, or_nan
from comoderate.plots.axes import legend_above, legend_height, log_percent_axis, percent_axis
from comoderate.plots.display import Display
from comoderate.plots.numbers import number, percent, share, shorten
from comoderate.plots.style import colour, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Band:
    """One curve.

    Attributes:
        name: for the legend.
        x: numbers, or dates (``datetime64`` or ISO text).
        y: values, NaN where undefined.
        low, high: the band, where there is one.
        hue: index of its colour; curves that belong together share it. None: its place in the list.
        style: index of its line style. None: its place in the list.
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    hue: int | None = None
    style: int | None = None


class BandDisplay(Display):
    """Curves with their bands on one axes.

    Args:
        curves: the curves, in the order of the legend.
        x_label, y_label: labels of the axes, with units.
        title: what is shown.
        y_percent: y holds shares, written as percentages (say '(%)' in the label).
        x_scale: 'linear', 'log', 'log-percent' (shares on a logarithmic axis) or 'date' (sorted; lines break where
            dates are missing).
        reference: named horizontal lines.
        points: mark the data points.
    """

    def __init__(
        self,
        curves: Sequence[Band],
        *,
        x_label: str,
        y_label: str,
        title: str = "",
        y_percent: bool = False,
        x_scale: str = "linear",
        reference: dict[str, float] | None = None,
        points: bool = False,
    ) -> None:
        if x_scale not in ("linear", "log", "log-percent", "date"):
            raise ValueError(f"x_scale must be linear, log, log-percent or date, not {x_scale!r}")
        self.curves, self.x_label, self.y_label, self.title = list(curves), x_label, y_label, title
        self.y_percent, self.x_scale, self.points = y_percent, x_scale, points
        self.reference = dict(reference or {})
        self.x = [self._positions(curve.x) for curve in self.curves]
        self.y = [floats(c.y, f"y of {c.name}", size=len(x)) for c, x in zip(self.curves, self.x)]
        self.low = [or_nan(c.low, f"low of {c.name}", len(x)) for c, x in zip(self.curves, self.x)]
        self.high = [or_nan(c.high, f"high of {c.name}", len(x)) for c, x in zip(self.curves, self.x)]

    def _positions(self, x: ArrayLike) -> Any:
        if self.x_scale == "date":
            return np.asarray(x, dtype="datetime64[s]")
        return floats(x, "x")

    @property
    def height(self) -> float:
        """Inches: the axes and the legend."""
        return 2.7 + legend_height(self._entries())

    def _entries(self) -> int:
        entries = len(self.curves) + len(self.reference)
        return entries if entries > 1 else 0

    def _draw(self, ax: Axes, panel: int) -> None:
        for index, (curve, x, y) in enumerate(zip(self.curves, self.x, self.y)):
            hue = colour(index if curve.hue is None else curve.hue)
            style = line_style(index if curve.style is None else curve.style)
            breaks = gaps(x) if self.x_scale == "date" else np.empty(0, dtype=np.intp)
            low, high, y = (np.insert(a, breaks, np.nan) for a in (self.low[index], self.high[index], y))
            x = np.insert(x, breaks, x[breaks - 1])
            ax.fill_between(x, low, high, color=hue, alpha=0.13, linewidth=0)
            mark = "o" if self.points or len(x) == 1 or len(breaks) else ""
            ax.plot(x, y, color=hue, linestyle=style, marker=mark, markersize=3.5, label=shorten(curve.name, 48))
        for index, (name, height) in enumerate(self.reference.items()):
            ax.axhline(height, color="#7f7f7f", linestyle=line_style(index + 2), linewidth=1.2, label=shorten(name, 48))
        self._finish(ax)

    def _finish(self, ax: Axes) -> None:
        ax.set_xlabel(shorten(self.x_label, 60))
        ax.set_ylabel(shorten(self.y_label, 40))
        if self.y_percent:
            percent_axis(ax, "y")
        if self.x_scale == "date":
            date_axis(ax)
        elif self.x_scale == "log":
            ax.set_xscale("log")
        elif self.x_scale == "log-percent":
            log_percent_axis(ax)
        if self._entries():
            legend_above(ax)

    def describe(self) -> str:
        """First and last value of each curve, with their intervals."""
        return f"{self.y_label} against {self.x_label}. " + " ".join(self._tell(i) for i in range(len(self.curves)))

    def _tell(self, index: int) -> str:
        write = percent if self.y_percent else number
        known = np.flatnonzero(np.isfinite(self.y[index]))
        if not len(known):
            return f"{self.curves[index].name}: undefined throughout."
        ends = [
            f"{write(self.y[index][i], self.low[index][i], self.high[index][i])} at {self._place(self.x[index][i])}"
            for i in dict.fromkeys((known[0], known[-1]))
        ]
        return f"{self.curves[index].name}: {', then '.join(ends)}."

    def _place(self, x: Any) -> str:
        if self.x_scale == "date":
            return str(x.astype("datetime64[D]"))
        return share(x) if self.x_scale == "log-percent" else f"{x:g}"


def date_axis(ax: Axes) -> None:
    """Dates on the x axis, with few words."""
    from matplotlib import dates

    library: Any = dates
    locator = library.AutoDateLocator(minticks=3, maxticks=6)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(library.ConciseDateFormatter(locator))
