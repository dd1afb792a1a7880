import numpy as np
import pytest

from comoderate.review import RaterDisagreement, readings, two_raters_differ


def test_disagreement_is_given_or_follows_from_soft_labels():
    p = [0.2, 0.4]
    np.testing.assert_allclose(RaterDisagreement().score(p, disagreement=[0.1, 0.3]), [0.1, 0.3])
    np.testing.assert_allclose(RaterDisagreement().score(p, soft=[0.5, 1.0]), [0.5, 0.0])
    np.testing.assert_allclose(two_raters_differ([0.1]), [0.18])
    with pytest.raises(ValueError, match="disagreement"):
        RaterDisagreement().score(p)


def test_doubtful_posts_get_two_readings_within_the_capacity():
    got = readings([2, 0, 1, 3], [0.5, 0.1, 0.4, 0.5], capacity=4)
    np.testing.assert_array_equal(got, [2, 0, 2, 0])
    np.testing.assert_array_equal(readings([0, 1], [0.5, 0.5], capacity=3), [2, 1])
    np.testing.assert_array_equal(readings([0, 1], [0.1, 0.1], capacity=9), [1, 1])
