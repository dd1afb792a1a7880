from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa
from tests.agreement import brute
from tests.agreement.crowds import rating_tables, simulate_ratings, whole_weights

from comoderate.agreement import counts_from_ratings, fleiss_kappa
from comoderate.sampling import replicate_weights

SCALES = ("identity", "ordinal", "linear", "quadratic")


@pytest.mark.parametrize("scale", SCALES)
def test_reference_value_and_error(reference, scale):
    known = reference.libraries[f"irrCAC.fleiss[{scale}]"]
    found = fleiss_kappa(reference.counts, scale=scale, interval="wald")
    assert found.value == pytest.approx(known["value"], abs=1e-9)
    if reference.complete:
        assert found.se == pytest.approx(known["se"], abs=1e-9)
        assert [found.low, found.high] == pytest.approx(known["ci95"], abs=1e-9)


def test_reference_weights(reference):
    found = fleiss_kappa(reference.counts, sample_weight=reference.weight)
    assert found.value == pytest.approx(reference.own["fleiss_weighted[p_c=item mean]"], abs=1e-9)
    assert found.value == pytest.approx(reference.own["irrCAC.fleiss_on_replicated_rows"], abs=1e-9)


def test_statsmodels_agrees_on_equal_raters():
    counts = np.random.default_rng(3).multinomial(4, (0.5, 0.3, 0.2), size=200)
    assert fleiss_kappa(counts).value == pytest.approx(statsmodels_kappa(counts), abs=1e-12)


@given(rating_tables())
def test_brute_force(ratings):
    found = fleiss_kappa(counts_from_ratings(ratings, categories=[0, 1, 2]))
    assert found.value == pytest.approx(brute.fleiss(ratings), abs=1e-9, nan_ok=True)


@given(st.data())
def test_weights_repeat_rows(data):
    ratings = data.draw(rating_tables())
    weight = data.draw(whole_weights(len(ratings)))
    counts = counts_from_ratings(ratings, categories=[0, 1, 2])
    for scale in SCALES:
        weighted = fleiss_kappa(counts, sample_weight=weight, scale=scale).value
        repeated = fleiss_kappa(np.repeat(counts, weight, axis=0), scale=scale).value
        assert weighted == pytest.approx(repeated, abs=1e-9, nan_ok=True)


@given(rating_tables(), st.permutations([0, 1, 2]))
def test_order_and_names_of_categories_do_not_matter(ratings, order):
    counts = counts_from_ratings(ratings, categories=[0, 1, 2])
    one, two = fleiss_kappa(counts), fleiss_kappa(counts[::-1][:, list(order)])
    assert one.value == pytest.approx(two.value, abs=1e-9, nan_ok=True)
    assert one.low == pytest.approx(two.low, abs=1e-9, nan_ok=True) or one.reason is not None


@given(rating_tables())
def test_interval_holds_value_and_ends_at_one(ratings):
    found = fleiss_kappa(counts_from_ratings(ratings, categories=[0, 1, 2]))
    if not np.isnan(found.low):
        assert found.low <= found.value <= found.high <= 1 + 1e-12


def test_one_rating_counts_in_shares_only():
    counts = np.array([[2, 0], [1, 1], [0, 2], [2, 0]])
    more = np.vstack([counts, [[0, 1]] * 3])
    observed, share = 0.75, np.array([5 / 8 * 4, 3 / 8 * 4 + 3]) / 7
    assert fleiss_kappa(more).value == pytest.approx((observed - share @ share) / (1 - share @ share))


def test_missing_rating_is_no_category():
    ratings = np.array([[0, 0, np.nan], [1, 1, np.nan], [0, 0, np.nan], [1, 1, 1]])
    assert fleiss_kappa(counts_from_ratings(ratings)).value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ([[3, 0], [2, 0]], "one category"),
        ([[1, 0], [0, 1]], "two ratings"),
        (np.zeros((3, 2)), "no item has a rating"),
        (np.zeros((0, 2)), "no item has a rating"),
    ],
)
def test_undefined_has_a_reason(counts, reason):
    found = fleiss_kappa(counts)
    assert np.isnan(found.value)
    assert reason in found.reason


def test_unanimous_in_two_classes_is_one_but_not_certain():
    found = fleiss_kappa([[3, 0]] * 10 + [[0, 3]] * 10)
    assert found.value == 1.0
    assert found.low < 0.95


@pytest.mark.parametrize("counts", [[1, 2], [[-1, 2]], [[np.nan, 1]]])
def test_bad_counts(counts):
    with pytest.raises(ValueError, match="counts"):
        fleiss_kappa(counts)


@pytest.mark.parametrize(
    "options", [{"sample_weight": [1]}, {"sample_weight": [1, -1]}, {"level": 1.0}, {"interval": "x"}, {"scale": "x"}]
)
def test_bad_options(options):
    with pytest.raises(ValueError, match="must"):
        fleiss_kappa([[2, 1], [1, 2]], **options)


def test_scale_of_weights_changes_nothing():
    counts = counts_from_ratings(simulate_ratings(np.random.default_rng(0), 100))
    weight = np.random.default_rng(1).uniform(0.5, 3, 100)
    one, two = fleiss_kappa(counts, sample_weight=weight), fleiss_kappa(counts, sample_weight=weight * 1e-6)
    np.testing.assert_allclose(
        [one.value, one.se, one.low, one.high], [two.value, two.se, two.low, two.high], rtol=1e-9
    )
    assert one.n_effective < 100


def test_linearised_error_is_the_bootstraps():
    ratings = simulate_ratings(np.random.default_rng(5), 400, missing=0.4)
    counts = counts_from_ratings(ratings)
    weight = np.random.default_rng(1).uniform(0.5, 3, 400)
    fast = fleiss_kappa(counts, sample_weight=weight)
    slow = fleiss_kappa(counts, sample_weight=weight, replicates=400, random_state=2)
    assert fast.value == slow.value
    assert fast.se == pytest.approx(slow.se, rel=0.15)
    assert "bootstrap" in slow.method


def test_replicate_weights_of_clusters_widen():
    counts = np.repeat(counts_from_ratings(simulate_ratings(np.random.default_rng(5), 60)), 8, axis=0)
    cluster = np.repeat(np.arange(60), 8)
    made = replicate_weights(np.ones(480), cluster=cluster, n_replicates=200, random_state=0)
    clustered, plain = fleiss_kappa(counts, replicates=made), fleiss_kappa(counts)
    assert clustered.se > 2 * plain.se


def test_warns_where_a_class_is_rare():
    rare = simulate_ratings(np.random.default_rng(0), 50, shares=(0.92, 0.08))
    assert "rough" in fleiss_kappa(counts_from_ratings(rare)).reason
    common = simulate_ratings(np.random.default_rng(0), 500)
    assert fleiss_kappa(counts_from_ratings(common)).reason is None


def test_unanimous_items_only_differ_by_whole_numbers_of_raters():
    large = np.array([[3_000_000, 0], [0, 2], [1, 1]])
    assert np.isfinite(fleiss_kappa(large).value)
