import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from comoderate.calibration import base_rate, correct_prior, shift_prior
from comoderate.metrics import brier_score, estimate


def scores(prior, n, rng):
    """Two normal classes one and a half apart: x, labels, and P(y | x) at base rate .1."""
    y = rng.random(n) < prior
    x = rng.normal(size=n) + 1.5 * y
    up, down = 0.1 * norm.pdf(x - 1.5), 0.9 * norm.pdf(x)
    return y.astype(float), up / (up + down)


@given(st.floats(0.0, 1.0), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_shift_is_undone_by_its_inverse(p, source, target):
    there = shift_prior([p], source_prior=source, target_prior=target)
    np.testing.assert_allclose(shift_prior(there, source_prior=target, target_prior=source), [p], atol=1e-9)


@pytest.mark.parametrize("prior", [0.01, 0.3, 0.7])
def test_the_base_rate_is_found_without_labels(prior):
    y, q = scores(prior, 40_000, np.random.default_rng(0))
    found = correct_prior(q, source_prior=0.1)
    assert found.prior == pytest.approx(prior, abs=0.02)
    assert brier_score(y, found.proba) < brier_score(y, q)


def test_its_interval_covers():
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(40):
        _, q = scores(0.3, 400, rng)
        held += estimate(base_rate, q, source_prior=0.1, replicates=60, random_state=rng).covers(0.3)
    assert held >= 33


def test_whole_weights_equal_repeated_rows():
    rng = np.random.default_rng(0)
    _, q = scores(0.3, 100, rng)
    weight = rng.integers(0, 4, 100)
    a = base_rate(q, source_prior=0.1, sample_weight=weight)
    assert a == pytest.approx(base_rate(np.repeat(q, weight), source_prior=0.1), abs=1e-6)
    assert np.isnan(base_rate([], source_prior=0.1))


def test_priors_must_be_shares():
    with pytest.raises(ValueError, match="source_prior"):
        shift_prior([0.1], source_prior=0.0, target_prior=0.5)
