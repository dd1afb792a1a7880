import numpy as np
import pytest

from comoderate.metrics.inputs import as_fractions, as_probabilities, as_threshold, as_vector, as_weights, ratio


def test_division_by_nothing_is_nan():
    np.testing.assert_array_equal(ratio([1.0, 1.0], [0.0, 2.0]), [np.nan, 0.5])
    assert np.isnan(ratio(0.0, 0.0))


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (as_fractions, -0.1),
        (as_fractions, float("nan")),
        (as_fractions, [[0.1]]),
        (as_probabilities, [1.01]),
        (as_threshold, float("nan")),
        (lambda v: as_vector(v, "x"), [[1.0]]),
        (lambda v: as_vector(v, "x"), [np.nan]),
        (lambda v: as_weights(v, 1), [np.inf]),
        (lambda v: as_weights(v, 2), [1.0]),
    ],
)
def test_bad_input_is_refused(check, value):
    with pytest.raises(ValueError):
        check(value)
