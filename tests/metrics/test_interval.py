import numpy as np
import pytest
from hypothesis import given
from tests.metrics.strategies import posts

import comoderate.metrics as m
from comoderate.metrics.interval import interval_of
from comoderate.metrics.prepared import weighted_form

METRICS = [m.auroc, m.average_precision, m.accuracy, m.precision, m.recall, m.f1]
OF_THE_PAIR = [
    m.oracle_collaborative_accuracy,
    m.oracle_collaborative_auroc,
    m.oracle_collaborative_average_precision,
    m.oracle_collaborative_f1,
    m.review_efficiency,
    m.review_effectiveness,
    m.collaboration_curves,
]


@given(posts())
def test_presorted_replicates_equal_calls_one_by_one(data):
    y, p, u, w = data
    for fn in METRICS:
        np.testing.assert_array_equal(weighted_form(fn, y, p)(w), fn(y, p, sample_weight=w))
    for fn in OF_THE_PAIR:
        options = {"review_fraction": [0.1, 0.5], "threshold": 0.3}
        presorted = weighted_form(fn, y, p, u, **options)(w)
        np.testing.assert_array_equal(presorted, fn(y, p, u, sample_weight=w, **options))


def sample(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < p, p


def test_an_interval_holds_the_value_and_is_repeatable():
    y, p = sample()
    first = m.estimate(m.auroc, y, p, random_state=3)
    assert first.low < first.value < first.high
    assert first == m.estimate(m.auroc, y, p, random_state=3)
    assert (first.n, first.n_effective, first.reason) == (400, 400.0, None)


def test_a_vector_gives_a_list_that_shares_replicates():
    y, p = sample()
    both = m.estimate(m.oracle_collaborative_accuracy, y, p, p, review_fraction=[0.1, 0.2], random_state=1)
    one = m.estimate(m.oracle_collaborative_accuracy, y, p, p, review_fraction=0.2, random_state=1)
    assert both[1] == one
    assert [e.value for e in m.estimate(m.best_f1, y, p, replicates=20)] == list(m.best_f1(y, p))
    curves = m.estimate(m.collaboration_curves, y, p, p, review_fraction=[0.1, 0.2], replicates=20)
    assert len(curves) == 10


def test_given_replicates_are_used_as_they_are():
    y, p = sample(50)
    vectors = [np.ones(50), np.arange(50.0)]
    got = m.estimate(m.accuracy, y, p, replicates=iter(vectors), level=0.5)
    values = [m.accuracy(y, p, sample_weight=v) for v in vectors]
    assert got.se == pytest.approx(np.std(values, ddof=1))
    with pytest.raises(ValueError, match="cluster"):
        m.estimate(m.accuracy, y, p, replicates=vectors, cluster=np.arange(50))


def test_clusters_widen_the_interval():
    y, p = sample(100)
    y, p, author = np.repeat(y, 5), np.repeat(p, 5), np.repeat(np.arange(100), 5)
    alone = m.estimate(m.accuracy, y, p, random_state=0)
    together = m.estimate(m.accuracy, y, p, random_state=0, cluster=author)
    assert together.se > 1.7 * alone.se


def test_what_is_undefined_says_why():
    nothing = m.estimate(m.auroc, np.ones(9), np.full(9, 0.5), replicates=10)
    assert np.isnan(nothing.value)
    assert "negative" in nothing.reason
    y = np.zeros(30)
    y[0] = 1
    some = m.estimate(m.auroc, y, np.linspace(0, 1, 30), replicates=100, random_state=0)
    assert "left out" in some.reason
    always = m.estimate(m.auroc, y, np.linspace(0, 1, 30), replicates=[np.zeros(30)] * 3)
    assert always.reason == "no usable replicates"


def test_methods_and_levels():
    y, p = sample()
    widths = [np.diff(interval_of(0.5, p, level=level, method="normal"))[0] for level in (0.5, 0.9)]
    assert widths[0] < widths[1]
    basic = m.estimate(m.auroc, y, p, method="basic", random_state=0)
    percentile = m.estimate(m.auroc, y, p, random_state=0)
    assert basic.low == pytest.approx(2 * basic.value - percentile.high)
    for bad in ({"level": 1.0}, {"method": "magic"}):
        with pytest.raises(ValueError):
            m.estimate(m.auroc, y, p, replicates=5, **bad)


def test_any_function_of_weights_can_be_estimated():
    def weighted_mean(x, *, sample_weight):
        return float(np.average(x, weights=sample_weight))

    x = np.random.default_rng(0).normal(size=500)
    got = m.estimate(weighted_mean, x, replicates=400, random_state=0)
    assert got.se == pytest.approx(x.std() / np.sqrt(500), rel=0.15)
    with pytest.raises(ValueError, match="array"):
        m.estimate(weighted_mean)


@pytest.mark.slow
def test_intervals_cover():
    rng = np.random.default_rng(5)
    truth_y, truth_p = sample(400_000, seed=9)
    truth_u = truth_p * (1 - truth_p)
    fractions = [0.05, 0.2]
    truth = np.concatenate(m.collaboration_curves(truth_y, truth_p, truth_u, review_fraction=fractions))
    hits, rounds = np.zeros(len(truth)), 300
    for _ in range(rounds):
        p = rng.random(300)
        y = rng.random(300) < p
        got = m.estimate(
            m.collaboration_curves, y, p, p * (1 - p), review_fraction=fractions, replicates=200, random_state=rng
        )
        hits += [e.covers(t) for e, t in zip(got, truth)]
    assert (hits / rounds > 0.91).all(), hits / rounds
