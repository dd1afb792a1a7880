from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.agreement import brute

from comoderate.agreement import counts_from_ratings, flip_chance, majority_vote, posterior_flip_chance, relabel_order
from comoderate.agreement.flip import concentration_of

COUNTS = hnp.arrays(np.int64, st.tuples(st.integers(1, 8), st.just(3)), elements=st.integers(0, 4))


@given(COUNTS, st.floats(0.1, 10))
def test_brute_force(counts, concentration):
    rated = counts.sum(axis=1) > 0
    share = (counts[rated] / counts[rated].sum(axis=1, keepdims=True)).mean(axis=0) if rated.any() else np.ones(3) / 3
    found = flip_chance(counts, concentration=concentration)
    for row, chance in zip(counts, found):
        ahead = (row + concentration * share) / (row.sum() + concentration)
        assert chance == pytest.approx(brute.flip_chance(row, ahead), abs=1e-9)


@given(COUNTS)
def test_is_a_chance_under_every_rule(counts):
    for ties in ("abstain", "ordinal-median", "first", "last", "positive", "negative"):
        found = flip_chance(counts, ties=ties)
        assert ((found >= 0) & (found <= 1)).all()


def test_clear_majorities_never_flip_and_ties_always_may():
    found = flip_chance([[9, 0], [5, 5], [3, 2], [0, 0]])
    assert found[0] == 0
    assert found[1] == pytest.approx(1)
    assert 0 < found[2] < 1
    assert found[3] == pytest.approx(1)


def test_predicts_what_the_next_rating_does():
    rng = np.random.default_rng(0)
    own = rng.dirichlet((1.2, 0.8), size=60_000)
    votes = (rng.random((60_000, 4)) < own[:, 1:]).astype(float)
    three, four = (counts_from_ratings(votes[:, :k], categories=[0, 1]) for k in (3, 4))
    chance = flip_chance(three)
    flipped = majority_vote(three) != majority_vote(four)
    for value in np.unique(chance.round(6)):
        rows = np.isclose(chance, value, atol=1e-6)
        assert flipped[rows].mean() == pytest.approx(value, abs=0.02)


def test_concentration():
    assert concentration_of(0.5) == pytest.approx(1)
    assert concentration_of(0.0) == concentration_of(-0.2) == concentration_of(float("nan")) == 1000
    assert concentration_of(1.0) == pytest.approx(1e-6)


def test_posterior_flip():
    probas = np.array([[0.5, 0.5], [0.9, 0.1], [0.999, 0.001], [np.nan, np.nan]])
    confusion = np.array([[0.9, 0.1], [0.2, 0.8]])
    found = posterior_flip_chance(probas, confusion)
    assert found[0] == pytest.approx(0.5 * 0.1 + 0.5 * 0.8)
    assert found[1] == 0
    assert found[2] == 0
    assert found[3] == 1
    strong = posterior_flip_chance(probas, np.array([[0.99, 0.01], [0.01, 0.99]]))
    assert strong[1] == pytest.approx(0.9 * 0.01 + 0.1 * 0.99)


def test_order():
    np.testing.assert_array_equal(relabel_order([0.1, 0.5, 0.5, 0.9], n_ratings=[3, 4, 2, 3]), [3, 2, 1, 0])
    np.testing.assert_array_equal(relabel_order([0.1, 0.5], sample_weight=[100, 1]), [0, 1])


def test_errors():
    with pytest.raises(ValueError, match="expert"):
        flip_chance([[1, 1]], ties="expert")
    with pytest.raises(ValueError, match="square"):
        posterior_flip_chance([[0.5, 0.5]], np.eye(3))
