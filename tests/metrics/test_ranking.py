import numpy as np
import pytest
from hypothesis import given
from sklearn import metrics as peer
from tests.metrics import brute
from tests.metrics.strategies import posts

import comoderate.metrics as m
from comoderate.metrics.ranking import area_of


@given(posts())
def test_areas_equal_their_slow_twins(data):
    y, p, _, w = data
    np.testing.assert_allclose(m.auroc(y, p, sample_weight=w), brute.auroc(y, p, w), atol=1e-10)
    step = m.average_precision(y, p, sample_weight=w)
    np.testing.assert_allclose(step, brute.average_precision(y, p, w), atol=1e-10)


@given(posts())
def test_curves_hold_the_decisions_at_their_thresholds(data):
    y, p, _, w = data
    curve = m.precision_recall_curve(y, p, sample_weight=w)
    roc = m.roc_curve(y, p, sample_weight=w)
    assert len(curve.threshold) == len(set(p))
    assert (np.diff(curve.threshold) < 0).all()
    for i, t in enumerate(curve.threshold):
        below = {"threshold": np.nextafter(t, -np.inf), "sample_weight": w}
        np.testing.assert_allclose(curve.precision[i], m.precision(y, p, **below), atol=1e-10)
        np.testing.assert_allclose(curve.recall[i], m.recall(y, p, **below), atol=1e-10)
        np.testing.assert_allclose(roc.true_positive_rate[i + 1], m.recall(y, p, **below), atol=1e-10)
        np.testing.assert_allclose(roc.false_positive_rate[i + 1], m.false_positive_rate(y, p, **below), atol=1e-10)
    if 0 < w[y == 1].sum() < w.sum():
        area = np.trapezoid(roc.true_positive_rate, roc.false_positive_rate)
        np.testing.assert_allclose(area, m.auroc(y, p, sample_weight=w), atol=1e-10)


def test_scikit_learn_agrees():
    rng = np.random.default_rng(0)
    y, p, w = rng.random(2000) < 0.1, rng.random(2000).round(2), rng.exponential(size=2000)
    assert m.auroc(y, p, sample_weight=w) == pytest.approx(peer.roc_auc_score(y, p, sample_weight=w), abs=1e-12)
    assert m.average_precision(y, p, sample_weight=w) == pytest.approx(
        peer.average_precision_score(y, p, sample_weight=w), abs=1e-12
    )


def test_undefined_without_a_class():
    assert np.isnan(m.auroc([1, 1], [0.2, 0.3]))
    assert np.isnan(m.average_precision([0, 0], [0.2, 0.3]))
    assert np.isnan(m.auroc([], []))
    assert np.isnan(m.roc_curve([1, 1], [0.2, 0.3]).false_positive_rate).all()


def test_an_unknown_interpolation_is_refused():
    with pytest.raises(ValueError, match="davis-goadrich"):
        area_of("trapezoid")
