from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import comoderate.metrics as m
from comoderate.calibration import folds_of
from comoderate.metrics.prepared import weighted_form
from comoderate.review import ExpectedCost, ExpectedError, Toxicity, advise, review_saving


@given(st.integers(1, 30), st.integers(0, 500), st.floats(0, 1))
def test_savings_by_loops(n, seed, fraction):
    rng = np.random.default_rng(seed)
    y, p, w = rng.integers(0, 2, n), rng.random(n), rng.exponential(size=n)
    got = review_saving(
        y, p, p, review_fraction=fraction, missed=5, removed=2, minute=0.5, minutes_per_post=2, sample_weight=w
    )
    read = w * m.reviewed_share(p, review_fraction=fraction, sample_weight=w)
    lost = np.where((p > 0.5) == y, 0, np.where(y == 1, 5, 2))
    np.testing.assert_allclose(got, np.sum(read * (lost - 1.0)) / w.sum(), atol=1e-9)
    plain = review_saving(y, p, p, review_fraction=fraction, sample_weight=w)
    pair = m.oracle_collaborative_accuracy(y, p, p, review_fraction=fraction, sample_weight=w)
    np.testing.assert_allclose(plain, pair - m.accuracy(y, p, sample_weight=w), atol=1e-9)


def test_expected_cost_saves_most():
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    y = (rng.random(4000) < p).astype(float)
    costs = {"missed": 10.0, "removed": 1.0}
    saved = [
        review_saving(y, p, s.score(p), review_fraction=0.2, **costs)
        for s in (ExpectedCost(**costs), ExpectedError(), Toxicity())
    ]
    assert saved[0] == max(saved)
    assert saved[0] > saved[1] + 0.05


def test_it_is_an_objective_for_advice():
    rng = np.random.default_rng(0)
    p = rng.random(500)
    y = (rng.random(500) < p).astype(float)
    objective = partial(review_saving, missed=10.0)
    form = weighted_form(objective, y, p, p, review_fraction=0.1)
    assert form(np.ones(500)) == objective(y, p, p, review_fraction=0.1)
    got = advise(
        y,
        p,
        fold=folds_of(500),
        review_fraction=0.2,
        objective=objective,
        strategies={"expected_cost": ExpectedCost(missed=10.0)},
        replicates=20,
    )
    assert got.best == "expected_cost"
