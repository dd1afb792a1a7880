"""Attributes made coarse until nobody stands out."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate.study.coarsening import OTHER, coarsen

people = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("uvwxyz"), st.sampled_from(["1", None])), max_size=40
)


@settings(max_examples=30)
@given(people, st.integers(1, 6))
def test_every_combination_is_shared_by_k(rows, k):
    table = pd.DataFrame(rows, columns=["one", "two", "three"], dtype=object)
    found = coarsen(table, k)
    assert found.shape == table.shape
    sizes = found.value_counts()
    assert len(rows) < k or sizes.min() >= k if len(rows) else found.empty
    if len(rows) < k:
        assert (found == OTHER).all(axis=None)


def test_no_more_is_lost_than_needed():
    table = pd.DataFrame({"sex": ["f", "m"] * 10, "town": ["x"] * 10 + ["y"] * 9 + ["z"]})
    found = coarsen(table, 4)
    assert found["sex"].tolist() == table["sex"].tolist()
    assert set(found.loc[found["sex"] == "f", "town"]) == {"x", "y"}
    assert set(found.loc[found["sex"] == "m", "town"]) == {"x", OTHER}
    assert coarsen(table, 1).equals(table.astype(str))
    with pytest.raises(ValueError, match="k must"):
        coarsen(table, 0)
