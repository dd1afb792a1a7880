import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from comoderate.sampling import hajek_mean
from comoderate.sampling.intervals import KINDS, limits, quantile


@given(st.integers(1, 49), st.floats(0.5, 0.99))
def test_binomial_kinds_match_statsmodels(hits, level):
    p, n = hits / 50, 50
    se = math.sqrt(p * (1 - p) / n)
    wilson = proportion_confint(hits, n, alpha=1 - level, method="wilson")
    assert limits(p, se, kind="wilson", level=level) == pytest.approx(wilson)
    exact = proportion_confint(hits, n, alpha=1 - level, method="beta")
    assert limits(p, se, kind="beta", level=level) == pytest.approx(exact)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.2), st.sampled_from(KINDS))
def test_limits_enclose_the_value(p, se, kind):
    low, high = limits(p, se, kind=kind, level=0.9, df=12, heaviest=0.001)
    assert low <= p <= high
    if kind != "wald":
        assert 0 <= low <= high <= 1


def test_gamma_is_the_exact_poisson_interval_for_equal_weights():
    hits, n = 3, 10_000
    low, high = limits(hits / n, math.sqrt(hits) / n, kind="gamma", level=0.95, heaviest=1 / n)
    assert low * n == pytest.approx(stats.chi2.ppf(0.025, 6) / 2)
    assert high * n == pytest.approx(stats.chi2.ppf(0.975, 8) / 2)


def test_quantile():
    assert quantile(0.95, math.inf) == pytest.approx(1.959964, abs=1e-5)
    assert quantile(0.95, 5) == pytest.approx(stats.t.ppf(0.975, 5))
    with pytest.raises(ValueError, match="level"):
        quantile(1.0, 5)


def test_limits_hold_where_heavy_posts_hold_hardly_a_positive():
    """A census of flagged posts and a thin sample of the others, where .6 positives are expected."""
    generator, hit, plain = np.random.default_rng(0), [], []
    y_flagged = np.repeat([1.0, 0.0], [40, 960])
    unflagged = np.repeat([1.0, 0.0], [6, 8994])
    truth = (40 + 6) / 10_000
    for _ in range(300):
        y = np.concatenate([y_flagged, generator.permutation(unflagged)[:900]])
        w = np.repeat([1.0, 10.0], [1000, 900])
        options = {"stratum": np.repeat([1, 0], [1000, 900]), "pi": 1 / w}
        hit.append(hajek_mean(y, w, **options, interval="gamma").covers(truth))
        got = hajek_mean(y, w, **options)
        plain.append(got.covers(truth))
        assert y[1000:].sum() >= 3 or got.reason is not None
    assert np.mean(hit) > 0.94
    assert np.mean(plain) > 0.94
