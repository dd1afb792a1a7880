import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from comoderate.errors import ComoderateError
from comoderate.models.training import check_training, split_soft

unit = st.floats(0, 1, allow_nan=False)


@given(hnp.arrays(np.float64, st.integers(1, 20), elements=unit))
def test_split_rows_keep_weight_and_positive_weight(labels):
    weight = np.arange(len(labels), dtype=float)
    rows = split_soft(labels, weight)
    assert np.isclose(rows.weight.sum(), weight.sum())
    assert np.isclose(rows.weight[rows.label == 1].sum(), (weight * labels).sum())
    assert (rows.weight > 0).all()
    assert np.allclose(np.bincount(rows.row, rows.weight, minlength=len(labels)), weight)


def test_weights_have_mean_one_over_rows_that_count():
    labels, weight = check_training(["a", "b", "c"], [1, 1, 0], [0.0, 10.0, 30.0])
    assert weight.tolist() == [0.0, 0.5, 1.5]
    assert labels.tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(("y", "word"), [([0, 0], "negative"), ([1, 1], "positive")])
def test_one_class_is_refused(y, word):
    with pytest.raises(ComoderateError, match=f"all 2 posts to train on are {word}"):
        check_training(["a", "b"], y, None)


def test_a_class_of_weight_zero_does_not_count():
    with pytest.raises(ComoderateError, match="all 2 posts to train on are negative"):
        check_training(["a", "b", "c"], [0, 0, 1], [1, 1, 0])


def test_nothing_to_train_on():
    with pytest.raises(ComoderateError, match="nothing to train on"):
        check_training([], [], None)


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        ([0, 1, 1], None, "shape"),
        ([0, np.nan], None, "without NaN"),
        ([0, 1.5], None, "lie in"),
        ([0, 1], [1, -1], "not negative"),
        ([0, 1], [1, np.inf], "finite"),
        ([0, 1], [1, 1, 1], "sample_weight must have shape"),
    ],
)
def test_bad_arrays(y, weight, message):
    with pytest.raises(ValueError, match=message):
        check_training(["a", "b"], y, weight)
