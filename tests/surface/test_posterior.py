import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from comoderate.surface.posterior import Posterior, nearest, pool_draws, shortest

counts = st.floats(0.05, 3000)


@given(counts, counts)
def test_beta_on_a_grid_is_the_beta_distribution(a, b):
    p = Posterior.beta(np.array([a]), np.array([b]))
    assert p.mean[0] == pytest.approx(a / (a + b), abs=2e-3)
    assert p.variance[0] == pytest.approx(beta.var(a, b), rel=0.03, abs=1e-5)
    quantiles = beta.ppf([0.1, 0.5, 0.9], a, b)
    draws = p.draws(1000)[0]
    assert np.quantile(draws, [0.1, 0.5, 0.9]) == pytest.approx(quantiles, abs=0.01)


def test_probability_below_a_threshold():
    p = Posterior.beta(np.array([8.0, 3.0]), np.array([2.0, 3.0]))
    assert p.below(0.7) == pytest.approx(beta.cdf(0.7, [8, 3], [2, 3]), abs=0.01)
    assert p.below(0.0) == pytest.approx(0, abs=1e-6)
    assert p.below(1.0) == pytest.approx(1, abs=1e-6)


@given(st.lists(st.floats(0, 1), min_size=5, max_size=60), st.floats(0.05, 0.99))
def test_shortest_interval_equals_trying_all(values, level):
    low, high = shortest(np.array([values]), level)
    ordered, inside = sorted(values), int(np.ceil(level * len(values)))
    best = min(ordered[i + inside - 1] - ordered[i] for i in range(len(values) - inside + 1))
    assert high[0] - low[0] == pytest.approx(best)
    assert sum(low[0] <= v <= high[0] for v in values) >= inside


@given(st.lists(st.integers(0, 6), min_size=5, max_size=60), st.floats(0.05, 0.99))
def test_on_a_lattice_the_nearest_interval_is_the_best_or_one_end_less(values, level):
    drawn = np.array([values], dtype=float)
    low, high = shortest(drawn, level)

    def held(bottom, top):
        return np.mean([bottom <= v <= top for v in values])

    equal = [held(v, v + high[0] - low[0]) for v in set(values)]
    assert held(low[0], high[0]) == pytest.approx(max(equal))
    bottom, top = nearest(drawn, level)
    assert low[0] <= bottom[0] <= top[0] <= high[0]
    assert abs(held(bottom[0], top[0]) - level) <= abs(held(low[0], high[0]) - level) + 1e-9


@given(st.lists(st.floats(0, 1), min_size=40, max_size=60, unique=True), st.sampled_from([0.5, 0.8, 0.95]))
def test_where_all_draws_differ_nearest_is_within_one_draw_of_shortest(values, level):
    drawn = np.array([values])
    (low, high), (bottom, top) = shortest(drawn, level), nearest(drawn, level)
    assert low[0] <= bottom[0] <= top[0] <= high[0]
    assert abs(np.mean((bottom <= drawn) & (drawn <= top)) - level) <= 0.5 / len(values) + 1e-9


def test_what_is_known_whole_has_no_width():
    low, high = nearest(np.full((1, 400), 0.75), 0.95)
    assert low[0] == high[0] == 0.75


def test_intervals_of_small_pools_hold_the_level_on_average():
    """Drawn from the very distribution that the intervals are of."""
    rng = np.random.default_rng(0)
    pool = np.repeat(np.arange(6, 16.0), 6)
    rho = np.sort(rng.beta(8, 2, (60, 400)), axis=1)
    truth = rng.binomial(pool.astype(int)[:, None], rng.beta(8, 2, (60, 500))) / pool[:, None]
    draws = pool_draws(rho, np.zeros(60), np.zeros(60), pool)
    held = {}
    for name, ends in (("nearest", nearest(draws, 0.95)), ("shortest", shortest(draws, 0.95))):
        held[name] = np.mean((ends[0][:, None] - 1e-9 <= truth) & (truth <= ends[1][:, None] + 1e-9))
    assert 0.935 <= held["nearest"] <= 0.96 < held["shortest"] - 0.005, held


def test_pools_are_made_of_whole_examples():
    draws = np.full((1, 200), 0.5)
    pool = pool_draws(draws, np.array([2.0]), np.array([2.0]), np.array([4.0]))
    assert set(np.unique(pool)) == {0.5, 0.75, 1.0}
    assert np.array_equal(pool_draws(draws, np.zeros(1), np.zeros(1), np.zeros(1)), draws)
