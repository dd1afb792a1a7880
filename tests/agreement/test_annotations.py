from __future__ import annotations

import numpy as np
import pytest

from comoderate.agreement.annotations import check_annotations


def test_sizes_and_counts():
    data = check_annotations([0, 0, 2], [0, 1, 3], [1, 0, 1], cohort=[0, 1, 0], n_items=4, n_categories=3)
    assert (data.n_items, data.n_raters, data.n_categories, data.n_cohorts) == (4, 4, 3, 2)
    np.testing.assert_array_equal(data.counts(), [[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]])
    np.testing.assert_array_equal(data.counts_of((1,)), [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert data.incidence().toarray().sum() == 3
    np.testing.assert_array_equal(data.truth, [-1] * 4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cohort": [0, 1]}, "two cohorts"),
        ({"truth": [0, 1, 1]}, "truth"),
        ({"n_raters": 0}, "rater holds code 0"),
        ({"sample_weight": [1]}, "sample_weight"),
        ({"cohort": [0]}, "cohort"),
    ],
)
def test_errors(options, words):
    with pytest.raises(ValueError, match=words):
        check_annotations([0, 1], [0, 0], [0, 1], **options)


def test_unknown_raters_are_refused():
    with pytest.raises(ValueError, match="rater must be whole numbers from 0"):
        check_annotations([0, 1], [-1, -1], [0, 1])
