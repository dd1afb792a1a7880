import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss
from tests.metrics.strategies import posts

import comoderate.metrics as m

KINDS = st.sampled_from(["probability", "confidence"])
BINNING = st.sampled_from(["width", "mass"])


def by_hand(y, p, w, n_bins, kind, threshold):
    score = np.maximum(p, 1 - p) if kind == "confidence" else p
    seen = ((p > threshold) == (y == 1)) if kind == "confidence" else y
    error = 0.0
    for b in range(n_bins):
        inside = (score >= b / n_bins) & ((score < (b + 1) / n_bins) | (b == n_bins - 1))
        if w[inside].sum() > 0:
            error += abs(np.sum((w * (score - seen))[inside]))
    return error / w.sum() if w.sum() > 0 else np.nan


@given(posts(), KINDS)
def test_equal_width_error_by_hand(data, kind):
    y, p, _, w = data
    got = m.expected_calibration_error(y, p, n_bins=8, kind=kind, threshold=0.3, sample_weight=w)
    np.testing.assert_allclose(got, by_hand(y, p, w, 8, kind, 0.3), atol=1e-10)


@given(posts(whole=True), KINDS, BINNING)
def test_whole_weights_equal_repeated_rows(data, kind, binning):
    y, p, _, w = data
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    if len(rows) == 0:
        return
    options = {"kind": kind, "binning": binning, "n_bins": 4}
    a = m.reliability_diagram(y, p, sample_weight=w, **options)
    b = m.reliability_diagram(y[rows], p[rows], **options)
    for x, z in zip(a, b):
        np.testing.assert_allclose(x, z, atol=1e-9)
    np.testing.assert_allclose(m.brier_score(y, p, sample_weight=w), m.brier_score(y[rows], p[rows]))


def test_bins_of_equal_mass_hold_equal_mass():
    p = np.random.default_rng(0).beta(1, 9, 1000)
    diagram = m.reliability_diagram(p > 0.5, p, n_bins=10, binning="mass")
    assert (np.abs(diagram.weight - 100) <= 1).all()


def test_a_calibrated_classifier_has_little_error():
    rng = np.random.default_rng(0)
    p = rng.random(200_000)
    y = rng.random(200_000) < p
    for kind in ("probability", "confidence"):
        assert m.expected_calibration_error(y, p, kind=kind) < 0.01


def test_brier_scores_agree_with_peers_and_reference(shared):
    rng = np.random.default_rng(0)
    y, p, w = rng.random(100) < 0.3, rng.random(100), rng.exponential(size=100)
    assert m.brier_score(y, p, sample_weight=w) == pytest.approx(brier_score_loss(y, p, sample_weight=w))
    datasets = json.loads((shared / "reference" / "collaboration.json").read_text())["datasets"]
    for data in datasets.values():
        want = data["strategies"]["uncertainty"]["overall"]["brier"]
        assert m.brier_score(data["y"], data["p"]) == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("bad", [{"kind": "x"}, {"binning": "x"}, {"n_bins": 0}])
def test_unknown_choices_are_refused(bad):
    with pytest.raises(ValueError):
        m.reliability_diagram([0, 1], [0.1, 0.9], **bad)
