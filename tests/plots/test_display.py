import subprocess
import sys

import pytest
from matplotlib.figure import Figure

from comoderate.plots import PrevalenceDisplay, ReviewCurveDisplay


def test_every_display_is_described_and_labelled(maker):
    display = maker("name of it")
    assert display.describe().endswith(".")
    figure = display.plot()
    assert display.title
    labelled = [ax for ax in figure.axes if ax.get_xlabel() or ax.get_title()]
    assert labelled or all(not ax.axison for ax in figure.axes)


def test_every_display_draws_on_given_axes(maker):
    display = maker("a")
    figure = Figure()
    axes = list(figure.subplots(display.panels, 1, squeeze=False).ravel())
    assert display.plot(axes if display.panels > 1 else axes[0]) is figure


def test_a_display_refuses_the_wrong_number_of_axes(reviewed):
    display = ReviewCurveDisplay(reviewed)
    with pytest.raises(ValueError, match="3 panels, but 1 axes"):
        display.plot(Figure().subplots())


def test_drawing_leaves_the_settings_of_others_alone(maker):
    import matplotlib

    before = dict(matplotlib.rcParams)
    maker("a").svg()
    assert dict(matplotlib.rcParams) == before


def test_notebooks_show_an_svg():
    assert PrevalenceDisplay(["a"], [0.1], [0.0], [0.2])._repr_svg_().startswith("<svg")


def test_importing_plots_imports_no_matplotlib():
    code = "import sys, comoderate.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
