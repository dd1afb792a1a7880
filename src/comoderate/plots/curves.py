"""Which scorer finds what: precision against recall, and true against false positive rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from comoderate.plots.arrays import Floats, column, floats, labels, thin, unique, varying
from comoderate.plots.axes import legend_above, legend_height, percent_axis
from comoderate.plots.display import Display
from comoderate.plots.numbers import percent, share, shorten
from comoderate.plots.style import MUTED, colour, line_style, marker

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Curve:
    """A scorer's curve: a point a threshold.

    Attributes:
        name: the scorer.
        x, y: the two rates, each in [0, 1], in order of the threshold (either way).
    """

    name: str
    x: Floats
    y: Floats


@dataclass(frozen=True)
class Point:
    """One operating point, such as the crowd's, with intervals (NaN where unknown) as (low, high)."""

    name: str
    x: float
    y: float
    x_range: tuple[float, float] = (float("nan"), float("nan"))
    y_range: tuple[float, float] = (float("nan"), float("nan"))


def _measured(part: pd.DataFrame, evaluation: pd.DataFrame) -> dict[str, tuple[float, tuple[float, float]]]:
    """What the evaluation over all posts says of a curve's scorer: value and interval by metric."""
    same = evaluation["domain"] == "all"
    for key in ("target", "sample", "truth", "scorer"):
        same &= evaluation[key] == part[key].iloc[0]
    rows = evaluation[same & evaluation["value"].notna()]
    ends = zip(column(rows, "low").tolist(), column(rows, "high").tolist())
    return dict(zip(rows["metric"].astype(str), zip(column(rows, "value").tolist(), ends)))


class _RateDisplay(Display):
    """Two rates against each other for several scorers, and people as points."""

    kind: ClassVar[str]
    x_name: ClassVar[str]
    y_name: ClassVar[str]
    step: ClassVar[str]
    # The metrics of the evaluation frame that place a point on this plane, where it has them.
    metrics: ClassVar[tuple[str, str]]

    def __init__(
        self,
        curves: Sequence[Curve],
        *,
        points: Sequence[Point] = (),
        chance: float | None = None,
        title: str = "",
    ) -> None:
        self.curves = [Curve(c.name, *self._ascending(c)) for c in curves]
        self.points, self.chance = list(points), chance
        self.title = title or f"{self.y_name} against {self.x_name}"

    @staticmethod
    def _ascending(curve: Curve) -> tuple[Floats, Floats]:
        """The curve from left to right, thinned to what can be seen."""
        x, y = floats(curve.x, f"x of {curve.name}"), floats(curve.y, f"y of {curve.name}", size=len(curve.x))
        return thin(x[::-1], y[::-1]) if len(x) and x[0] > x[-1] else thin(x, y)

    @classmethod
    def _from_frame(
        cls, frame: pd.DataFrame, evaluation: pd.DataFrame | None, people: Sequence[str], title: str
    ) -> tuple[list[Curve], list[Point]]:
        rows = frame[frame["kind"] == cls.kind]
        rows = rows.assign(_name=labels(rows, [*varying(rows, ("target", "sample", "truth")), "scorer"]))
        curves, points = [], []
        for name in unique(rows["_name"].tolist()):
            part = rows[rows["_name"] == name]
            x, y = column(part, "x"), column(part, "y")
            if part["scorer"].iloc[0] in people:
                points += cls._point(name, part, x, y, evaluation)
            else:
                curves.append(Curve(name, x, y))
        return curves, points

    @classmethod
    def _point(
        cls, name: str, part: pd.DataFrame, x: Floats, y: Floats, evaluation: pd.DataFrame | None
    ) -> list[Point]:
        """People's point: as evaluated, with intervals; else the curve's own point at the same recall, or near .5."""
        known = {} if evaluation is None else _measured(part, evaluation)
        if all(metric in known for metric in cls.metrics):
            (x0, x_range), (y0, y_range) = (known[metric] for metric in cls.metrics)
            return [Point(name, x0, y0, x_range, y_range)]
        inner = np.flatnonzero((x > 0) & (x < 1) & np.isfinite(y))
        if not len(inner):
            return []
        recall = known.get("recall", (float("nan"),))[0]
        distance = np.abs((y if cls.metrics[1] == "recall" else x) - recall)
        if np.isnan(recall):
            distance = np.abs(np.nan_to_num(column(part, "threshold"), nan=np.inf) - 0.5)
        at = int(inner[np.argmin(distance[inner])])
        return [Point(name, float(x[at]), float(y[at]))]

    @property
    def height(self) -> float:
        """Inches: nearly square axes and the legend."""
        return 3.7 + legend_height(len(self.curves) + len(self.points) + (self.chance is not None))

    def _draw(self, ax: Axes, panel: int) -> None:
        for index, curve in enumerate(self.curves):
            style: dict[str, Any] = {"color": colour(index), "linestyle": line_style(index)}
            ax.plot(curve.x, curve.y, drawstyle=self.step, label=shorten(curve.name, 48), **style)
        for index, point in enumerate(self.points, start=len(self.curves)):
            shape, hue, name = marker(index), colour(index), shorten(point.name, 48)
            ax.plot([point.x], [point.y], shape, color=hue, label=name, zorder=4, markersize=8)
            ax.plot(point.x_range, [point.y] * 2, color=hue, linewidth=1.3)
            ax.plot([point.x] * 2, point.y_range, color=hue, linewidth=1.3)
        self._finish(ax)

    def _draw_chance(self, ax: Axes) -> None:
        """What a scorer that knows nothing reaches."""
        if self.chance is not None:
            ax.axhline(self.chance, color=MUTED, linewidth=1, linestyle=":", label="scorer that knows nothing")

    def _finish(self, ax: Axes) -> None:
        self._draw_chance(ax)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        for axis in ("x", "y"):
            percent_axis(ax, axis)
        ax.set_xlabel(f"{self.x_name} (%)")
        ax.set_ylabel(f"{self.y_name} (%)")
        legend_above(ax)

    def _at(self, curve: Curve, x: float) -> str:
        inside = np.flatnonzero(curve.x >= x)
        return f"{percent(float(curve.y[inside[0]]))} at {share(x)}" if len(inside) else f"none at {share(x)}"

    def describe(self) -> str:
        """Each curve at a fifth, half and four fifths of the x axis, and each point."""
        told = [f"{c.name}: {', '.join(self._at(c, x) for x in (0.2, 0.5, 0.8))}." for c in self.curves]
        told += [f"{p.name}, one point: {percent(p.y)} at {percent(p.x)}." for p in self.points]
        return f"{self.y_name} at a given {self.x_name.lower()}. {' '.join(told)}"


