import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.metrics import estimate, oracle_collaborative_accuracy
from comoderate.review.outcome import Outcomes, cost_of, metrics_of, outcome_metrics, outcomes


@given(st.integers(1, 30), st.integers(0, 500), st.floats(0, 1), st.floats(0, 1))
def test_cells_by_loops(n, seed, act, fraction):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 2, n).astype(float), rng.random(n)
    u = p * (1 - p)
    got = outcomes(y, p, u, act_above=act, review_fraction=fraction, leave_below=act / 4)
    capacity = int(n * fraction + 1e-9)
    cells = {(kind, label): 0 for kind in ("acted", "read", "left") for label in (1, 0)}
    queue = sorted((i for i in range(n) if act / 4 <= p[i] <= act), key=lambda i: -u[i])[:capacity]
    for i in range(n):
        kind = "acted" if p[i] > act else "read" if i in queue else "left"
        cells[kind, int(y[i])] += 1
    np.testing.assert_allclose(got, list(cells.values()), atol=1e-9)


@given(st.integers(0, 500), st.floats(0, 1))
def test_without_automatic_action_at_all_accuracy_is_that_of_the_pair(seed, fraction):
    rng = np.random.default_rng(seed)
    y, p, w = rng.integers(0, 2, 20).astype(float), rng.random(20), rng.exponential(size=20)
    got = outcome_metrics(y, p, p, act_above=1.0, review_fraction=fraction, sample_weight=w)
    pair = oracle_collaborative_accuracy(y, p, p, review_fraction=fraction, threshold=1.0, sample_weight=w)
    assert got.accuracy == pytest.approx(pair)


def test_metrics_and_cost():
    cells = Outcomes(8, 2, 5, 5, 4, 76)
    got = metrics_of(cells)
    assert (got.acted, got.reviewed, got.left) == (0.1, 0.1, 0.8)
    assert got.automatic_precision == 0.8
    assert got.automatic_false_positive_rate == pytest.approx(2 / 83)
    assert got.recall == pytest.approx(13 / 17)
    assert got.missed_rate == 0.05
    assert got.accuracy == 0.94
    cost = cost_of(cells, missed=10, removed=5, minute=0.5, minutes_per_post=3)
    assert cost == (50, 15, 65, 0.5)


def test_thresholds_may_differ_by_post_and_metrics_have_intervals():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    y = (rng.random(300) < p).astype(float)
    act = np.where(np.arange(300) % 2, 0.9, 0.7)
    options = {"act_above": act, "review_fraction": 0.1, "replicates": 30, "random_state": 0}
    for e in estimate(outcome_metrics, y, p, p, **options):
        assert e.low <= e.value <= e.high
    none = outcome_metrics(y, p, p, act_above=np.inf, review_fraction=0.1)
    assert np.isnan(none.automatic_precision)
