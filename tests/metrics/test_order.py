import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics import brute
from tests.metrics.strategies import posts

from comoderate.metrics import reviewed_share
from comoderate.metrics.order import capacity


@given(posts(), st.floats(0, 1))
def test_reviewed_shares_equal_the_slow_twin(data, fraction):
    _, _, u, w = data
    got = reviewed_share(u, review_fraction=fraction, sample_weight=w)
    wanted = brute.share_reviewed(u, fraction, w)
    np.testing.assert_allclose(got[w > 0], wanted[w > 0], atol=1e-9)
    np.testing.assert_allclose(got @ w, capacity(w, np.array([fraction]))[0], atol=1e-9)


def test_tied_posts_are_split_evenly():
    got = reviewed_share(np.array([1.0, 2.0, 2.0, 2.0, 3.0]), review_fraction=0.4)
    np.testing.assert_allclose(got, [0, 1 / 3, 1 / 3, 1 / 3, 1])


def test_capacity_is_whole_where_weights_are():
    assert capacity(np.ones(10), np.array([0.29]))[0] == 2.0
    assert capacity(np.ones(10), np.array([0.3]))[0] == 3.0
    assert capacity(np.full(10, 1.5), np.array([0.29]))[0] == 0.29 * 15.0
