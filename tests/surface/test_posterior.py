import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from comoderate.surface.posterior import Posterior, pool_draws, shortest

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


def test_pools_are_made_of_whole_examples():
    draws = np.full((1, 200), 0.5)
    pool = pool_draws(draws, np.array([2.0]), np.array([2.0]), np.array([4.0]))
    assert set(np.unique(pool)) == {0.5, 0.75, 1.0}
    assert np.array_equal(pool_draws(draws, np.zeros(1), np.zeros(1), np.zeros(1)), draws)
