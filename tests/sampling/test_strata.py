import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import collapse_single
from comoderate.sampling.strata import encode


def codes(counts):
    return np.repeat(np.arange(len(counts)), counts)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12))
def test_every_stratum_has_two_units(counts):
    units = np.array(counts)
    new = collapse_single(codes(counts), units)
    if units.sum() > 1:
        assert np.unique(new, return_counts=True)[1].min() >= 2
    large = units[codes(counts)] > 1
    np.testing.assert_array_equal(new[large], codes(counts)[large])


def test_the_rule():
    def rule(counts):
        return collapse_single(codes(counts), np.array(counts)).tolist()

    assert rule([1, 3, 1]) == [0, 1, 1, 1, 0]
    assert rule([1, 1, 1]) == [0, 0, 0]
    assert rule([1, 1, 1, 1]) == [0, 0, 2, 2]
    assert rule([2, 1, 2]) == [0, 0, 0, 2, 2]
    assert rule([1, 2]) == [1, 1, 1]
    assert rule([1]) == [0]


@given(st.lists(st.integers(-5, 90), max_size=30))
def test_encode_agrees_with_numpy(items):
    for array in (np.array(items, dtype=int), np.array(items, dtype=int).astype(str), np.array(items, dtype=float)):
        coded = encode(array, len(items))
        values, code, count = np.unique(array, return_inverse=True, return_counts=True)
        assert coded.values.tolist() == values.tolist()
        assert coded.code.tolist() == code.tolist()
        assert coded.counts.tolist() == count.tolist()


def test_encode():
    coded = encode(np.array(["b", "a", "b"], dtype=object), 3)
    assert coded.code.tolist() == [1, 0, 1]
    assert coded.counts.tolist() == [1, 2]
    mixed = encode(np.array([("x", 1), ("a", 2), ("x", 1)], dtype=[("a", "U1"), ("b", int)]), 3)
    assert mixed.code.tolist() == [1, 0, 1]
    tuples = np.empty(3, dtype=object)
    tuples[:] = [("x", 1), ("a", 2), ("x", 1)]
    assert encode(tuples, 3).code.tolist() == [1, 0, 1]
    assert encode(np.array([1, "a"], dtype=object), 2).code.tolist() == [0, 1]
    assert encode(None, 2).code.tolist() == [0, 0]
    for bad in ([1.0, np.nan, 2.0], np.array(["a", None, "b"], dtype=object)):
        with pytest.raises(ValueError, match="must not be missing"):
            encode(bad, 3)
    with pytest.raises(ValueError, match="one value a post"):
        encode([1, 2], 3, name="cluster")
