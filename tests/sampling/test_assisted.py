import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from comoderate.sampling import FirstPhase, assisted_domains, assisted_mean, cross_fitted, hajek_mean


def population(seed=0, n=4000, sharp=2.0):
    generator = np.random.default_rng(seed)
    y = (generator.random(n) < 0.15).astype(float)
    score = 1 / (1 + np.exp(-(sharp * (2 * y - 1) + generator.normal(size=n) - 1)))
    return y, score, generator.integers(0, 8, n)


def draw(seed, y, n=300):
    return np.random.default_rng(seed).permutation(len(y))[:n]


def width(estimate):
    return estimate.high - estimate.low


@given(st.integers(0, 10**6), st.sampled_from(["power", "regression", "difference"]), st.floats(0, 3))
def test_never_wider_than_hajek(seed, tuning, sharp):
    y, score, stratum = population(seed, 1500, sharp)
    n = int(np.random.default_rng(seed).integers(5, 150))
    index = draw(seed, y, n)
    w = np.random.default_rng(seed).uniform(1, 6, n)
    options = {"stratum": stratum[index]}
    got = assisted_mean(y[index], w, score[index], score, tuning=tuning, **options)
    plain = hajek_mean(y[index], w, **options)
    assert got.se <= plain.se * (1 + 1e-9)
    assert width(got) <= 1.03 * width(plain)


def test_two_columns_fit_at_least_as_well_as_one():
    y, score, _ = population()
    index = draw(1, y)
    noise = np.random.default_rng(1).normal(size=len(y))
    both = np.stack([score, noise], axis=1)
    got = assisted_mean(y[index], np.ones(300), both[index], both, tuning="regression")
    one = assisted_mean(y[index], np.ones(300), score[index], score, tuning="regression")
    assert got.se <= one.se * 1.01
    with pytest.raises(ValueError, match="regression"):
        assisted_mean(y[index], np.ones(300), both[index], both)


def test_formula_of_the_difference_estimator():
    y, score, _ = population()
    index = draw(2, y)
    got = assisted_mean(y[index], np.ones(300), score[index], score, tuning="difference")
    assert got.value == pytest.approx(score.mean() + (y[index] - score[index]).mean())
    assert got.method.startswith("difference, factor 1.00")


def test_power_tuning_is_that_of_ppi_plus_plus():
    """Simple random samples: c = cov(y, f) / [var(f) (1 + n / N)], with the error of the unlabelled mean."""
    y, score, _ = population()
    index, other = draw(3, y), draw(4, y, 2000)
    got = assisted_mean(y[index], np.ones(300), score[index], score[other], unlabelled_sample=True)
    covariance = np.cov(y[index], score[index])
    factor = covariance[0, 1] / (covariance[1, 1] + score[other].var() * 300 / 2000)
    mean = y[index].mean() + factor * (score[other].mean() - score[index].mean())
    assert got.value == pytest.approx(mean, rel=1e-3)
    variance = np.var(y[index] - factor * score[index], ddof=1) / 300 + factor**2 * score[other].var() / 2000
    assert got.se == pytest.approx(math.sqrt(variance), rel=0.01)


def test_coverage_and_gain_in_stratified_samples():
    y, score, stratum = population()
    hits, widths = [], []
    for r in range(200):
        index = draw(r, y)
        plain = hajek_mean(y[index], np.ones(300), stratum=stratum[index])
        got = assisted_mean(y[index], np.ones(300), score[index], score, stratum=stratum[index])
        hits.append(got.covers(y.mean()))
        widths.append(width(got) / width(plain))
    assert 0.9 <= np.mean(hits) <= 0.99
    assert np.mean(widths) < 0.65


def test_scores_of_a_scorer_that_saw_the_labels_must_be_cross_fitted():
    """A model with as many features as labels knows these by heart: no interval covers, until it is cross-fitted."""
    generator = np.random.default_rng(0)
    n, labels, folds = 3000, 200, 4
    x = generator.normal(size=(n, 200))
    y = (generator.random(n) < 1 / (1 + np.exp(2.3 - 1.5 * x[:, 0]))).astype(float)
    naive, honest, plain = [], [], []
    for r in range(40):
        index = draw(r, y, labels)
        fold = np.random.default_rng(r).permutation(labels) % folds

        def scores(train, index=index):
            model = LogisticRegression(C=100, max_iter=300).fit(x[index[train]], y[index[train]])
            return model.predict_proba(x)[:, -1]

        seen = scores(np.ones(labels, dtype=bool))
        args = y[index], np.ones(labels)
        naive.append(assisted_mean(*args, seen[index], seen, interval="wald").covers(y.mean()))
        own, everyone = cross_fitted(np.stack([scores(fold != j) for j in range(folds)]), index, fold)
        honest.append(assisted_mean(*args, own, everyone).covers(y.mean()))
        plain.append(hajek_mean(*args).covers(y.mean()))
    assert np.mean(naive) < 0.05
    assert np.mean(honest) >= 0.88
    assert np.mean(plain) >= 0.88


