import numpy as np
import pytest

from comoderate.plots import Band, BandDisplay


def test_first_and_last_values_are_told():
    display = BandDisplay(
        [Band("ours", [0.001, 0.1], [0.9, 0.95], [0.89, 0.94], [0.91, 0.96]), Band("none", [0.01], [np.nan])],
        x_label="posts read (%)", y_label="accuracy (%)", y_percent=True, x_scale="log-percent",
    )  # fmt: skip
    assert "ours: 90.0 % (89.0 to 91.0) at 0.1 %, then 95.0 % (94.0 to 96.0) at 10 %." in display.describe()
    assert "none: undefined throughout." in display.describe()


def test_colours_and_styles_can_be_shared():
    curves = [Band("a", [1, 2], [1, 2], hue=0, style=0), Band("b", [1, 2], [2, 3], hue=0, style=1)]
    lines = BandDisplay(curves, x_label="x", y_label="y").plot().axes[0].lines
    assert lines[0].get_color() == lines[1].get_color()
    assert lines[0].get_linestyle() != lines[1].get_linestyle()


def test_an_unknown_scale_is_refused():
    with pytest.raises(ValueError, match="x_scale must be"):
        BandDisplay([], x_label="x", y_label="y", x_scale="cubic")


def test_one_curve_needs_no_legend():
    axes = BandDisplay([Band("a", [1, 2], [1, 2])], x_label="x", y_label="y").plot().axes[0]
    assert axes.get_legend() is None
