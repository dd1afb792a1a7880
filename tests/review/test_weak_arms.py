import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.review import ExpectedError, WeakArms
from comoderate.review.weak_arms import move_means


@given(st.integers(1, 30), st.integers(0, 500))
def test_each_arm_gets_its_mean_and_keeps_its_order(n, seed):
    rng = np.random.default_rng(seed)
    arm = np.unique(rng.integers(0, 3, n), return_inverse=True)[1]
    error, weight, wanted = rng.uniform(0.01, 0.99, n), rng.exponential(size=n), rng.uniform(0.05, 0.95, 3)[arm]
    moved = move_means(error, wanted, arm, weight)
    for a in range(arm.max() + 1):
        inside = arm == a
        assert np.average(moved[inside], weights=weight[inside]) == pytest.approx(wanted[inside][0], abs=1e-6)
        np.testing.assert_array_equal(np.argsort(moved[inside]), np.argsort(error[inside]))


def test_a_weak_arm_is_read_first():
    p = np.array([0.1, 0.2, 0.1, 0.2])
    score = WeakArms().score(p, arm_accuracy=[0.9, 0.9, 0.5, 0.5], arm=[0, 0, 7, 7])
    assert score[2:].min() > score[:2].max()
    with pytest.raises(ValueError, match="arm_accuracy"):
        WeakArms().score(p)


def test_a_surface_that_agrees_changes_nothing():
    p = np.array([0.1, 0.2, 0.7])
    plain = ExpectedError().score(p)
    got = WeakArms().score(p, arm_accuracy=np.full(3, 1 - plain.mean()))
    np.testing.assert_allclose(got, plain, atol=1e-9)
