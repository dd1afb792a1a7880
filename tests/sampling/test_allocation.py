import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import allocate

counts = st.lists(st.integers(0, 500), min_size=1, max_size=12)


@given(counts, st.integers(0, 3000), st.data())
def test_sum_and_caps(totals, size, data):
    caps = data.draw(st.lists(st.integers(0, 400), min_size=len(totals), max_size=len(totals)))
    got = allocate(totals, size, caps=caps)
    assert got.dtype == np.int64
    assert got.sum() == min(size, sum(caps))
    assert np.all((got >= 0) & (got <= caps))


@given(counts, st.floats(0, 1))
def test_within_one_of_proportional(totals, share):
    size = int(share * sum(totals))
    got = allocate(totals, size)
    exact = np.array(totals) * size / max(sum(totals), 1)
    assert got.sum() == size
    assert np.all(np.abs(got - exact) < 1)


@given(counts, st.floats(0, 1), st.floats(0, 1), st.data())
def test_extension_takes_nothing_away(totals, first, second, data):
    caps = [data.draw(st.integers(0, t)) for t in totals]
    small, large = sorted(int(f * sum(caps)) for f in (first, second))
    before = allocate(totals, small, caps=caps)
    after = allocate(totals, large, caps=caps, floors=before)
    assert np.all(after >= before)
    assert after.sum() == large
    assert np.all(after <= caps)


def test_growing_without_floors_can_take_away():
    totals = [6, 6, 2]  # the Alabama paradox
    assert allocate(totals, 10).tolist() == [4, 4, 2]
    assert allocate(totals, 11, caps=[9, 9, 9]).tolist() == [5, 5, 1]
    assert allocate(totals, 11, floors=[4, 4, 2]).tolist() == [5, 4, 2]


def test_surplus_of_capped_strata_is_spread_in_proportion():
    assert allocate([1000, 200, 100], 260, caps=[50, 200, 100]).tolist() == [50, 140, 70]


def test_ties_go_to_the_first():
    assert allocate([1, 1, 1], 2).tolist() == [1, 1, 0]


def test_no_caps_means_totals_and_infinite_caps_mean_none():
    assert allocate([3, 1], 100).tolist() == [3, 1]
    assert allocate([3, 1], 100, caps=[np.inf, np.inf]).tolist() == [75, 25]


@pytest.mark.parametrize(
    ("totals", "options"),
    [([-1, 2], {}), ([np.nan], {}), ([1, 2], {"caps": [-1, 1]}), ([5], {"floors": [4]}), ([[1]], {})],
)
def test_bad_input(totals, options):
    with pytest.raises(ValueError):
        allocate(totals, 3, **options)
