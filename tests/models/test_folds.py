import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.models.folds import components, group_folds

keys = st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), min_size=12, max_size=12)


def brute_components(*arrays):
    group = list(range(len(arrays[0])))
    for _ in group:
        for array in arrays:
            for i, left in enumerate(array):
                for j, right in enumerate(array):
                    if left is not None and left == right:
                        group[i] = group[j] = min(group[i], group[j])
    order = {}
    return [order.setdefault(one, len(order)) for one in group]


@given(keys, keys, keys)
def test_components_equal_brute_force(first, second, third):
    assert components(first, second, third).tolist() == brute_components(first, second, third)


def test_values_of_different_arrays_are_not_compared():
    assert components(["a", "b"], ["b", "a"]).tolist() == [0, 1]


def test_nan_and_none_join_nothing():
    assert components([None, None, "x"], np.array([np.nan, np.nan, np.nan])).tolist() == [0, 1, 2]
    assert components(np.array([3, 4, 3])).tolist() == [0, 1, 0]
    assert components([]).tolist() == []


def test_bad_keys():
    with pytest.raises(ValueError, match="one length"):
        components(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="at least one"):
        components()


@given(st.lists(st.text(max_size=5), max_size=20), st.integers(0, 5))
def test_folds_depend_on_the_group_alone(groups, seed):
    folds = group_folds(groups, n_folds=5, seed=seed)
    assert folds.tolist() == [group_folds([one], n_folds=5, seed=seed)[0] for one in groups]
    assert ((folds >= 0) & (folds < 5)).all()


def test_folds_are_stable_for_ever():
    assert group_folds(["a", "b", "c", "d"], n_folds=10, seed=1).tolist() == [6, 3, 5, 9]


def test_folds_are_about_equal_and_differ_by_seed():
    names = [f"post-{i}" for i in range(10_000)]
    folds = group_folds(names, n_folds=5, seed=0)
    assert np.abs(np.bincount(folds) - 2000).max() < 160
    assert (folds == group_folds(names, n_folds=5, seed=1)).mean() < 0.25


def test_too_few_folds():
    with pytest.raises(ValueError, match="at least 2"):
        group_folds(["a"], n_folds=1, seed=0)
