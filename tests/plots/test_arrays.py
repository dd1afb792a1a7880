import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from comoderate.plots.arrays import distinguishing, floats, labels, or_nan, thin, varying


@given(arrays(np.float64, st.integers(2, 300), elements=st.floats(0, 1)))
def test_thinning_keeps_the_ends_and_the_shape(y):
    x = np.linspace(0, 1, len(y))
    thin_x, thin_y = thin(x, y)
    assert (thin_x[0], thin_x[-1]) == (x[0], x[-1])
    assert (thin_y[0], thin_y[-1]) == (y[0], y[-1])
    assert {*zip(thin_x, thin_y)} <= {*zip(x, y)}
    assert np.abs(np.interp(x, thin_x, thin_y) - y).max() <= max(np.ptp(y), 1e-12) / 500 + 1e-9 or len(thin_x) == len(x)


def test_a_million_points_become_few():
    x = np.linspace(0, 1, 1_000_000)
    assert len(thin(x, x**2)[0]) < 1100


def test_sizes_are_checked():
    with pytest.raises(ValueError, match="value has 2 entries, but 3 are needed"):
        floats([1, 2], "value", size=3)
    with pytest.raises(ValueError, match="one dimension, not 2"):
        floats([[1]], "value")
    assert np.isnan(or_nan(None, "low", 2)).all()


def test_labels_say_what_differs():
    frame = pd.DataFrame({"sample": ["a", "a"], "cohort": ["v", "e"], "group": ["all", "all"]})
    assert varying(frame, ("sample", "cohort", "group")) == ["cohort"]
    assert labels(frame, ["cohort", "group"]) == ["v, all", "e, all"]
    assert labels(frame, []) == ["", ""]


def test_a_name_that_another_settles_is_left_out():
    paired = pd.DataFrame({"sample": ["main", "main", "second"], "cohort": ["v", "v", "e"]})
    assert distinguishing(paired, ("sample", "cohort")) == ["cohort"]
    crossed = pd.DataFrame({"sample": ["a", "b", "a"], "cohort": ["v", "v", "e"]})
    assert distinguishing(crossed, ("sample", "cohort")) == ["sample", "cohort"]
    assert distinguishing(paired.head(2), ("sample", "cohort")) == []
