"""Where a service fails: accuracy by two attributes, and how accuracy spreads over arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import Floats, floats, or_nan
from comoderate.plots.axes import legend_above, legend_height, percent_axis
from comoderate.plots.display import Display
from comoderate.plots.numbers import percent, shorten
from comoderate.plots.style import MUTED, colour, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class HeatmapDisplay(Display):
    """A share for every pair of two attributes' values, in colour and in digits.

    Args:
        value: (n_rows, n_columns) shares in [0, 1]; NaN where unknown, left empty.
        row_names, column_names: the attributes' values.
        row_label, column_label: the attributes.
        few: (n_rows, n_columns), cells with too few labels, whose digits are in brackets.
        value_label: what the share is.
        title: what is shown.
    """

    def __init__(
        self,
        value: ArrayLike,
        row_names: Sequence[str],
        column_names: Sequence[str],
        *,
        row_label: str = "",
        column_label: str = "",
        few: ArrayLike | None = None,
        value_label: str = "accuracy",
        title: str = "Accuracy by two attributes",
    ) -> None:
        self.value: Floats = np.asarray(value, dtype=np.float64)
        shape = (len(row_names), len(column_names))
        if self.value.shape != shape:
            raise ValueError(f"value must have the shape {shape} of the names, not {self.value.shape}")
        self.few = np.zeros(shape, dtype=bool) if few is None else np.asarray(few, dtype=bool)
        if self.few.shape != shape:
            raise ValueError(f"few must have the shape {shape} of the names, not {self.few.shape}")
        self.row_names, self.column_names = list(row_names), list(column_names)
        self.row_label, self.column_label, self.value_label, self.title = row_label, column_label, value_label, title

    @property
    def height(self) -> float:
        """Inches: a line a row, and the slanted names of the columns."""
        return 1.6 + 0.3 * len(self.row_names)

    def _draw(self, ax: Axes, panel: int) -> None:
        from matplotlib import colormaps

        known = self.value[np.isfinite(self.value)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        mesh = ax.pcolormesh(self.value, cmap=colormaps["cividis"], vmin=low, vmax=max(high, low + 1e-9))
        mesh.set_edgecolor("face")
        size = 8.5 if len(self.column_names) <= 8 else 7.0
        for row, column in np.argwhere(np.isfinite(self.value)):
            share = float(self.value[row, column])
            ink = "#010101" if share > (low + high) / 2 else "#fffffe"
            text = f"({100 * share:.0f})" if self.few[row, column] else f"{100 * share:.0f}"
            ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink, fontsize=size)
        self._finish(ax)

    def _finish(self, ax: Axes) -> None:
        ax.set_yticks(np.arange(len(self.row_names)) + 0.5, labels=[shorten(n, 22) for n in self.row_names])
        columns = [shorten(n, 18) for n in self.column_names]
        long = max(map(len, columns), default=0) * len(columns) > 40
        turn: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if long else {}
        ax.set_xticks(np.arange(len(columns)) + 0.5, labels=columns, **turn)
        ax.tick_params(length=0)
        ax.invert_yaxis()
        ax.grid(visible=False)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        ax.set_xlabel(shorten(self.column_label, 60))
        ax.set_ylabel(shorten(self.row_label, 40))
        brackets = "; brackets: few labels" if self.few.any() else ""
        ax.set_title(f"{shorten(self.value_label)} (%{brackets})", fontsize=9.5)

    def describe(self) -> str:
        """The lowest and the highest cells."""
        known = np.argwhere(np.isfinite(self.value))
        order = sorted(map(tuple, known), key=lambda cell: self.value[cell])
        if not order:
            return f"A grid of {self.value_label}, all unknown."
        told = [
            f"{self.row_names[r]} and {self.column_names[c]} {percent(float(self.value[r, c]))}"
            for r, c in dict.fromkeys([*order[:3], *order[-3:]])
        ]
        rows, columns = self.value.shape
        return f"A grid of {self.value_label}, {rows} by {columns}; the lowest and highest: {'; '.join(told)}."


class QuantileDisplay(Display):
    """How a share spreads over arms: the value below which a given part of the arms lies (accuracy surface, Figure 1).

    Args:
        surfaces: for each service or estimator the values of its arms; NaN are left out.
        weights: for each (optional) the arms' share of traffic; without it every arm counts once.
        value_label: what the values are.
        title: what is shown.
        high_is_worse: whether the worst arms are those of the highest values, as with rates of errors.
    """

    def __init__(
        self,
        surfaces: Mapping[str, ArrayLike],
        *,
        weights: Mapping[str, ArrayLike] | None = None,
        value_label: str = "accuracy",
        title: str = "Accuracy over all combinations of attributes",
        high_is_worse: bool = False,
    ) -> None:
        self.value_label, self.title, self.high_is_worse = value_label, title, high_is_worse
        self.curves: dict[str, tuple[Floats, Floats]] = {}
        for name, values in surfaces.items():
            array = floats(values, f"values of {name}")
            weight = or_nan((weights or {}).get(name), f"weights of {name}", len(array))
            self.curves[name] = self._quantiles(array, np.where(np.isnan(weight), 1.0, weight))

    def _quantiles(self, values: Floats, weight: Floats) -> tuple[Floats, Floats]:
        """Sorted values, the worst first, and the share of arms (or traffic) up to and with each."""
        kept = np.isfinite(values)
        values, weight = values[kept], weight[kept]
        order = np.argsort(-values if self.high_is_worse else values, kind="stable")
        total = weight.sum()
        return values[order], np.cumsum(weight[order]) / (total if total > 0 else 1.0)

    def mean(self, name: str) -> float:
        """The mean of a surface's values, with the weights given."""
        values, share = self.curves[name]
        return float(np.sum(values * np.diff(share, prepend=0.0))) if len(values) else float("nan")

    def at(self, name: str, share: float) -> float:
        """The value at which ``share`` of the arms lies: so many are as bad or worse."""
        values, below = self.curves[name]
        if not len(values):
            return float("nan")
        return float(values[min(int(np.searchsorted(below, share - 1e-12)), len(values) - 1)])

    @property
    def height(self) -> float:
        """Inches: the axes and the legend."""
        return 2.9 + legend_height(len(self.curves) + 1)

    def _draw(self, ax: Axes, panel: int) -> None:
        for index, (name, (values, share)) in enumerate(self.curves.items()):
            x, y = np.r_[0.0, share], np.r_[values[:1], values]
            hue, style = colour(index), line_style(index)
            ax.plot(x, y, color=hue, linestyle=style, drawstyle="steps-pre", label=shorten(name, 48))
            ax.axhline(self.mean(name), color=hue, linewidth=0.9, linestyle=":")
        ax.plot([], [], color=MUTED, linewidth=0.9, linestyle=":", label="mean")
        ax.set_xlim(0, 1)
        percent_axis(ax, "x")
        percent_axis(ax, "y")
        ax.set_xlabel("combinations of attributes, worst first (%)")
        ax.set_ylabel(f"{shorten(self.value_label)} (%)")
        legend_above(ax)

    def describe(self) -> str:
        """Tenth, half and nine tenths of the arms, and the mean."""
        side = "above" if self.high_is_worse else "below"
        told = [
            f"{name}: a tenth of the arms at or {side} {percent(self.at(name, 0.1))}, half "
            f"{percent(self.at(name, 0.5))}, nine tenths {percent(self.at(name, 0.9))}, "
            f"mean {percent(self.mean(name))}."
            for name in self.curves
        ]
        return f"Sorted {self.value_label} of arms. {' '.join(told)}"
