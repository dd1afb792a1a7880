from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.agreement.crowds import rating_tables

from comoderate.agreement import (
    counts_from_annotations,
    counts_from_ratings,
    pack_ratings,
    ratings_from_annotations,
    ratings_from_counts,
)


@given(rating_tables())
def test_there_and_back(ratings):
    counts = counts_from_ratings(ratings, categories=[0, 1, 2])
    packed = ratings_from_counts(counts)
    np.testing.assert_array_equal(counts_from_ratings(packed, categories=[0, 1, 2]), counts)
    item, rater = np.nonzero(~np.isnan(ratings))
    value = ratings[item, rater]
    size = {"n_items": len(ratings)}
    np.testing.assert_array_equal(
        ratings_from_annotations(item, rater, value, n_raters=ratings.shape[1], **size), ratings
    )
    again = counts_from_annotations(item, value.astype(int), n_categories=3, **size)
    np.testing.assert_array_equal(again, counts)
    loose = pack_ratings(item, value, **size)
    if loose.size:
        np.testing.assert_array_equal(counts_from_ratings(loose, categories=[0, 1, 2]), counts)


def test_last_answer_stands():
    np.testing.assert_array_equal(ratings_from_annotations([0, 0, 0], [1, 1, 0], [2, 5, 7]), [[7, 5]])


def test_weights_of_annotations():
    np.testing.assert_array_equal(counts_from_annotations([0, 0, 1], [1, 1, 0], weight=[2, 0.5, 1]), [[0, 2.5], [1, 0]])


def test_no_annotations():
    assert counts_from_annotations([], [], n_items=2, n_categories=3).shape == (2, 3)
    assert pack_ratings([], [], n_items=2).shape == (2, 0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: counts_from_ratings([[1, 2]], categories=[1]), "not among"),
        (lambda: counts_from_ratings([1, 2]), "table"),
        (lambda: counts_from_ratings([[np.inf]]), "finite"),
        (lambda: ratings_from_counts([[0.5]]), "whole"),
        (lambda: ratings_from_counts([[1]], categories=[1, 2]), "categories"),
        (lambda: counts_from_annotations([0, -1], [0, 0]), "whole numbers from 0"),
        (lambda: counts_from_annotations([0, 1], [0]), "one row"),
        (lambda: counts_from_annotations([0, 5], [0, 0], n_items=2), "only 2"),
    ],
)
def test_errors(call, words):
    with pytest.raises(ValueError, match=words):
        call()
