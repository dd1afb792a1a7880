from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from crowdkit.metrics.data import alpha_krippendorff
from hypothesis import given
from hypothesis import strategies as st
from tests.agreement import brute
from tests.agreement.crowds import rating_tables, simulate_ratings, whole_weights

from comoderate.agreement import agreement_weights, krippendorff_alpha, krippendorff_alpha_counts
from comoderate.agreement.alpha import LEVELS, alpha_statistic

ANCHORS = {"nominal": 0.743, "ordinal": 0.815, "ratio": 0.797}


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_reference(reference, level):
    known = reference.libraries[f"krippendorff.alpha[{level}]"]
    assert krippendorff_alpha(reference.ratings, level=level).value == pytest.approx(known, abs=1e-9)
    if level != "ordinal":
        known = reference.libraries[f"crowdkit.alpha_krippendorff[{level}]"]
        assert krippendorff_alpha(reference.ratings, level=level).value == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("scale", ["identity", "ordinal", "linear", "quadratic"])
def test_reference_with_distance(reference, scale):
    distance = 1 - agreement_weights(reference.counts.shape[1], scale)
    found = krippendorff_alpha_counts(reference.counts, distance=distance)
    known = reference.libraries[f"irrCAC.krippendorff[{scale}]"]
    assert found.value == pytest.approx(known["value"], abs=1e-9)
    n = reference.counts[reference.counts.sum(axis=1) > 1].sum()
    assert found.se == pytest.approx(known["se"] * (1 - 1 / n), abs=1e-9 if reference.complete else 1e-3)


@pytest.mark.parametrize(("level", "value"), ANCHORS.items())
def test_published(reference, level, value):
    if reference.name.startswith("m4"):
        assert krippendorff_alpha(reference.ratings, level=level).value == pytest.approx(value, abs=5e-4)


@given(rating_tables())
def test_brute_force(ratings):
    for level in LEVELS:
        found = krippendorff_alpha(ratings, level=level).value
        assert found == pytest.approx(brute.alpha(ratings, level), abs=1e-9, nan_ok=True)


@given(st.data())
def test_weights_repeat_rows(data):
    ratings = data.draw(rating_tables())
    weight = data.draw(whole_weights(len(ratings)))
    for level in LEVELS:
        weighted = krippendorff_alpha(ratings, level=level, sample_weight=weight).value
        repeated = krippendorff_alpha(np.repeat(ratings, weight, axis=0), level=level).value
        assert weighted == pytest.approx(repeated, abs=1e-9, nan_ok=True)


def test_crowdkit_on_many_raters():
    ratings = simulate_ratings(np.random.default_rng(0), 60, raters=6, missing=0.4)
    item, rater = np.nonzero(~np.isnan(ratings))
    rows = pd.DataFrame({"task": item, "worker": rater, "label": ratings[item, rater]})
    assert krippendorff_alpha(ratings).value == pytest.approx(alpha_krippendorff(rows), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_influence_is_the_derivative(level):
    rng = np.random.default_rng(0)
    rows = rng.multinomial(4, (0.5, 0.3, 0.2), size=8).astype(float)
    weight = rng.uniform(0.5, 3, 8)
    distance = None if level == "ordinal" else np.abs(np.subtract.outer(np.arange(3), np.arange(3))) ** 1.5
    numeric = np.zeros(8)
    for i in range(8):
        move = np.eye(8)[i] * 1e-5
        up, down = (alpha_statistic(rows, weight + s * move, distance).value for s in (1, -1))
        numeric[i] = (up - down) / 2e-5 * weight.sum()
    numeric -= weight @ numeric / weight.sum()
    np.testing.assert_allclose(alpha_statistic(rows, weight, distance).influence, numeric, atol=1e-6)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [([[1, 1], [1, 1]], "equal"), ([[1, np.nan]], "two ratings"), (np.zeros((0, 2)), "two ratings")],
)
def test_undefined(ratings, reason):
    for level in LEVELS:
        found = krippendorff_alpha(ratings, level=level)
        assert np.isnan(found.value)
        assert reason in found.reason


def test_weights_are_numbers_of_items():
    found = krippendorff_alpha([[0, 1], [1, 1]], sample_weight=[0.1, 0.1])
    assert "numbers of items" in found.reason


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": "x"}, "level"),
        ({"distance": np.ones((2, 2))}, "distance"),
        ({"level": "interval", "values": [1]}, "values"),
    ],
)
def test_errors(options, words):
    with pytest.raises(ValueError, match=words):
        krippendorff_alpha_counts([[1, 2], [2, 1]], **options)
