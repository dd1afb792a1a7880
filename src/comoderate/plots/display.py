"""What every display is: data kept, drawn by ``plot``, told by ``describe``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from comoderate.plots.style import house_style
from comoderate.plots.svg import to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display(ABC):
    """A figure in waiting, in the manner of scikit-learn's displays.

    The constructor checks and stores arrays; nothing is drawn, and Matplotlib is not imported, before ``plot``.
    """

    title: str = ""
    width: float = 4.8

    @property
    def panels(self) -> int:
        """How many axes the figure has, one below the other unless ``columns`` says otherwise."""
        return 1

    @property
    def columns(self) -> int:
        """How many panels stand side by side."""
        return 1

    @property
    @abstractmethod
    def height(self) -> float:
        """Height of the figure in inches (its width is ``width``)."""

    @abstractmethod
    def _draw(self, ax: Axes, panel: int) -> None:
        """Draw one panel."""

    @abstractmethod
    def describe(self) -> str:
        """What the figure shows, in words: the text for those who can't see it."""

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Figure:
        """Draw on ``ax`` (one axes a panel), or on a new figure.

        Args:
            ax: axes to draw on; a sequence where the display has several panels.

        Raises:
            ValueError: not as many axes as the display has panels.
        """
        with house_style():
            axes = self._axes(ax)
            for panel, one in enumerate(axes):
                self._draw(one, panel)
        return cast("Figure", axes[0].get_figure(root=True))

    def _axes(self, ax: Axes | Sequence[Axes] | None) -> list[Axes]:
        """The axes to draw on, new ones where none were given."""
        if ax is None:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(self.width, self.height), layout="constrained")
            rows = -(-self.panels // self.columns)
            grid = figure.subplots(rows, self.columns, squeeze=False).ravel()
            for spare in grid[self.panels :]:
                spare.remove()
            return list(grid[: self.panels])
        axes = list(ax) if isinstance(ax, Sequence) else [ax]
        if len(axes) != self.panels:
            raise ValueError(f"this display has {self.panels} panels, but {len(axes)} axes were given")
        return axes

    def svg(self, *, name: str = "figure", themed: bool = False) -> str:
        """The figure as an SVG element with title and description; see :func:`comoderate.plots.to_svg`."""
        return to_svg(self.plot(), name=name, title=self.title, description=self.describe(), themed=themed)

    def _repr_svg_(self) -> str:
        """How notebooks show a display."""
        return self.svg()
