import numpy as np
import pytest

from comoderate.review.extras import calibrated_of, error_probability, needed, threshold_of, weight_of


def test_defaults():
    p = np.array([0.2, 0.7])
    assert calibrated_of(p, {}) is p
    assert threshold_of({}) == 0.5
    np.testing.assert_array_equal(weight_of(p, {}), [1, 1])
    np.testing.assert_allclose(error_probability(p, {}), [0.2, 0.3])


def test_what_is_given_is_checked():
    p = np.array([0.2, 0.7])
    with pytest.raises(ValueError, match="calibrated"):
        calibrated_of(p, {"calibrated": [0.1]})
    with pytest.raises(ValueError, match="needs arms"):
        needed("arms", "x", p, {})
