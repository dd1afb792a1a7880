from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.agreement.crowds import rating_tables, simulate_ratings

from comoderate.agreement import (
    class_kappa,
    counts_from_ratings,
    fleiss_kappa,
    polarisation,
    polarised_posts,
    post_class_kappa,
    post_kappa,
    systemic_disagreement,
)
from comoderate.metrics.estimate import Estimate


def test_reference(reference):
    mean = np.nanmean(post_kappa(reference.counts))
    known = reference.own["paper_kappa_fixed_N"] if reference.complete else fleiss_kappa(reference.counts).value
    assert mean == pytest.approx(known, abs=1e-9)


@given(rating_tables())
def test_classes_and_posts_add_up(ratings):
    counts = counts_from_ratings(ratings, categories=[0, 1, 2])
    weight = 1.0 + np.arange(len(counts)) % 3
    whole = fleiss_kappa(counts, sample_weight=weight)
    parts = class_kappa(counts, sample_weight=weight)
    posts = post_kappa(counts, sample_weight=weight)
    many = counts.sum(axis=1) >= 2
    if np.isnan(whole.value):
        assert all(np.isnan(p.value) for p in parts)
        assert np.isnan(posts).all()
    else:
        assert sum(p.value for p in parts) == pytest.approx(whole.value, abs=1e-9)
        assert np.average(posts[many], weights=weight[many]) == pytest.approx(whole.value, abs=1e-9)
        by_class = np.average(post_class_kappa(counts, sample_weight=weight)[many], axis=0, weights=weight[many])
        np.testing.assert_allclose(by_class, [p.value for p in parts], atol=1e-9)


def test_class_kappa_error_is_the_bootstraps():
    counts = counts_from_ratings(simulate_ratings(np.random.default_rng(3), 400, missing=0.2))
    rng = np.random.default_rng(0)
    drawn = [[e.value for e in class_kappa(counts[rng.integers(0, len(counts), len(counts))])] for _ in range(200)]
    np.testing.assert_allclose([e.se for e in class_kappa(counts)], np.std(drawn, axis=0), rtol=0.25)


def test_polarisation():
    counts = [[2, 0, 2], [4, 0, 0], [1, 2, 1], [2, 2, 0], [1, 0, 0], [1, 0, 2], [0, 0, 0]]
    found = polarisation(counts)
    np.testing.assert_allclose(found[[0, 1, 2, 3, 5]], [1, 0, 0.5, 0.25, 1])
    assert np.isnan(found[[4, 6]]).all()
    np.testing.assert_array_equal(polarised_posts(counts), [0, 5])
    np.testing.assert_array_equal(polarised_posts(counts, at_least=0.2, limit=3), [0, 5, 2])


def test_polarisation_takes_values():
    assert polarisation([[1, 1, 0]], values=[0, 9, 10])[0] == pytest.approx(0.81)
    with pytest.raises(ValueError, match="ascending"):
        polarisation([[1, 1, 0]], values=[0, 0, 1])


def test_systemic_disagreement():
    divided = systemic_disagreement(fleiss_kappa([[2, 2]] * 30 + [[2, 1]] * 30))
    assert divided.systemic
    assert divided.certain
    assert "Systemic disagreement" in divided.sentence
    unsure = systemic_disagreement(Estimate(-0.1, low=-0.4, high=0.2))
    assert unsure.systemic
    assert not unsure.certain
    assert "luck" in unsure.sentence
    for fine in (Estimate(0.3), Estimate.undefined("no ratings")):
        assert systemic_disagreement(fine) == (False, False, "")
