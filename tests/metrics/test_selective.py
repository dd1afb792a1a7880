import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.strategies import posts

import comoderate.metrics as m


@given(posts(), st.floats(0.01, 1.0))
def test_the_link_to_collaborative_accuracy(data, coverage):
    y, p, u, _ = data
    k = np.floor(len(y) * (1 - coverage) + 1e-9)
    risk = m.risk_at_coverage(y, p, u, coverage=coverage)
    pair = m.oracle_collaborative_accuracy(y, p, u, review_fraction=1 - coverage)
    left = 1 - k / len(y)
    np.testing.assert_allclose(pair, 1 - left * np.nan_to_num(risk), atol=1e-9)


@given(posts(max_size=8))
def test_the_area_is_the_integral_of_the_risk(data):
    y, p, u, w = data
    w = w + 1e-3 * np.pi
    coverage = (np.arange(40_000) + 0.5) / 40_000
    risk = m.risk_at_coverage(y, p, u, coverage=coverage, sample_weight=w)
    np.testing.assert_allclose(m.area_under_risk_coverage(y, p, u, sample_weight=w), risk.mean(), atol=1e-3)


@given(posts(whole=True))
def test_whole_weights_equal_repeated_rows(data):
    y, p, u, w = data
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    if len(rows) == 0:
        return
    a = m.area_under_risk_coverage(y, p, u, sample_weight=w)
    np.testing.assert_allclose(a, m.area_under_risk_coverage(y[rows], p[rows], u[rows]), atol=1e-9)


def test_a_score_that_knows_the_errors_has_the_least_area():
    rng = np.random.default_rng(0)
    p = rng.random(500)
    y = rng.random(500) < p
    wrong = ((p > 0.5) != y).astype(float)
    best = m.area_under_risk_coverage(y, p, wrong)
    assert best < m.area_under_risk_coverage(y, p, p * (1 - p)) < m.area_under_risk_coverage(y, p, 1 - wrong)
    assert np.isnan(m.area_under_risk_coverage([1], [0.5], [1], sample_weight=[0]))
    assert np.isnan(m.risk_at_coverage([1], [0.5], [1], coverage=0.0))
