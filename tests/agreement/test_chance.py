from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agreement import brute
from tests.agreement.crowds import rating_tables, whole_weights

from comoderate.agreement import brennan_prediger, counts_from_ratings, gwet_ac1, gwet_ac2, percent_agreement

SCALES = ("identity", "ordinal", "linear", "quadratic")


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("fn", "name"), [(gwet_ac2, "gwet"), (brennan_prediger, "bp")])
def test_reference(reference, scale, fn, name):
    known = reference.libraries[f"irrCAC.{name}[{scale}]"]
    found = fn(reference.counts, scale=scale, interval="wald")
    assert found.value == pytest.approx(known["value"], abs=1e-9)
    assert percent_agreement(reference.counts, scale=scale).value == pytest.approx(known["pa"], abs=1e-9)
    if reference.complete:
        assert found.se == pytest.approx(known["se"], abs=1e-9)
        assert [found.low, found.high] == pytest.approx(known["ci95"], abs=1e-9)


def test_randolph(reference):
    if reference.complete:
        known = reference.libraries["statsmodels.fleiss_kappa[randolph]"]
        assert brennan_prediger(reference.counts).value == pytest.approx(known, abs=1e-9)


@given(rating_tables())
def test_brute_force(ratings):
    counts = counts_from_ratings(ratings, categories=[0, 1, 2])
    assert gwet_ac1(counts).value == pytest.approx(brute.gwet(ratings, 3), abs=1e-9, nan_ok=True)
    assert gwet_ac1(counts).value == pytest.approx(gwet_ac2(counts, scale="identity").value, nan_ok=True)


@given(rating_tables(), st.sampled_from(SCALES), st.sampled_from(["adjusted", "wald"]))
def test_no_share_of_pairs_is_below_0_or_above_1(ratings, scale, interval):
    counts = counts_from_ratings(ratings, categories=[0, 1, 2])
    found = percent_agreement(counts, scale=scale, interval=interval)
    if not np.isnan(found.low):
        assert 0.0 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1.0


def test_what_is_cut_off_held_nothing_true():
    found = percent_agreement([[1, 1], [1, 1], [2, 0]])
    assert (found.low, found.high) == (0.0, pytest.approx(1.0))


@given(st.data())
def test_weights_repeat_rows(data):
    ratings = data.draw(rating_tables())
    weight = data.draw(whole_weights(len(ratings)))
    counts = counts_from_ratings(ratings, categories=[0, 1, 2])
    for fn in (gwet_ac1, gwet_ac2, brennan_prediger, percent_agreement):
        repeated = fn(np.repeat(counts, weight, axis=0)).value
        assert fn(counts, sample_weight=weight).value == pytest.approx(repeated, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("fn", [gwet_ac1, brennan_prediger])
def test_undefined(fn):
    assert "one category" in fn([[3], [2]]).reason
    assert "two ratings" in fn([[1, 0], [0, 1]]).reason


def test_rare_class_keeps_ac1_high():
    assert gwet_ac1([[3, 0]] * 97 + [[2, 1]] * 3).value > 0.95