def test_first_phase_error_stays_whatever_the_scorer():
    generator = np.random.default_rng(5)
    y, w = (generator.random(60) < 0.3).astype(float), np.full(60, 20.0)
    phase = FirstPhase(np.zeros(60), np.full(60, 1200), np.full(60, 120))
    options = {"stratum": np.zeros(60), "first_phase": phase}
    perfect = assisted_mean(y, w, y, np.concatenate([y, y]), **options)
    floor = np.sqrt((1 / 120 - 1 / 1200) * y.var(ddof=1))
    assert perfect.se == pytest.approx(floor, rel=1e-6)
    assert perfect.se < hajek_mean(y, w, **options).se


def test_domains():
    y, score, stratum = population()
    index = draw(6, y)
    got = dict(assisted_domains(y[index], np.ones(300), score[index], stratum[index], score, stratum))
    assert list(got) == list(range(8))
    alone = index[stratum[index] == 3]
    single = assisted_mean(y[alone], np.ones(len(alone)), score[alone], score[stratum == 3])
    assert got[3].value == pytest.approx(single.value, rel=0.02)
    with pytest.raises(ValueError, match="no post in domain"):
        assisted_domains(y[index], np.ones(300), score[index], stratum[index], score, np.zeros(len(y)))


def test_a_useless_scorer_changes_nothing():
    y, _, _ = population()
    index = draw(7, y)
    flat = np.full(len(y), 0.5)
    got, plain = assisted_mean(y[index], np.ones(300), flat[index], flat), hajek_mean(y[index], np.ones(300))
    assert (got.value, got.low, got.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_scores_that_repeat_the_labels_raise_a_doubt():
    y, _, _ = population()
    index = draw(8, y)
    got = assisted_mean(y[index], np.ones(300), y[index], y)
    assert "was the scorer trained on these posts" in got.reason
    assert got.high > got.low


def test_unlabelled_posts_and_bad_input():
    got = assisted_mean([1, np.nan, 0, 1], [1, np.nan, 1, 1], [0.9, np.nan, 0.2, 0.8], [0.9, 0.5, 0.2, 0.8])
    assert got.n == 3
    assert assisted_mean([], [], [], [0.5]).reason == "no labelled post"
    for arguments, message in [
        (([1, 0], [1, 1], [0.5], [0.5]), "a row a post"),
        (([1, 0], [1, 1], [0.5, np.nan], [0.5]), "finite"),
        (([1, 0], [1, 1], [0.5, 0.5], []), "at least a row"),
    ]:
        with pytest.raises(ValueError, match=message):
            assisted_mean(*arguments)
    with pytest.raises(ValueError, match="tuning"):
        assisted_mean([1], [1], [1], [1], tuning="magic")
    with pytest.raises(ValueError, match="population_weight"):
        assisted_mean([1, 0], [1, 1], [1, 0], [1, 0], population_weight=[1])


def test_cross_fitted():
    table = np.array([[0.1, 0.2, 0.3], [0.5, 0.6, 0.9]])
    score, everyone = cross_fitted(table, [2, 0], [0, 1])
    np.testing.assert_allclose(score, [0.3, 0.5])
    np.testing.assert_allclose(everyone, [0.5, 0.4, 0.3])
    with pytest.raises(ValueError, match="twice"):
        cross_fitted(table, [0, 0], [0, 1])
    with pytest.raises(ValueError, match="outside"):
        cross_fitted(table, [3], [0])
    with pytest.raises(ValueError, match="whole numbers"):
        cross_fitted(table, [0.0], [0])


@pytest.mark.parametrize("tuning", ["power", "regression", "difference"])
def test_means_of_strata_stand_for_their_posts(tuning):
    y, score, stratum = population(3)
    index = draw(3, y)
    expand = np.linspace(1, 2, 8)  # posts of the world for each in hand
    mean = np.array([score[stratum == h].mean() for h in range(8)])
    options = {"tuning": tuning, "stratum": stratum[index]}
    sums = np.bincount(stratum) * expand
    short = assisted_mean(y[index], expand[stratum[index]], score[index], mean, population_weight=sums, **options)
    whole = assisted_mean(
        y[index], expand[stratum[index]], score[index], score, population_weight=expand[stratum], **options
    )
    np.testing.assert_allclose([short.value, short.low, short.high], [whole.value, whole.low, whole.high], rtol=1e-12)
