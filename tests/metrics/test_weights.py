"""For every metric: whole weights have the value of repeated rows, and all weights times a number change nothing."""

import numpy as np
import pytest
from hypothesis import given
from tests.metrics.strategies import posts

import comoderate.metrics as m

OF_SCORES = [m.auroc, m.average_precision, m.accuracy, m.precision, m.recall, m.f1, m.false_positive_rate, m.best_f1]
OF_SCORES += [m.brier_score, m.expected_calibration_error, m.reliability_diagram]
OF_THE_PAIR = [m.calibration_auroc, m.calibration_average_precision, m.area_under_risk_coverage]
AT_FRACTIONS = [
    m.oracle_collaborative_accuracy,
    m.oracle_collaborative_auroc,
    m.oracle_collaborative_average_precision,
    m.oracle_collaborative_precision,
    m.oracle_collaborative_recall,
    m.oracle_collaborative_f1,
    m.review_efficiency,
    m.review_effectiveness,
]
EVERY = [(fn, 2, {}) for fn in OF_SCORES] + [(fn, 3, {}) for fn in OF_THE_PAIR]
EVERY += [(fn, 3, {"review_fraction": [0.0, 0.2, 0.6, 1.0]}) for fn in AT_FRACTIONS]
EVERY += [(m.risk_at_coverage, 3, {"coverage": [0.3, 1.0]})]


def values(fn, result):
    """What must be equal: not the threshold of the best F1, nor the weight of a bin."""
    return np.asarray(result[:3] if fn is m.best_f1 else result[:2] if fn is m.reliability_diagram else result)


@pytest.mark.parametrize(("fn", "arity", "options"), EVERY, ids=lambda x: getattr(x, "__name__", ""))
@given(posts(whole=True))
def test_whole_weights_are_repeated_rows(fn, arity, options, data):
    weight = data[3]
    rows = np.repeat(np.arange(len(weight)), weight.astype(int))
    if len(rows) == 0:
        return
    weighted = fn(*data[:arity], sample_weight=weight, **options)
    repeated = fn(*(array[rows] for array in data[:arity]), **options)
    np.testing.assert_allclose(values(fn, weighted), values(fn, repeated), atol=1e-9)


@pytest.mark.parametrize(("fn", "arity", "options"), EVERY, ids=lambda x: getattr(x, "__name__", ""))
@given(posts(whole=False))
def test_the_scale_of_weights_is_nothing(fn, arity, options, data):
    y, p, u, w = data
    w = w + 0.123
    arrays = (y, p, u)[:arity]
    one, two = (fn(*arrays, sample_weight=w * scale, **options) for scale in (1.0, 2.0))
    np.testing.assert_allclose(values(fn, one), values(fn, two), atol=1e-9)
