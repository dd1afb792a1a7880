import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as peer
from tests.metrics.brute import divide
from tests.metrics.strategies import posts

import comoderate.metrics as m


@given(posts(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_decisions_equal_their_definitions(data, threshold):
    y, p, _, w = data
    predicted = p > threshold
    hit, false = w[predicted & (y == 1)].sum(), w[predicted & (y == 0)].sum()
    miss, rest = w[~predicted & (y == 1)].sum(), w[~predicted & (y == 0)].sum()
    arguments = {"threshold": threshold, "sample_weight": w}
    np.testing.assert_allclose(m.confusion(y, p, **arguments), (hit, false, miss, rest))
    wanted = {
        m.accuracy: divide(hit + rest, w.sum()),
        m.precision: divide(hit, hit + false),
        m.recall: divide(hit, hit + miss),
        m.f1: divide(2 * hit, 2 * hit + false + miss),
        m.false_positive_rate: divide(false, false + rest),
    }
    for fn, value in wanted.items():
        np.testing.assert_allclose(fn(y, p, **arguments), value)


@given(posts())
def test_best_f1_is_reproduced_at_its_threshold_and_no_other_is_better(data):
    y, p, _, w = data
    best = m.best_f1(y, p, sample_weight=w)
    if w[y == 1].sum() == 0:
        assert np.isnan(best).all()
        return
    again = [fn(y, p, threshold=best.threshold, sample_weight=w) for fn in (m.f1, m.precision, m.recall)]
    np.testing.assert_allclose(best[:3], again, atol=1e-12)
    others = [m.f1(y, p, threshold=t, sample_weight=w) for t in [-0.1, *p]]
    assert best.f1 >= np.nanmax(others) - 1e-12


def test_best_f1_between_neighbouring_floats():
    p = np.array([0.5, np.nextafter(0.5, 1.0)])
    best = m.best_f1([0, 1], p)
    assert best.f1 == m.f1([0, 1], p, threshold=best.threshold) == 1.0


def test_scikit_learn_agrees():
    rng = np.random.default_rng(0)
    y, p, w = rng.random(300) < 0.3, rng.random(300).round(2), rng.exponential(size=300)
    predicted = p > 0.4
    arguments = {"threshold": 0.4, "sample_weight": w}
    assert m.f1(y, p, **arguments) == pytest.approx(peer.f1_score(y, predicted, sample_weight=w))
    assert m.precision(y, p, **arguments) == pytest.approx(peer.precision_score(y, predicted, sample_weight=w))
    assert m.recall(y, p, **arguments) == pytest.approx(peer.recall_score(y, predicted, sample_weight=w))


def test_a_threshold_of_nan_is_refused():
    with pytest.raises(ValueError, match="threshold"):
        m.accuracy([0, 1], [0.1, 0.2], threshold=float("nan"))
