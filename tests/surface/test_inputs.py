import numpy as np
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from comoderate.surface.inputs import find_rows, unique_rows

CODES = st.integers(1, 4).flatmap(
    lambda width: arrays(np.int64, st.tuples(st.integers(1, 12), st.just(width)), elements=st.integers(-3, 4))
)


@hypothesis_settings(max_examples=40)
@given(CODES, st.sampled_from([1, 2**20, 2**60]))
def test_different_rows_are_those_of_numpy(codes, factor):
    """Also where the codes are too large to be the digits of one number."""
    rows, inverse = unique_rows(codes * factor)
    wanted, places = np.unique(codes * factor, axis=0, return_inverse=True)
    assert np.array_equal(rows, wanted)
    assert np.array_equal(inverse, places.reshape(-1))


def test_rows_are_found_or_not():
    known = np.array([[3, 1], [0, 2]])
    assert find_rows(known, np.array([[0, 2], [1, 1], [3, 1]])).tolist() == [1, -1, 0]
    assert find_rows(known, np.empty((0, 2), dtype=np.int64)).tolist() == []
    assert find_rows(known[:0], known).tolist() == [-1, -1]
