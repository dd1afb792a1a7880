import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from comoderate.plots import SimplexDisplay


@given(arrays(np.int64, st.tuples(st.integers(1, 40), st.just(3)), elements=st.integers(0, 4)))
def test_shares_of_places_sum_to_one(counts):
    where, share = SimplexDisplay({"v": counts}, ["a", "b", "c"]).places("v")
    answered = (counts.sum(axis=1) > 0).any()
    assert share.sum() == pytest.approx(1.0 if answered else 0.0)
    np.testing.assert_allclose(where.sum(axis=1), 1.0, atol=1e-5)


def test_unanimous_and_split_posts_are_told():
    text = SimplexDisplay({"v": [[3, 0, 0], [0, 2, 0], [1, 1, 1], [0, 0, 0]]}, ["a", "b", "c"]).describe()
    assert "all a 33.3 %, all b 33.3 %, all c 0 %, split 33.3 %." in text


def test_bad_counts_are_refused():
    with pytest.raises(ValueError, match="three categories"):
        SimplexDisplay({"v": [[1, 2, 3]]}, ["a", "b"])
    with pytest.raises(ValueError, match="shape"):
        SimplexDisplay({"v": [[1, 2]]}, ["a", "b", "c"])
    with pytest.raises(ValueError, match="at least 0"):
        SimplexDisplay({"v": [[1, -2, np.nan]]}, ["a", "b", "c"])
    with pytest.raises(ValueError, match="at least one panel"):
        SimplexDisplay({}, ["a", "b", "c"])
