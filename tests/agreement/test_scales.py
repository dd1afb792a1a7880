from __future__ import annotations

import numpy as np
import pytest

from comoderate.agreement import agreement_weights


def test_values():
    np.testing.assert_array_equal(agreement_weights(3), np.eye(3))
    np.testing.assert_allclose(agreement_weights(3, "linear")[0], [1, 0.5, 0])
    np.testing.assert_allclose(agreement_weights(3, "quadratic")[0], [1, 0.75, 0])
    np.testing.assert_allclose(agreement_weights(3, "ordinal")[0], [1, 2 / 3, 0])
    np.testing.assert_allclose(agreement_weights(3, "linear", values=np.array([0.0, 1, 10]))[0], [1, 0.9, 0])


def test_one_category():
    for scale in ("identity", "linear", "quadratic", "ordinal"):
        np.testing.assert_array_equal(agreement_weights(1, scale), [[1]])


@pytest.mark.parametrize("scale", ["other", np.eye(2), np.array([[1, 0.5, 0], [0.2, 1, 0], [0, 0, 1]])])
def test_errors(scale):
    with pytest.raises(ValueError, match="scale"):
        agreement_weights(3, scale)
