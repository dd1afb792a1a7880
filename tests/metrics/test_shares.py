"""Shares of 0 and 1: no interval of no width from a handful of posts."""

from functools import partial

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import comoderate.metrics as m
from comoderate.metrics.shares import UNMOVED, unmoved, with_limits

Y = np.array([1.0] * 6 + [0.0] * 30)
P = np.array([0.2] * 6 + [0.1] * 30)  # no positive is found at .5, none wrongly
U = np.linspace(1, 0, 36)


def test_statsmodels_agrees():
    for hits, n in ((0, 10), (3, 17), (50, 50)):
        np.testing.assert_allclose(
            m.wilson(hits / n, n, 0.9), proportion_confint(hits, n, alpha=0.1, method="wilson"), atol=1e-12
        )
    assert m.wilson(1.0, np.inf, 0.95) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("fn", "proba", "among"),
    [(m.recall, P, 6), (m.false_positive_rate, P, 30), (m.precision, 1 - P, 36), (m.accuracy, 1 - Y, 36)],
)
def test_nothing_seen_in_few_posts_proves_little(fn, proba, among):
    y = Y if fn is not m.precision else np.ones(36)
    found = m.estimate(fn, y, proba, replicates=30, random_state=0)
    assert found.value in {0.0, 1.0}
    assert (found.low, found.high) == pytest.approx(m.wilson(found.value, among, 0.95))
    assert found.reason == UNMOVED
    unequal = m.estimate(fn, y, proba, sample_weight=np.arange(1.0, 37), replicates=30, random_state=0)
    assert unequal.high - unequal.low > found.high - found.low


def test_what_review_finds_or_never_finds():
    options = {"review_fraction": [0.1, 1.0], "replicates": 60, "random_state": 0}
    wrong = np.where(np.arange(36) < 18, 1.0, 0.0)
    first, every = m.estimate(m.review_efficiency, wrong, P, U, **options)
    assert first.value == 1.0
    assert first.low == pytest.approx(m.wilson(1.0, 3, 0.95)[0])
    assert every.reason is None
    missed, caught = m.estimate(m.review_effectiveness, wrong, P, -U, **options)
    assert missed.high == pytest.approx(m.wilson(0.0, 18, 0.95)[1])
    assert (caught.low, caught.high) == (1.0, 1.0)  # who reads everything misses nothing
    curves = m.estimate_curves(wrong, P, U, **options)
    for kind in (curves.intervals, curves.bands):
        assert kind["review_efficiency"][0].low == first.low
        assert kind["oracle_collaborative_accuracy"][1].low == 1.0


def test_other_statistics_keep_what_the_replicates_say():
    same = m.estimate(partial(m.recall, threshold=0.15), Y, P, replicates=30, random_state=0)
    assert same.low == pytest.approx(m.wilson(1.0, 6, 0.95)[0])
    assert m.estimate(m.auroc, Y, P, replicates=30, random_state=0).low == 1.0
    assert m.difference(m.recall, (Y, P), (Y, P), replicates=30, random_state=0).high == 0.0


def test_only_a_share_that_never_moves_is_widened():
    assert unmoved(0.0, np.array([0.0, np.nan, 0.0]))
    assert not unmoved(0.0, np.array([0.0, 0.1]))
    assert not unmoved(0.5, np.array([0.5, 0.5]))
    assert not unmoved(0.0, np.array([np.nan, 0.0]))
    exact = m.Estimate(1.0, 0.0, 1.0, 1.0)
    assert with_limits(exact, np.inf) is exact
