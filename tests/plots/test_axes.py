import pytest
from matplotlib.figure import Figure

from comoderate.plots.axes import legend_above, legend_height, log_percent_axis, percent_axis, rows_of_names


@pytest.fixture
def ax():
    return Figure().subplots()


def test_shares_are_written_as_percentages(ax):
    ax.set_ylim(-0.1, 0.25)
    percent_axis(ax, "y")
    ax.figure.draw_without_rendering()
    texts = [t.get_text() for t in ax.get_yticklabels()]
    assert {"−10", "0", "10", "20"} <= set(texts)


def test_a_log_axis_has_round_percentages(ax):
    ax.plot([0.001, 0.2], [0, 1])
    log_percent_axis(ax)
    ax.figure.draw_without_rendering()
    assert {"0.1", "1", "10", "20"} <= {t.get_text() for t in ax.get_xticklabels()}


def test_the_first_name_is_on_top(ax):
    rows_of_names(ax, ["a", "b"])
    assert ax.get_ylim() == (1.5, -0.5)


def test_no_legend_where_there_is_nothing_to_tell_apart(ax):
    legend_above(ax)
    assert ax.get_legend() is None
    assert legend_height(4, columns=2) == legend_height(2)
