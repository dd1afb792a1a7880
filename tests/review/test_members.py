import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.review import (
    MemberVariance,
    MutualInformation,
    information_from_variance,
    mutual_information,
    variance_of,
)


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 1000))
def test_the_parts_of_variance_add_up(members, n, seed):
    table = np.random.default_rng(seed).random((members, n)).round(1)
    parts = variance_of(table)
    mean = table.mean(axis=0)
    np.testing.assert_allclose(parts.total, mean * (1 - mean))
    np.testing.assert_allclose(parts.aleatoric, (table * (1 - table)).mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(parts.epistemic, table.var(axis=0))
    information = mutual_information(table)
    assert (information >= 0).all()
    assert (information <= np.log(2) + 1e-12).all()


def test_information_is_one_bit_where_sure_members_contradict():
    np.testing.assert_allclose(mutual_information([[0.0, 0.3], [1.0, 0.3]]), [np.log(2), 0.0], atol=1e-12)


def test_strategies_need_members():
    p = np.array([0.5, 0.3])
    members = np.array([[0.0, 0.3], [1.0, 0.3]])
    np.testing.assert_allclose(MemberVariance().score(p, members=members), [0.25, 0.0])
    np.testing.assert_allclose(MemberVariance().score(p, epistemic=[0.1, 0.2]), [0.1, 0.2])
    assert MutualInformation().score(p, members=members)[0] > 0.5
    for bad in ({}, {"members": [[0.1]]}, {"members": [0.1, 0.2]}):
        with pytest.raises(ValueError, match="members"):
            MemberVariance().score(p, **bad)


@given(st.integers(2, 6), st.floats(0.05, 0.95), st.integers(0, 100))
def test_information_follows_from_the_variance_where_members_are_near_one_another(members, middle, seed):
    near = np.clip(middle + np.random.default_rng(seed).normal(scale=0.002, size=(members, 20)), 0, 1)
    got = information_from_variance(near.mean(axis=0), near.var(axis=0))
    np.testing.assert_allclose(got, mutual_information(near), rtol=0.1, atol=1e-9)
    np.testing.assert_array_equal(MutualInformation().score(near.mean(axis=0), epistemic=near.var(axis=0)), got)


def test_sure_scores_hold_no_information_about_the_model():
    np.testing.assert_array_equal(information_from_variance([0.0, 1.0, 0.5], [0.0, 0.0, 0.0]), [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="epistemic"):
        information_from_variance([0.5], [0.1, 0.2])
