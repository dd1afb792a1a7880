"""How axes are labelled, the same in all figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.22


def percent_axis(ax: Axes, axis: Literal["x", "y"]) -> None:
    """Write shares as percentages, with as many decimals as the ticks need."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    one = ax.xaxis if axis == "x" else ax.yaxis
    one.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    one.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6):g}".replace("-", "\N{MINUS SIGN}")))


def log_percent_axis(ax: Axes) -> None:
    """A logarithmic x axis of shares, written as percentages (0.1, 1, 10)."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6):g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.minorticks_off()


def legend_above(ax: Axes, *, columns: int = 1) -> None:
    """The legend over the axes, where it hides no data; none where there is nothing to tell apart."""
    handles, names = ax.get_legend_handles_labels()
    if handles:
        ax.legend(handles, names, loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, borderaxespad=0.3)


def legend_height(entries: int, *, columns: int = 1) -> float:
    """Height in inches that a legend of so many entries takes."""
    return -(-entries // columns) * _ROW


def rows_of_names(ax: Axes, names: list[str]) -> None:
    """A categorical y axis, the first name on top, without tick marks."""
    ax.set_yticks(range(len(names)), labels=names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
