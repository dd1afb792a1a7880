import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.review import RaterDisagreement, readings, share_read, two_raters_differ, wanted_readings


def test_disagreement_is_given_or_follows_from_soft_labels():
    p = [0.2, 0.4]
    np.testing.assert_allclose(RaterDisagreement().score(p, disagreement=[0.1, 0.3]), [0.1, 0.3])
    np.testing.assert_allclose(RaterDisagreement().score(p, soft=[0.5, 1.0]), [0.5, 0.0])
    np.testing.assert_allclose(two_raters_differ([0.1]), [0.18])
    with pytest.raises(ValueError, match="disagreement"):
        RaterDisagreement().score(p)


def test_doubtful_posts_get_two_readings_within_the_capacity():
    got = readings([2, 0, 1, 3], [0.5, 0.1, 0.4, 0.5], capacity=4)
    np.testing.assert_array_equal(got, [2, 0, 2, 0])
    np.testing.assert_array_equal(readings([0, 1], [0.5, 0.5], capacity=3), [2, 1])
    np.testing.assert_array_equal(readings([0, 1], [0.1, 0.1], capacity=9), [1, 1])


@given(st.integers(1, 30), st.integers(0, 99), st.floats(0, 1))
def test_the_share_read_is_that_of_a_loop_over_readings(n, seed, fraction):
    rng = np.random.default_rng(seed)
    score, times = rng.permutation(n).astype(float), rng.integers(1, 3, n)
    room, read = fraction * n, 0.0
    for post in np.argsort(-score):
        part = min(1.0, room / times[post])
        read, room = read + part, room - part * times[post]
    assert share_read(score, times, review_fraction=fraction)[0] == pytest.approx(min(read / n, 1.0))


@given(st.integers(1, 20), st.integers(0, 99))
def test_readings_weights_and_ties(n, seed):
    rng = np.random.default_rng(seed)
    score, weight = rng.integers(0, 4, n).astype(float), rng.integers(1, 4, n)
    shares = [0.0, 0.2, 0.7, 1.0]
    np.testing.assert_allclose(share_read(score, np.ones(n), review_fraction=shares, sample_weight=weight), shares)
    times = rng.integers(1, 3, n)
    repeated = share_read(np.repeat(score, weight), np.repeat(times, weight), review_fraction=shares)
    np.testing.assert_allclose(share_read(score, times, review_fraction=shares, sample_weight=weight), repeated)
    np.testing.assert_allclose(share_read(score, np.full(n, 2), review_fraction=shares), np.array(shares) / 2)


def test_readings_must_be_positive():
    np.testing.assert_array_equal(wanted_readings([0.1, 0.4, 0.3]), [1, 2, 1])
    with pytest.raises(ValueError, match="positive"):
        share_read([1.0], [0.0], review_fraction=0.5)
