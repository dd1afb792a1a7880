import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.metrics import oracle_collaborative_auroc, oracle_collaborative_average_precision, reviewed_share
from comoderate.review import ExpectedAurocGain, ExpectedAveragePrecisionGain
from comoderate.review.setwise import Ladder, auroc_gain, average_precision_gain, greedy_order


@st.composite
def probabilities(draw, max_size=12):
    n = draw(st.integers(1, max_size))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    p = rng.random(n).round(draw(st.sampled_from([1, 9])))
    left = (rng.random(n) < 0.7).astype(float)
    return p, rng.random(n), left, rng.exponential(size=n)


@given(probabilities())
def test_auroc_gain_by_loops(data):
    p, q, left, w = data
    wanted = np.zeros(len(p))
    for i in range(len(p)):
        for j in range(len(p)):
            half = 0.5 if p[i] == p[j] else 1.0
            if p[j] >= p[i]:
                wanted[i] += q[i] * w[j] * left[j] * (1 - q[j]) * half
            if p[j] <= p[i]:
                wanted[i] += (1 - q[i]) * w[j] * left[j] * q[j] * half
    np.testing.assert_allclose(auroc_gain(Ladder(p), q, left, w), wanted, atol=1e-9)


@given(probabilities())
def test_average_precision_gain_by_loops(data):
    p, q, left, _ = data
    n = len(p)
    read = np.sum(q * (1 - left))
    others = [[k for k in range(n) if k != j and p[k] >= p[j] and left[k]] for j in range(n)]
    a = np.array([read + sum(q[k] for k in others[j]) + 1 for j in range(n)])
    f = np.array([sum(1 - q[k] for k in others[j]) for j in range(n)])
    s = a + f
    wanted = np.zeros(n)
    for i in range(n):
        wanted[i] = q[i] * f[i] / s[i]
        for j in range(n):
            if left[j] and p[j] > p[i]:
                wanted[i] += q[i] * q[j] * f[j] / (s[j] * (s[j] + 1))
            if left[j] and p[j] <= p[i] and j != i:
                wanted[i] += (1 - q[i]) * q[j] * a[j] / (s[j] * max(s[j] - 1, 1))
    got = average_precision_gain(Ladder(p), q, left, np.ones(n))
    unread = left > 0
    np.testing.assert_allclose(got[unread], wanted[unread], atol=1e-9)


def expected(metric, p, q, u, fraction, rounds=150):
    rng = np.random.default_rng(0)
    values = [metric((rng.random(len(p)) < q).astype(float), p, u, review_fraction=fraction) for _ in range(rounds)]
    return np.nanmean(values)


@pytest.mark.parametrize(
    ("strategy", "metric"),
    [
        (ExpectedAurocGain(), oracle_collaborative_auroc),
        (ExpectedAveragePrecisionGain(), oracle_collaborative_average_precision),
    ],
)
def test_no_simpler_strategy_is_better_on_its_objective(strategy, metric):
    rng = np.random.default_rng(3)
    for a, b in [(0.3, 3.0), (1.0, 4.0)]:
        p = rng.beta(a, b, 300)
        q = 1 / (1 + np.exp(-(1.3 * np.log(p / (1 - p)) - 0.5)))
        for fraction in (0.05, 0.2):
            ours = expected(metric, p, q, strategy.score(p, calibrated=q), fraction)
            for other in (p, q * (1 - q), np.where(p > 0.5, 1 - q, q)):
                assert ours > expected(metric, p, q, other, fraction) - 0.002


def test_equal_posts_stay_tied_and_the_order_serves_every_capacity():
    p = np.repeat([0.2, 0.5, 0.9], 10)
    for strategy in (ExpectedAurocGain(), ExpectedAveragePrecisionGain()):
        score = strategy.score(p)
        assert len(np.unique(score)) == 3
        shares = [reviewed_share(score, review_fraction=f) for f in (0.1, 0.4, 0.7)]
        assert all((a <= b + 1e-12).all() for a, b in itertools.pairwise(shares))


def test_batches_are_weighed_again():
    p = np.random.default_rng(0).random(400)
    once = ExpectedAurocGain(batches=1).score(p)
    many = ExpectedAurocGain().score(p)
    assert np.corrcoef(np.argsort(once), np.argsort(many))[0, 1] < 0.999


@given(probabilities())
def test_whole_weights_equal_repeated_rows_in_the_first_batch(data):
    p, q, _, _ = data
    weight = np.arange(len(p)) % 3
    rows = np.repeat(np.arange(len(p)), weight)
    if len(rows) == 0:
        return
    a = auroc_gain(Ladder(p), q, np.ones(len(p)), weight.astype(float))
    b = auroc_gain(Ladder(p[rows]), q[rows], np.ones(len(rows)), np.ones(len(rows)))
    np.testing.assert_allclose(a[rows], b, atol=1e-9)


def test_edges():
    for strategy in (ExpectedAurocGain(), ExpectedAveragePrecisionGain()):
        assert strategy.score([]).shape == (0,)
        assert strategy.score([0.3]).shape == (1,)
        assert np.isfinite(strategy.score([0.0, 1.0, 0.0, 1.0])).all()
        assert np.isfinite(strategy.score([0.2, 0.4], sample_weight=[0.0, 0.0])).all()


def test_greedy_takes_the_best_first():
    worth = np.array([3.0, 1.0, 2.0, 5.0])
    score = greedy_order(lambda left, weight: worth, np.ones(4), batches=4, finest=0.25)
    np.testing.assert_array_equal(np.argsort(-score), [3, 0, 2, 1])
