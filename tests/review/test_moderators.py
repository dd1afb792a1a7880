import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import comoderate.metrics as m
from comoderate.review.moderators import (
    Moderators,
    collaborative_accuracy,
    collaborative_auroc,
    collaborative_average_precision,
    judged,
    majority,
    simulate_answers,
)
from comoderate.review.queue import rank

FRACTIONS = [0.0, 0.1, 0.5, 1.0]
PAIRS = [
    (collaborative_accuracy, m.oracle_collaborative_accuracy),
    (collaborative_auroc, m.oracle_collaborative_auroc),
    (collaborative_average_precision, m.oracle_collaborative_average_precision),
]


def sample(n=200, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(2)
    return (rng.random(n) < p).astype(float), p


@given(st.integers(1, 30), st.integers(0, 500))
def test_moderators_who_are_right_are_the_oracle(n, seed):
    y, p = sample(n, seed)
    w = np.random.default_rng(seed).exponential(size=n)
    for ours, oracle in PAIRS:
        options = {"review_fraction": FRACTIONS, "sample_weight": w}
        np.testing.assert_allclose(
            ours(y, p, p, moderators=Moderators(), **options), oracle(y, p, p, **options), atol=1e-9
        )


def test_expectations_are_means_of_simulations():
    y, p = sample()
    u = p * (1 - p) + np.random.default_rng(1).random(200) * 1e-6
    team = Moderators(sensitivity=0.8, specificity=0.9, fatigue=1.0, shift=30, readings=3)
    drawn = []
    for seed in range(400):
        answer = simulate_answers(y, rank(u), capacity=60, moderators=team, random_state=seed)
        score = np.where(np.isnan(answer), p, np.where(answer == 1, 1.0, 0.0))
        read = ~np.isnan(answer)
        final = np.where(read, answer == 1, p > 0.5)
        spread = np.where(read, score, 0.001 + 0.998 * p)
        drawn.append([np.mean(final == y), m.auroc(y, spread)])
    options = {"review_fraction": 0.3, "moderators": team}
    wanted = [collaborative_accuracy(y, p, u, **options), collaborative_auroc(y, p, u, **options)]
    np.testing.assert_allclose(np.mean(drawn, axis=0), wanted, atol=0.003)


def test_a_bad_moderator_can_make_the_pair_worse():
    y, p = sample(2000)
    coin = Moderators(sensitivity=0.5, specificity=0.5)
    assert collaborative_accuracy(y, p, p, review_fraction=0.5, moderators=coin) < m.accuracy(y, p)


@given(st.floats(0, 1), st.integers(1, 9))
def test_majorities(once, readings):
    wanted = binom.sf(readings // 2, readings, once)
    if readings % 2 == 0:
        wanted += binom.pmf(readings // 2, readings, once) / 2
    np.testing.assert_allclose(majority(np.array([once]), readings), [wanted], atol=1e-9)


def test_they_tire_over_a_shift_and_come_back_rested():
    team = Moderators(sensitivity=0.9, specificity=1.0, fatigue=2.0, shift=100)
    right = team.right(np.ones(200), np.arange(200))
    assert right[0] == right[100] == pytest.approx(0.9)
    assert (np.diff(right[:100]) < 0).all()
    assert (team.right(np.zeros(200), np.arange(200)) == 1.0).all()


def test_confusion_matrices_give_moderators():
    team = Moderators.from_confusion([[90, 10], [4, 16]], readings=3)
    assert (team.sensitivity, team.specificity, team.readings) == (0.8, 0.9, 3)
    for bad in ([[1, 2]], [[0, 0], [1, 1]], [[1, -1], [1, 1]]):
        with pytest.raises(ValueError, match="confusion"):
            Moderators.from_confusion(bad)
    for bad in ({"sensitivity": 1.1}, {"fatigue": -1.0}, {"readings": 0}):
        with pytest.raises(ValueError):
            Moderators(**bad)


def test_copies_of_a_post_add_up_to_its_weight():
    y, p = sample(50)
    posts = judged(y, p, p, review_fraction=0.3, moderators=Moderators(sensitivity=0.7))
    np.testing.assert_allclose(posts.weight.reshape(3, 50).sum(axis=0), 1.0)


def test_a_third_moderator_decides_where_two_differ():
    team = Moderators(sensitivity=0.8, specificity=0.9)
    np.testing.assert_allclose(
        team.right([1, 1, 0], [0, 1, 2], twice=[False, True, True]), [0.8, 0.8**3 + 3 * 0.8**2 * 0.2, 0.972]
    )


def test_second_readings_cost_capacity_and_mend_answers():
    y, p = sample(400)
    u = np.random.default_rng(3).permutation(400).astype(float)
    twos = np.full(400, 2)
    right = Moderators()
    half = collaborative_accuracy(y, p, u, review_fraction=0.2, moderators=right)
    assert collaborative_accuracy(y, p, u, review_fraction=0.4, moderators=right, readings=twos) == pytest.approx(half)
    erring = Moderators(sensitivity=0.7, specificity=0.7)
    once = collaborative_accuracy(y, p, u, review_fraction=1.0, moderators=erring)
    twice = collaborative_accuracy(y, p, u, review_fraction=2.0 / 2, moderators=erring, readings=np.ones(400))
    assert once == pytest.approx(0.7)
    assert twice == pytest.approx(0.7)
    posts = judged(y, p, u, review_fraction=1.0, moderators=erring, readings=twos)
    said = np.isinf(posts.score)
    assert posts.weight[said].sum() == pytest.approx(200)  # each reading counts: a half of the posts is read
    hits = posts.weight[said] @ ((posts.score[said] > 0) == (posts.positive[said] > 0))
    assert hits / 200 == pytest.approx(0.7**3 + 3 * 0.7**2 * 0.3)
