"""Where posts lie between three answers: a triangle whose corners are unanimity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import Floats
from comoderate.plots.display import Display
from comoderate.plots.numbers import count, percent, shorten
from comoderate.plots.style import MUTED, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_LARGEST = 420.0


class SimplexDisplay(Display):
    """The 2-simplex of annotations in three classes, a panel a cohort (Delisle et al. 2019, Figure 2).

    A post lies at the mean of the corners that its raters chose; a disc's area is the share of posts at that place.
    Beside the observed cohorts one gives counts simulated under perfect agreement (all in the corners) and under
    chance (all raters alike draw from the same distribution), to have something to compare with.

    Args:
        counts: for each panel an array (n_items, 3), how many raters gave each of the three answers; rows without any
            answer are left out.
        categories: the three answers, bottom left, bottom right, top.
        title: what is shown.
    """

    def __init__(
        self,
        counts: Mapping[str, ArrayLike],
        categories: Sequence[str],
        *,
        title: str = "How raters split over three answers",
    ) -> None:
        if len(categories) != 3:
            raise ValueError(f"a triangle needs three categories, not {len(categories)}")
        self.categories, self.title = list(categories), title
        self.counts = {name: self._checked(name, array) for name, array in counts.items()}
        if not self.counts:
            raise ValueError("there must be at least one panel of counts")

    @staticmethod
    def _checked(name: str, array: ArrayLike) -> Floats:
        counts: Floats = np.asarray(array, dtype=np.float64)
        if counts.ndim != 2 or counts.shape[1] != 3:
            raise ValueError(f"counts of {name} must have the shape (n_items, 3), not {counts.shape}")
        if not np.all(counts >= 0):
            raise ValueError(f"counts of {name} must be numbers of at least 0")
        answered: Floats = counts[counts.sum(axis=1) > 0]
        return answered

    @property
    def panels(self) -> int:
        """One a cohort or simulation."""
        return len(self.counts)

    @property
    def columns(self) -> int:
        """Two side by side."""
        return min(self.panels, 2)

    @property
    def height(self) -> float:
        """Inches: two triangles a row."""
        return 2.6 * -(-self.panels // self.columns) if self.panels > 1 else 4.2

    def places(self, name: str) -> tuple[Floats, Floats]:
        """The distinct compositions of a panel's posts (k, 3), and the share of posts at each (k,)."""
        counts = self.counts[name]
        if not len(counts):
            return np.empty((0, 3)), np.empty(0)
        shares = np.round(counts / counts.sum(axis=1, keepdims=True), 6)
        found, number = np.unique(shares, axis=0, return_counts=True)
        return found, number / number.sum()

    def _draw(self, ax: Axes, panel: int) -> None:
        name = list(self.counts)[panel]
        where, share = self.places(name)
        edge = _CORNERS[[0, 1, 2, 0]]
        ax.plot(edge[:, 0], edge[:, 1], color=MUTED, linewidth=0.8)
        place = where @ _CORNERS
        area = _LARGEST * share / (1 if self.panels > 1 else 0.4)
        ax.scatter(place[:, 0], place[:, 1], s=area, color=colour(0), alpha=0.65, linewidths=0)
        for corner, label, side, drop in zip(_CORNERS, self.categories, ("left", "right", "center"), (-1, -1, 1)):
            shift = -0.12 if side == "left" else 0.12 if side == "right" else 0.0
            vertical = "top" if drop < 0 else "bottom"
            ax.text(corner[0] + shift, corner[1] + 0.09 * drop, shorten(label, 18), ha=side, va=vertical, fontsize=8.5)
        ax.set_title(f"{shorten(name, 28)}\n{count(len(self.counts[name]))} posts", loc="center", fontsize=9.5)
        ax.set_xlim(-0.2, 1.2)
        ax.set_ylim(-0.3, 1.1)
        ax.set_aspect("equal")
        ax.set_axis_off()

    def describe(self) -> str:
        """For each panel the share of unanimous posts by answer, and the share of split ones."""
        told = []
        for name in self.counts:
            where, share = self.places(name)
            alone = [float(share[where[:, i] == 1].sum()) for i in range(3)]
            corners = ", ".join(f"all {c} {percent(s)}" for c, s in zip(self.categories, alone))
            told.append(f"{name}: {corners}, split {percent(max(float(share.sum()) - sum(alone), 0.0))}.")
        return f"Triangles with discs; corners are {', '.join(self.categories)}. {' '.join(told)}"
