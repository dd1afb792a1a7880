import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.review import MemberVariance, MutualInformation, mutual_information, variance_of


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
