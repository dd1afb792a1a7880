"""What review buys: the pair of model and moderators against the share of posts that moderators read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from comoderate.plots.arrays import column, labels, unique, varying
from comoderate.plots.axes import legend_height
from comoderate.plots.bands import Band, BandDisplay
from comoderate.plots.display import Display

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

METRICS = {
    "oracle_collaborative_accuracy": "Right decisions (%)",
    "oracle_collaborative_auroc": "AUROC of the pair",
    "oracle_collaborative_average_precision": "Average precision of the pair",
    "review_efficiency": "Review efficiency (%)",
    "review_effectiveness": "Review effectiveness (%)",
}
_FIXED = {"uncertainty": 0, "toxicity": 1, "random": 2}


def _style(strategy: str, strategies: Sequence[str]) -> int:
    """Solid for uncertainty, dashed for toxicity, as in the paper; others get the styles left over."""
    others = [s for s in strategies if s not in _FIXED]
    return _FIXED[strategy] if strategy in _FIXED else 3 + others.index(strategy)


class ReviewCurveDisplay(Display):
    """Collaborative metrics against the review fraction on a log axis, a panel a metric.

    As in Kivlichan et al. (2021), Figures 2 to 4: a colour a scorer, solid lines for the uncertainty strategy and
    ones for toxicity; here with bands for the intervals. With one scorer, strategies have colours too.

    Args:
        frame: scorer, strategy, review_fraction, metric, value, low, high (and target, sample, truth, which are
            named where they differ). Where it has band_low and band_high, which hold for a whole curve at once, these
            are drawn instead.
        metrics: which metrics, in order; all that the frame holds and this module knows by default.
        title: what is shown.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        metrics: Sequence[str] | None = None,
        title: str = "What review buys",
    ) -> None:
        held = unique(frame["metric"].tolist())
        self.metrics = list(metrics) if metrics is not None else [m for m in METRICS if m in held]
        missing = [m for m in self.metrics if m not in held]
        if missing or not self.metrics:
            raise ValueError(f"the frame holds no metric {missing or list(METRICS)}, only {held}")
        self.title = title
        self._parts = [self._part(frame[frame["metric"] == metric], metric) for metric in self.metrics]

    def _part(self, rows: pd.DataFrame, metric: str) -> BandDisplay:
        keys = varying(rows, ("target", "sample", "truth", "scorer"))
        rows = rows.assign(_who=labels(rows, keys))
        who, strategies = unique(rows["_who"].tolist()), unique(rows["strategy"].tolist())
        ends = ("band_low", "band_high") if "band_low" in rows else ("low", "high")
        curves = []
        for name in who:
            for strategy in strategies:
                part = rows[(rows["_who"] == name) & (rows["strategy"] == strategy)].sort_values("review_fraction")
                if len(part):
                    style = _style(strategy, strategies)
                    hue = who.index(name) if len(who) > 1 else style
                    label = ", ".join(w for w in (name, strategy) if w)
                    x, y, low, high = (column(part, c) for c in ("review_fraction", "value", *ends))
                    curves.append(Band(label, x, y, low, high, hue=hue, style=style))
        label = METRICS.get(metric, metric.replace("_", " "))
        return BandDisplay(
            curves,
            x_label="posts read by moderators (%, log scale)",
            y_label=label,
            y_percent=label.endswith("(%)"),
            x_scale="log-percent",
            title=self.title,
            points=True,
        )

    @property
    def panels(self) -> int:
        """One a metric."""
        return len(self.metrics)

    @property
    def height(self) -> float:
        """Inches: the panels one below the other, one legend."""
        return 2.6 * self.panels + legend_height(len(self._parts[0].curves))

    def _draw(self, ax: Axes, panel: int) -> None:
        self._parts[panel]._draw(ax, 0)
        legend = ax.get_legend()
        if panel and legend is not None:
            legend.remove()

    def describe(self) -> str:
        """First and last value of each curve, a sentence group a panel."""
        return " ".join(part.describe() for part in self._parts)
