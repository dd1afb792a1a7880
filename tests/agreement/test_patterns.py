from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.agreement.crowds import rating_tables

from comoderate.agreement.patterns import patterns_of, rating_patterns


@given(rating_tables())
def test_rows_are_found_again(ratings):
    found = rating_patterns(ratings, None)
    kept = ratings if found.items is None else ratings[found.items]
    np.testing.assert_array_equal(found.rows[found.code], kept)
    assert found.n == (~np.isnan(ratings)).any(axis=1).sum()


@pytest.mark.parametrize("scale", [1, 0.5, 10_000_000])
def test_counts_of_any_size(scale):
    counts = np.random.default_rng(0).integers(0, 4, (50, 3)) * float(scale)
    counts[7] = 0
    weight = np.ones(50)
    weight[3] = 0
    found = patterns_of(counts, weight)
    np.testing.assert_array_equal(found.rows[found.code], counts[found.items])
    assert not np.isin([3, 7], found.items).any()
    np.testing.assert_array_equal(found.of_given(np.arange(50.0)), found.items)
    assert found.totals(found.weight).sum() == found.n


def test_fractions_stay_a_row_an_item():
    ratings = np.array([[0.5, 1], [0.5, 1], [np.nan, np.nan]])
    assert len(rating_patterns(ratings, None).rows) == 2


def test_many_items_take_few_patterns():
    ratings = np.random.default_rng(0).integers(0, 3, (5000, 3)).astype(float)
    assert len(rating_patterns(ratings, None).rows) == 27


@pytest.mark.parametrize("shift", [-5, 1e6, 1e15])
def test_ratings_far_from_zero(shift):
    ratings = np.random.default_rng(0).integers(0, 3, (200, 3)) + shift
    for table in (ratings, ratings.astype(np.int64)):
        found = rating_patterns(table, None)
        np.testing.assert_array_equal(found.rows[found.code], ratings)
