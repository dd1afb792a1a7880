import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from comoderate.models import uncertainty

matrices = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.floats(0, 1))


@given(matrices)
def test_the_parts_of_the_total(p):
    found = uncertainty.of_members(p, members=True)
    assert found.proba == pytest.approx(p.mean(axis=1))
    assert found.total == pytest.approx(found.proba * (1 - found.proba))
    assert found.aleatoric == pytest.approx((p * (1 - p)).mean(axis=1))
    assert found.epistemic == pytest.approx(p.var(axis=1), abs=1e-12)
    assert (found.epistemic <= found.total).all()
    assert np.isnan(found.mutual_information).all() == (p.shape[1] == 1)
    assert found.members is not None
    if p.shape[1] > 1:
        assert (found.mutual_information >= 0).all()
        assert (found.mutual_information <= np.log(2) + 1e-9).all()


def test_members_that_agree_leave_nothing_to_learn():
    found = uncertainty.of_members([[0.5, 0.5]])
    assert found.epistemic[0] == 0
    assert found.mutual_information[0] == 0
    apart = uncertainty.of_members([[0.0, 1.0]])
    assert apart.aleatoric[0] == 0
    assert apart.mutual_information[0] == pytest.approx(np.log(2))


def test_a_single_probability_has_a_total_only():
    found = uncertainty.of_single([0.2, 1.0])
    assert found.total == pytest.approx([0.16, 0])
    assert np.isnan([found.aleatoric, found.epistemic, found.mutual_information, found.logit_variance]).all()
    assert found.members is None
    assert uncertainty.of_single([0.2], members=True).members.shape == (1, 1)


@pytest.mark.parametrize("wrong", [[0.5], np.zeros((2, 0))])
def test_shapes(wrong):
    with pytest.raises(ValueError, match="shape"):
        uncertainty.of_members(wrong)


@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (2.0, 0.25), (-1.0, 9.0), (5.0, 0.0)])
def test_quadrature_against_draws(mean, variance):
    draws = 1 / (1 + np.exp(-np.random.default_rng(0).normal(mean, np.sqrt(variance), 400_000)))
    assert uncertainty.within_gaussian(mean, variance) == pytest.approx(draws.var(), abs=6e-4)
    found = uncertainty.of_gaussians([[mean]], [[variance]])
    assert found.proba[0] == pytest.approx(draws.mean(), abs=0.02)


def test_gaussian_members_add_up():
    mean, variance = np.array([[0.0, 1.0, -2.0]]), np.array([[0.5, 0.1, 0.0]])
    found = uncertainty.of_gaussians(mean, variance, factor=0.1, members=True)
    p = 1 / (1 + np.exp(-mean / np.sqrt(1 + 0.1 * variance)))
    assert found.members == pytest.approx(p)
    assert found.epistemic == pytest.approx(p.var(axis=1) + uncertainty.within_gaussian(mean, variance).mean(axis=1))
    assert found.logit_variance == pytest.approx(variance.mean() + mean.var())
    assert found.total == pytest.approx(found.aleatoric + found.epistemic)
