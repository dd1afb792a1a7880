from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agreement import brute
from tests.agreement.crowds import rating_tables, simulate_ratings, whole_weights

from comoderate.agreement import intraclass_correlation
from comoderate.agreement.icc import KINDS, Summary, icc_statistic

PINGOUIN = dict(zip(KINDS, ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)")))


@pytest.mark.parametrize("kind", KINDS)
def test_reference(reference, kind):
    known = reference.libraries[f"pingouin.{PINGOUIN[kind]}"]
    rows = reference.ratings[~np.isnan(reference.ratings).any(axis=1)]
    found = intraclass_correlation(rows, kind=kind)
    assert found.value == pytest.approx(known["value"], abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_reference_f_interval(reference, kind):
    rows = reference.ratings[~np.isnan(reference.ratings).any(axis=1)]
    found = intraclass_correlation(rows, kind=kind, interval="F")
    assert [found.low, found.high] == pytest.approx(
        reference.libraries[f"pingouin.{PINGOUIN[kind]}"]["ci95"], abs=0.006
    )


def test_reference_unbalanced(reference):
    one, many = (intraclass_correlation(reference.ratings, kind=k).value for k in ("ICC(1,1)", "ICC(1,k)"))
    assert one == pytest.approx(reference.own["icc1_anova_unbalanced"], abs=1e-9)
    assert many == pytest.approx(reference.own["icc1k_anova_unbalanced"], abs=1e-9)
    assert many == pytest.approx(reference.own["spearman_brown_from_icc1"], abs=1e-9)
    if reference.complete:
        assert one == pytest.approx(reference.own["paper_icc"], abs=1e-9)


@given(rating_tables())
def test_brute_force(ratings):
    found = intraclass_correlation(ratings)
    assert found.value == pytest.approx(brute.one_way_icc(ratings), abs=1e-8, nan_ok=True)


@given(st.data())
def test_weights_repeat_rows(data):
    ratings = data.draw(rating_tables(missing=data.draw(st.booleans())))
    weight = data.draw(whole_weights(len(ratings)))
    for kind in KINDS:
        weighted = intraclass_correlation(ratings, kind=kind, sample_weight=weight).value
        repeated = intraclass_correlation(np.repeat(ratings, weight, axis=0), kind=kind).value
        assert weighted == pytest.approx(repeated, abs=1e-8, nan_ok=True)


@given(st.data())
def test_influence_is_the_derivative(data):
    ratings = np.random.default_rng(data.draw(st.integers(0, 9))).normal(size=(6, 3)) + np.arange(6)[:, None]
    weight = np.array(data.draw(st.lists(st.floats(0.5, 4), min_size=6, max_size=6)))
    summary = Summary(ratings, np.full(6, 3.0), ratings.sum(axis=1), (ratings**2).sum(axis=1), 0.0)
    for kind in KINDS:
        step, numeric = 1e-5, np.zeros(6)
        for i in range(6):
            move = np.zeros(6)
            move[i] = step
            up, down = (icc_statistic(summary, weight + s * move, kind).value for s in (1, -1))
            numeric[i] = (up - down) / (2 * step) * weight.sum()
        numeric -= weight @ numeric / weight.sum()
        np.testing.assert_allclose(icc_statistic(summary, weight, kind).influence, numeric, atol=1e-6)


def test_shift_and_stretch_change_nothing():
    ratings = simulate_ratings(np.random.default_rng(0), 60, missing=0.2)
    one, two = intraclass_correlation(ratings), intraclass_correlation(ratings * 3 + 1e6)
    assert [one.value, one.low] == pytest.approx([two.value, two.low], abs=1e-6)


@pytest.mark.parametrize(
    ("ratings", "kind", "reason"),
    [
        ([[1, 1], [1, 1]], "ICC(1,1)", "equal"),
        ([[1, 2]], "ICC(1,1)", "fewer than two"),
        ([[1, np.nan], [np.nan, 2]], "ICC(1,1)", "two ratings"),
        ([[1, np.nan], [1, 2]], "ICC(2,1)", "every rater"),
        ([[1, np.nan], [1, 2]], "ICC(3,k)", "every rater"),
        (np.full((2, 2), np.nan), "ICC(1,1)", "no item"),
    ],
)
def test_undefined(ratings, kind, reason):
    found = intraclass_correlation(ratings, kind=kind)
    assert np.isnan(found.value)
    assert reason in found.reason


def test_items_with_a_missing_rating_are_not_dropped():
    ratings = np.array([[1, 1, np.nan], [5, 5, 5], [3, 4, np.nan], [2, 2, 2], [1, 3, np.nan]])
    assert intraclass_correlation(ratings).value < 0.9
    assert intraclass_correlation(ratings[[1, 3]]).value == pytest.approx(1.0)


def test_lower_limit():
    ratings = np.array([[0.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
    assert intraclass_correlation(ratings).value == pytest.approx(-1.0)


def test_interval_of_measurements_is_near_f_for_normal_ratings():
    rng = np.random.default_rng(0)
    ratings = rng.normal(size=(600, 1)) + rng.normal(size=(600, 4))
    for kind in KINDS:
        robust, classical = (intraclass_correlation(ratings, kind=kind, interval=i) for i in ("linearised", "F"))
        assert robust.high - robust.low == pytest.approx(classical.high - classical.low, rel=0.15)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "ICC(4,1)"}, "kind"),
        ({"interval": "x"}, "interval"),
        ({"interval": "F", "sample_weight": [1, 2]}, "without weights"),
        ({"level": 0}, "level"),
    ],
)
def test_errors(options, words):
    with pytest.raises(ValueError, match=words):
        intraclass_correlation([[1, 2], [2, 4]], **options)
