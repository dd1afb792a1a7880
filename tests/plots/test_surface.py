import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from comoderate.plots import HeatmapDisplay, QuantileDisplay


def test_few_labels_are_in_brackets_and_unknown_cells_empty():
    display = HeatmapDisplay([[0.5, np.nan], [0.9, 0.8]], ["a", "b"], ["x", "y"], few=[[True, False], [False, False]])
    assert sorted(t.get_text() for t in display.plot().axes[0].texts) == ["(50)", "80", "90"]
    assert "a and x 50.0 %" in display.describe()


def test_shapes_must_match():
    with pytest.raises(ValueError, match=r"shape \(1, 2\)"):
        HeatmapDisplay([[0.5]], ["a"], ["x", "y"])


def test_nothing_known_is_said():
    display = HeatmapDisplay([[np.nan]], ["a"], ["x"])
    assert display.describe() == "A grid of accuracy, all unknown."
    display.plot()


@given(arrays(np.float64, st.integers(1, 50), elements=st.floats(0, 1)), st.floats(0.01, 1))
def test_quantiles_equal_numpys(values, share):
    display = QuantileDisplay({"s": values})
    assert display.at("s", share) == np.quantile(values, share, method="inverted_cdf")
    assert display.mean("s") == pytest.approx(values.mean(), abs=1e-12)


def test_whole_weights_equal_repeated_arms():
    values, weight = np.array([0.2, 0.9, 0.5]), np.array([1, 3, 2])
    weighted = QuantileDisplay({"s": values}, weights={"s": weight})
    repeated = QuantileDisplay({"s": np.repeat(values, weight)})
    assert weighted.mean("s") == pytest.approx(repeated.mean("s"))
    assert [weighted.at("s", q / 10) for q in range(1, 11)] == [repeated.at("s", q / 10) for q in range(1, 11)]
