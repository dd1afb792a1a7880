from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from tests.agreement.crowds import rating_tables, simulate_ratings, whole_weights

from comoderate.agreement import cohen_kappa, conger_kappa, pairwise_cohen_kappa

SCALES = ("identity", "ordinal", "linear", "quadratic")


@pytest.mark.parametrize("scale", SCALES)
def test_reference_conger(reference, scale):
    known = reference.libraries[f"irrCAC.conger[{scale}]"]
    found = conger_kappa(reference.ratings, scale=scale)
    assert found.value == pytest.approx(known["value"], abs=1e-9)
    if reference.complete:
        assert found.se == pytest.approx(known["se"], abs=1e-9)


@pytest.mark.parametrize(("scale", "name"), [("identity", "None"), ("linear", "linear"), ("quadratic", "quadratic")])
def test_reference_pairs(reference, scale, name):
    known = reference.libraries["sklearn.cohen_kappa_score"][name]
    plain = pairwise_cohen_kappa(reference.ratings, scale=scale)
    heavy = pairwise_cohen_kappa(reference.ratings, scale=scale, sample_weight=reference.weight)
    assert len(plain) == known["n_pairs"]
    for pairs, suffix in ((plain, ""), (heavy, "_sample_weight")):
        values = [pair.kappa.value for pair in pairs]
        assert np.nanmean(values) == pytest.approx(known[f"mean_pairwise{suffix}"], abs=1e-9)
        assert values[0] == pytest.approx(known[f"first_pair{suffix}"], abs=1e-9)


@given(st.data())
def test_sklearn_and_repeated_rows(data):
    ratings = data.draw(rating_tables())[:, :2]
    weight = data.draw(whole_weights(len(ratings)))
    both = ~np.isnan(ratings).any(axis=1)
    found = cohen_kappa(ratings[:, 0], ratings[:, 1], sample_weight=weight, categories=[0, 1, 2])
    kept = np.repeat(ratings[both], weight[both], axis=0)
    varied = len(kept) and np.unique(kept).size > 1
    known = cohen_kappa_score(*kept.T.astype(int), labels=[0, 1, 2]) if varied else np.nan
    assert found.value == pytest.approx(known, abs=1e-9, nan_ok=True)


@given(rating_tables(missing=False))
def test_two_raters_are_cohens(ratings):
    two = ratings[:, :2]
    assert conger_kappa(two).value == pytest.approx(cohen_kappa(*two.T).value, abs=1e-9, nan_ok=True)


def test_undefined():
    assert "two ratings" in cohen_kappa([0, np.nan], [np.nan, 1]).reason
    assert "one category" in cohen_kappa([1, 1], [1, 1]).reason
    assert "two ratings" in conger_kappa(np.full((3, 2), np.nan)).reason
    assert "two ratings" in conger_kappa([[1, np.nan], [0, np.nan]]).reason


def test_pairs_without_enough_in_common_are_left_out():
    ratings = np.array([[0, 1, np.nan], [1, 1, np.nan], [0, np.nan, 1], [1, 1, np.nan]])
    assert [(p.rater, p.other) for p in pairwise_cohen_kappa(ratings)] == [(0, 1), (0, 2)]
    assert [(p.rater, p.other) for p in pairwise_cohen_kappa(ratings, min_shared=2)] == [(0, 1)]


def test_error_is_the_bootstraps():
    ratings = simulate_ratings(np.random.default_rng(5), 400, missing=0.3)
    fast, slow = conger_kappa(ratings), conger_kappa(ratings, replicates=300, random_state=1)
    assert fast.se == pytest.approx(slow.se, rel=0.2)


def test_unknown_category():
    with pytest.raises(ValueError, match="not among"):
        cohen_kappa([0, 1], [1, 2], categories=[0, 1])