class PrecisionRecallDisplay(_RateDisplay):
    """Precision against recall; people, who answer yes or no, are a point.

    Args:
        curves: a curve a scorer, x = recall, y = precision.
        points: operating points, such as the volunteers'.
        chance: the share of positives, the precision of a scorer that knows nothing.
        title: what is shown.
    """

    kind = "precision-recall"
    x_name, y_name, step, metrics = "Recall", "Precision", "steps-pre", ("recall", "precision")

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        evaluation: pd.DataFrame | None = None,
        people: Sequence[str] = ("volunteers",),
        chance: float | None = None,
        title: str = "Precision and recall of the scorers",
    ) -> PrecisionRecallDisplay:
        """From the frame of curves; scorers named in ``people`` become points, with intervals from ``evaluation``."""
        curves, points = cls._from_frame(frame, evaluation, people, title)
        return cls(curves, points=points, chance=chance, title=title)


class RocDisplay(_RateDisplay):
    """True positive rate against false positive rate.

    Args:
        curves: a curve a scorer, x = false positive rate, y = true positive rate.
        points: operating points, such as the volunteers'.
        chance: anything but None draws the diagonal of a scorer that knows nothing.
        title: what is shown.
    """

    kind = "roc"
    x_name, y_name, step = "False positive rate", "True positive rate", "default"
    metrics = ("false_positive_rate", "recall")

    def _draw_chance(self, ax: Axes) -> None:
        if self.chance is not None:
            ax.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=":", label="scorer that knows nothing")

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        evaluation: pd.DataFrame | None = None,
        people: Sequence[str] = ("volunteers",),
        title: str = "True and false positive rates of the scorers",
    ) -> RocDisplay:
        """From the frame of curves; scorers named in ``people`` become points."""
        curves, points = cls._from_frame(frame, evaluation, people, title)
        return cls(curves, points=points, chance=0.5, title=title)
