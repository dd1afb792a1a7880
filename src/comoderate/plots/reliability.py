"""Are probabilities what they claim: observed share against predicted probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import floats, or_nan
from comoderate.plots.axes import legend_above, legend_height, percent_axis
from comoderate.plots.display import Display
from comoderate.plots.numbers import percent, shorten
from comoderate.plots.style import MUTED, colour, line_style, marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Bins:
    """One scorer's bins.

    Attributes:
        name: the scorer.
        predicted: mean predicted probability in each bin, in [0, 1].
        observed: share of positives in each bin, in [0, 1]; NaN where the bin is empty.
        weight: share of posts in each bin, drawn below; None: not drawn.
        low, high: interval of ``observed``.
    """

    name: str
    predicted: ArrayLike
    observed: ArrayLike
    weight: ArrayLike | None = None
    low: ArrayLike | None = None
    high: ArrayLike | None = None


class ReliabilityDisplay(Display):
    """Reliability diagram: on the diagonal probabilities are true; below it they claim too much.

    Args:
        scorers: the bins of each scorer.
        title: what is shown.
    """

    def __init__(self, scorers: Sequence[Bins], *, title: str = "Are the probabilities what they claim") -> None:
        self.title, self.names = title, [bins.name for bins in scorers]
        self.predicted = [floats(b.predicted, f"predicted of {b.name}") for b in scorers]
        sizes = [len(p) for p in self.predicted]
        self.observed = [floats(b.observed, f"observed of {b.name}", size=n) for b, n in zip(scorers, sizes)]
        self.weight = [or_nan(b.weight, f"weight of {b.name}", n) for b, n in zip(scorers, sizes)]
        self.low = [or_nan(b.low, f"low of {b.name}", n) for b, n in zip(scorers, sizes)]
        self.high = [or_nan(b.high, f"high of {b.name}", n) for b, n in zip(scorers, sizes)]

    @property
    def panels(self) -> int:
        """The diagram, and below it how many posts each bin holds, where that is known."""
        return 1 + any(bool(np.isfinite(w).any()) for w in self.weight)

    @property
    def height(self) -> float:
        """Inches: nearly square axes, the lower panel, and the legend."""
        return 3.7 + 1.2 * (self.panels - 1) + legend_height(len(self.names) + 1)

    def _axes(self, ax: Axes | Sequence[Axes] | None) -> list[Axes]:
        if ax is not None or self.panels == 1:
            return super()._axes(ax)
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width, self.height), layout="constrained")
        return list(figure.subplots(2, 1, sharex=True, height_ratios=[3.2, 1]))

    def _draw(self, ax: Axes, panel: int) -> None:
        if panel == 0:
            self._diagram(ax)
        else:
            for index, (x, weight) in enumerate(zip(self.predicted, self.weight)):
                ax.plot(x, weight, marker=marker(index), color=colour(index), linestyle=line_style(index), linewidth=1)
            ax.set_ylim(bottom=0)
            ax.set_ylabel("posts (%)")
            percent_axis(ax, "y")
        if panel == self.panels - 1:
            ax.set_xlabel("predicted probability (%)")

    def _diagram(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=":", label="as claimed")
        for index, name in enumerate(self.names):
            x, y, hue = self.predicted[index], self.observed[index], colour(index)
            ax.vlines(x, self.low[index], self.high[index], color=hue, linewidth=1.2)
            style, shape = line_style(index), marker(index)
            ax.plot(x, y, color=hue, linestyle=style, marker=shape, markersize=4.5, label=shorten(name, 48))
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        percent_axis(ax, "x")
        percent_axis(ax, "y")
        ax.set_ylabel("really positive (%)")
        legend_above(ax)

    def describe(self) -> str:
        """Each scorer's bins as pairs of predicted and observed."""
        told = []
        for name, predicted, observed in zip(self.names, self.predicted, self.observed):
            pairs = [
                f"{percent(float(o))} at {percent(float(p))}" for p, o in zip(predicted, observed) if np.isfinite(o)
            ]
            told.append(f"{name}: {', '.join(pairs) or 'no bins'}.")
        return f"Share of positives at a predicted probability. {' '.join(told)}"
