import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.metrics import oracle_collaborative_accuracy
from comoderate.review import ExpectedCost, ExpectedError, Uncertainty, rank

P = np.array([0.1, 0.4, 0.6, 0.95])


def test_expected_error_is_uncertainty_where_nothing_is_calibrated():
    p = np.random.default_rng(0).random(50)
    np.testing.assert_array_equal(rank(ExpectedError().score(p)), rank(Uncertainty().score(p)))


def test_expected_error_uses_the_threshold_on_raw_and_the_calibrated_probability():
    got = ExpectedError().score(P, calibrated=P / 2, threshold=0.3)
    np.testing.assert_allclose(got, [0.05, 0.8, 0.7, 0.525])


@given(st.integers(0, 1000), st.floats(0.05, 0.95))
def test_no_order_has_a_better_expected_accuracy(seed, fraction):
    rng = np.random.default_rng(seed)
    p, q = rng.random(30), rng.random(30)
    yes, no = np.ones(30), np.zeros(30)
    doubled = np.concatenate([p, p])
    labels, weight = np.concatenate([yes, no]), np.concatenate([q, 1 - q])

    def value(u):
        both = np.concatenate([u, u])
        return oracle_collaborative_accuracy(labels, doubled, both, review_fraction=fraction, sample_weight=weight)

    best = value(ExpectedError().score(p, calibrated=q))
    assert all(best >= value(u) - 1e-9 for u in (p, -p, p * (1 - p), rng.random(30)))


def test_cost_weighs_both_mistakes_and_time():
    strategy = ExpectedCost(missed=10.0, removed=1.0, minute=0.5)
    np.testing.assert_allclose(strategy.score(P), [0.5, 3.5, -0.1, -0.45])
    np.testing.assert_allclose(strategy.score(P, minutes=[1, 2, 1, 1]), [0.5, 3.0, -0.1, -0.45])
    quick = ExpectedCost(missed=10.0, removed=1.0, minute=0.5, per_minute=True)
    np.testing.assert_allclose(quick.score(P, minutes=[1, 2, 1, 1]), [0.5, 1.5, -0.1, -0.45])
    with pytest.raises(ValueError, match="minutes"):
        strategy.score(P, minutes=[0, 1, 1, 1])
