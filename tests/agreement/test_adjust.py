from __future__ import annotations

import numpy as np
import pytest
from tests.agreement.crowds import simulate_ratings

from comoderate.agreement import counts_from_ratings, fleiss_kappa
from comoderate.agreement.adjust import doubt, invented_counts


def test_invented_items():
    rows = np.array([[3.0, 0, 0], [1, 2, 0], [0, 0, 3]])
    found = invented_counts(rows, np.array([10.0, 1, 1]))
    np.testing.assert_allclose(found, [[3, 0, 0], [0, 3, 0], [0, 0, 3], [2, 1, 0], [2, 0, 1]])


def test_invented_items_have_two_ratings_at_least():
    assert (invented_counts(np.array([[1.0, 0], [0, 1]]), np.ones(2)).sum(axis=1) == 2).all()


def test_doubt():
    rows = np.array([[3.0, 0], [2, 1]])
    assert "category 1 was chosen on only 4 of 100" in str(doubt(rows, np.array([96.0, 4])))
    assert doubt(rows, np.array([50.0, 50])) is None
    assert doubt(np.array([[3.0, 0, 0], [1, 2, 0]]), np.array([50.0, 50])) is None


def test_adjustment_fades():
    counts = counts_from_ratings(simulate_ratings(np.random.default_rng(0), 4000))
    adjusted, wald = fleiss_kappa(counts), fleiss_kappa(counts, interval="wald")
    assert [adjusted.low, adjusted.high] == pytest.approx([wald.low, wald.high], abs=2e-3)
    assert adjusted.se == wald.se
