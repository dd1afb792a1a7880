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


def test_encode():
    coded = encode(np.array(["b", "a", "b"], dtype=object), 3)
    assert coded.code.tolist() == [1, 0, 1]
    assert coded.counts.tolist() == [1, 2]
    assert encode(None, 2).code.tolist() == [0, 0]
    for bad in ([1.0, np.nan, 2.0], np.array(["a", None, "b"], dtype=object)):
        with pytest.raises(ValueError, match="must not be missing"):
            encode(bad, 3)
    with pytest.raises(ValueError, match="one value a post"):
        encode([1, 2], 3, name="cluster")
