import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from comoderate.calibration import Beta, base_rate, correct_prior, shift_prior
from comoderate.metrics import brier_score, estimate, expected_calibration_error


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


@settings(max_examples=5)
@given(st.integers(0, 300), st.floats(0.05, 0.5))
def test_expectation_and_maximisation_ends_there(seed, source):
    q = np.random.default_rng(seed).beta(0.5, 2, 50)
    prior = source
    for _ in range(1000):
        prior = shift_prior(q, source_prior=source, target_prior=prior).mean()
    assert correct_prior(q, source_prior=source).prior == pytest.approx(prior, abs=3e-3)


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


@pytest.mark.slow
def test_tweets_resampled_to_other_base_rates(shared):
    frame = pd.read_csv(shared / "data" / "davidson" / "labeled_data.csv")
    y = (frame["class"] == 0).to_numpy(float)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(y))
    train, held, rest = np.split(order, [10_000, 16_000])
    words = TfidfVectorizer(min_df=3, sublinear_tf=True).fit(frame["tweet"].iloc[train])
    model = LogisticRegression(max_iter=300).fit(words.transform(frame["tweet"].iloc[train]), y[train])
    p = model.predict_proba(words.transform(frame["tweet"]))[:, 1]
    source = y[held].mean()
    q = Beta().fit(p[held], y[held]).predict(p[rest])
    positive, negative = np.flatnonzero(y[rest] == 1), np.flatnonzero(y[rest] == 0)
    for prior in (0.01, 0.20):
        most = min(len(negative), int(len(positive) * (1 - prior) / prior))
        wanted = round(most * prior / (1 - prior))
        chosen = np.concatenate(
            [rng.choice(positive, wanted, replace=False), rng.choice(negative, most, replace=False)]
        )
        fixed = correct_prior(q[chosen], source_prior=source)
        labels = y[rest][chosen]
        assert abs(fixed.prior - prior) < 0.3 * abs(source - prior)
        assert expected_calibration_error(labels, fixed.proba) < 0.5 * expected_calibration_error(labels, q[chosen])
        assert brier_score(labels, fixed.proba) < brier_score(labels, q[chosen])
