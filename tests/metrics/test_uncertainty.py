import numpy as np
import pytest
from hypothesis import given
from tests.metrics import brute
from tests.metrics.strategies import posts

import comoderate.metrics as m


@given(posts())
def test_the_label_is_a_wrong_decision(data):
    y, p, u, w = data
    wrong = ((p > 0.3) != (y == 1)).astype(float)
    arguments = {"threshold": 0.3, "sample_weight": w}
    np.testing.assert_allclose(m.calibration_auroc(y, p, u, **arguments), brute.auroc(wrong, u, w), atol=1e-10)
    got = m.calibration_average_precision(y, p, u, **arguments)
    np.testing.assert_allclose(got, brute.average_precision(wrong, u, w), atol=1e-10)


def test_review_scores_may_be_any_numbers_but_nan():
    assert m.calibration_auroc([0, 0, 1], [0.9, 0.1, 0.9], [7.0, -3.0, -np.inf]) == 1.0
    with pytest.raises(ValueError, match="review_score"):
        m.calibration_auroc([0, 1], [0.9, 0.1], [np.nan, 1.0])


def test_undefined_without_errors():
    assert np.isnan(m.calibration_auroc([0, 1], [0.1, 0.9], [1, 2]))
    assert np.isnan(m.calibration_average_precision([0, 1], [0.1, 0.9], [1, 2]))
