import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.review.stream import review_stream


@given(st.integers(0, 60), st.integers(0, 500), st.integers(0, 8), st.one_of(st.none(), st.integers(0, 3)))
def test_days_by_loops(n, seed, capacity, max_wait):
    rng = np.random.default_rng(seed)
    arrival, score, aging = rng.integers(0, 8, n), rng.random(n), float(rng.integers(0, 2))
    got = review_stream(arrival, score, capacity=capacity, max_wait=max_wait, aging=aging, n_days=10)
    read_on, waiting = np.full(n, -1), set()
    for day in range(10):
        waiting |= set(np.flatnonzero(arrival == day).tolist())
        late = {i for i in waiting if max_wait is not None and day - arrival[i] > max_wait}
        waiting -= late
        assert got.expired[day] == len(late)
        chosen = sorted(waiting, key=lambda i: -(score[i] + aging * (day - arrival[i])))[:capacity]
        read_on[chosen] = day
        waiting -= set(chosen)
        assert got.read[day] == len(chosen)
        assert got.backlog[day] == len(waiting)
    np.testing.assert_array_equal(got.day, read_on)
    np.testing.assert_allclose(got.waited, np.where(read_on >= 0, read_on - arrival, np.nan))


def test_aging_trades_score_for_waiting():
    rng = np.random.default_rng(0)
    arrival, score = np.repeat(np.arange(20), 10), rng.random(200)
    by_score = review_stream(arrival, score, capacity=8)
    oldest = review_stream(arrival, score, capacity=8, aging=10.0)
    assert np.nanmax(oldest.waited) > np.nanmean(by_score.waited)
    assert score[by_score.day >= 0].mean() > score[oldest.day >= 0].mean()
    assert np.isnan(oldest.waited).sum() == oldest.backlog[-1]


def test_a_capacity_a_day_and_bad_input():
    got = review_stream([0, 0, 1], [1.0, 2.0, 3.0], capacity=[1, 5])
    np.testing.assert_array_equal(got.day, [1, 0, 1])
    for bad in ({"arrival": [-1]}, {"capacity": -1}, {"aging": -1.0}):
        arguments = {"arrival": [0], "capacity": 1, "aging": 0.0} | bad
        with pytest.raises(ValueError, match="negative"):
            review_stream(arguments["arrival"], [1.0], capacity=arguments["capacity"], aging=arguments["aging"])


def test_posts_that_are_read_twice_take_two_places():
    got = review_stream([0, 0, 0, 1], [4.0, 3.0, 2.0, 1.0], capacity=3, readings=[2, 2, 1, 1])
    np.testing.assert_array_equal(got.day, [0, 1, 1, -1])
    np.testing.assert_array_equal(got.read, [1, 2])
    with pytest.raises(ValueError, match="readings"):
        review_stream([0], [1.0], capacity=1, readings=[2])
