"""The look of every figure: colour-blind safe, readable on a phone, the same bytes on every run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

INK, MUTED, GRID, PAPER = "#1a1a1a", "#6b6b6b", "#d9d9d9", "#ffffff"
# The palette of Okabe and Ito (2008), without its yellow, which is too pale on white; told apart by people with any
# of the common colour deficiencies. Lines also differ in style and points in shape.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
STYLES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))
MARKERS = ("o", "s", "D", "^", "v", "P", "X")

_RC: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.unicode_minus": True,
    "figure.facecolor": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "hatch.color": MUTED,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "lines.linewidth": 1.7,
    "lines.markersize": 5.5,
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "comoderate",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 9.5,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 9.5,
}
_LOCK = RLock()


@contextmanager
def house_style() -> Iterator[None]:
    """Matplotlib's settings as ours inside the block, as they were after it.

    The settings are global to the process, so only one thread at a time draws.
    """
    import matplotlib

    with _LOCK, matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(_RC)
        yield


def colour(index: int) -> str:
    """The palette's colour for the ``index``-th series; it starts again after the last."""
    return COLOURS[index % len(COLOURS)]


def line_style(index: int) -> Any:
    """Matplotlib's line style for the ``index``-th series."""
    return STYLES[index % len(STYLES)]


def marker(index: int) -> str:
    """Matplotlib's marker for the ``index``-th series."""
    return MARKERS[index % len(MARKERS)]
