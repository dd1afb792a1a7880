"""How many posts there were, were in hand, and were drawn, day by day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import column, floats, gaps
from comoderate.plots.axes import legend_above, legend_height
from comoderate.plots.bands import date_axis
from comoderate.plots.display import Display
from comoderate.plots.numbers import count
from comoderate.plots.style import colour

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_LOG_FROM = 30.0


def dated(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a frame whose ``day`` is a date (or text of one in ISO form)."""
    import pandas as pd

    found: pd.DataFrame = frame[pd.to_datetime(frame["day"].astype(str), format="ISO8601", errors="coerce").notna()]
    return found


class DailyVolumeDisplay(Display):
    """Posts a day: all there were, those in hand, those drawn.

    The axis is logarithmic where the largest and the smallest differ by more than a factor of 30. Lines break where
    days are missing.

    Args:
        day: dates (``datetime64`` or ISO text), in any order.
        total, in_hand, drawn: posts on each day.
        title: what is shown.
    """

    def __init__(
        self,
        day: ArrayLike,
        total: ArrayLike,
        in_hand: ArrayLike,
        drawn: ArrayLike,
        *,
        title: str = "Posts a day: all, in hand, drawn",
    ) -> None:
        days = np.asarray(day, dtype="datetime64[D]")
        order, size = np.argsort(days, kind="stable"), len(days)
        self.day, self.title = days[order], title
        self.total = floats(total, "total", size=size)[order]
        self.in_hand = floats(in_hand, "in_hand", size=size)[order]
        self.drawn = floats(drawn, "drawn", size=size)[order]

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> DailyVolumeDisplay:
        """From the frame of totals: day, N, in_hand, drawn. Rows whose day is no ISO date are left out."""
        frame = dated(frame)
        counts = [column(frame, name) for name in ("N", "in_hand", "drawn")]
        return cls(frame["day"].astype(str).to_numpy(dtype=str), *counts)

    @property
    def logarithmic(self) -> bool:
        """Whether the axis of counts is logarithmic."""
        positive = np.concatenate([a[a > 0] for a in (self.total, self.in_hand, self.drawn)])
        return bool(len(positive) and positive.max() / positive.min() > _LOG_FROM)

    @property
    def height(self) -> float:
        """Inches: the axes and the legend."""
        return 2.6 + legend_height(3)

    def _draw(self, ax: Axes, panel: int) -> None:
        series = {"all posts": self.total, "in hand": self.in_hand, "drawn": self.drawn}
        if np.array_equal(self.total, self.in_hand, equal_nan=True):
            series = {"all posts, all in hand": self.total, "drawn": self.drawn}
        for index, (name, counts) in enumerate(series.items()):
            hue, shown = colour(index), np.where(counts > 0, counts, np.nan) if self.logarithmic else counts
            breaks = gaps(self.day)
            days = np.insert(self.day, breaks, self.day[breaks - 1])
            mark, style = "o" if len(self.day) < 3 or len(breaks) else "", ("-", "--", "-")[index]
            points = np.insert(shown, breaks, np.nan)
            ax.plot(days, points, color=hue, linestyle=style, marker=mark, markersize=2.5, label=name)
        if self.logarithmic:
            ax.set_yscale("log")
            ax.yaxis.set_major_formatter(lambda v, _: count(v) if v >= 1 else f"{v:g}")
        else:
            ax.set_ylim(bottom=0)
            ax.yaxis.set_major_formatter(lambda v, _: count(v) if float(v).is_integer() else f"{v:g}")
        date_axis(ax)
        ax.set_xlabel("day")
        ax.set_ylabel("posts a day" + (" (log scale)" if self.logarithmic else ""))
        legend_above(ax)

    def describe(self) -> str:
        """The span of days, the range a day, and the sums."""
        if not len(self.day):
            return "No days."
        span = f"{len(self.day)} days from {self.day[0]} to {self.day[-1]}"
        told = [
            f"{name} {count(float(np.nansum(a)))} in all, {count(float(np.nanmin(a)))} to {count(float(np.nanmax(a)))}"
            " a day"
            for name, a in (("posts:", self.total), ("in hand:", self.in_hand), ("drawn:", self.drawn))
        ]
        return f"{span}; {'; '.join(told)}."
