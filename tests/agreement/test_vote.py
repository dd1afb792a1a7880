from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from comoderate.agreement import majority_vote, soft_labels
from comoderate.agreement.vote import TIES

COUNTS = hnp.arrays(np.int64, st.tuples(st.integers(1, 20), st.integers(1, 4)), elements=st.integers(0, 3))


@pytest.mark.parametrize(
    ("ties", "labels"),
    [
        ("abstain", [-1, -1, -1, 1, -1]),
        ("ordinal-median", [1, 0, 1, 1, -1]),
        ("first", [0, 0, 1, 1, -1]),
        ("last", [2, 2, 2, 1, -1]),
        ("positive", [2, 2, 2, 1, -1]),
        ("negative", [0, 0, 1, 1, -1]),
    ],
)
def test_rules(ties, labels):
    counts = [[1, 1, 1], [2, 0, 2], [0, 2, 2], [0, 3, 1], [0, 0, 0]]
    np.testing.assert_array_equal(majority_vote(counts, ties=ties), labels)


def test_positive_codes():
    counts = [[2, 1, 2], [2, 2, 0]]
    np.testing.assert_array_equal(majority_vote(counts, ties="positive", positive=[1, 2]), [2, 1])
    np.testing.assert_array_equal(majority_vote([[0, 1, 1]], ties="negative", positive=[1, 2]), [-1])


def test_experts_settle_ties():
    counts = [[1, 1, 0], [1, 1, 0], [1, 1, 0], [3, 1, 0]]
    experts = [[0, 1, 5], [0, 0, 1], [1, 1, 0], [0, 9, 0]]
    np.testing.assert_array_equal(majority_vote(counts, ties="expert", expert_counts=experts), [1, -1, -1, 0])


@given(COUNTS)
def test_every_rule_keeps_clear_majorities(counts):
    top = counts.max(axis=1, keepdims=True)
    clear = ((counts == top).sum(axis=1) == 1) & (top[:, 0] > 0)
    for ties in TIES:
        label = majority_vote(counts, ties=ties, expert_counts=counts)
        np.testing.assert_array_equal(label[clear], counts[clear].argmax(axis=1))
        assert (label[top[:, 0] == 0] == -1).all()


@given(COUNTS)
def test_median_is_the_median(counts):
    label = majority_vote(counts, ties="ordinal-median")
    for row, code in zip(counts, label):
        if (row == row.max()).sum() > 1 and row.max() > 0:
            votes = np.repeat(np.arange(row.size), row)
            assert code == votes[(votes.size - 1) // 2]


@given(COUNTS)
def test_soft_labels(counts):
    soft = soft_labels(counts)
    rated = counts.sum(axis=1) > 0
    np.testing.assert_allclose(soft[rated].sum(axis=1), 1)
    assert np.isnan(soft[~rated]).all()


@pytest.mark.parametrize(
    "options", [{"ties": "toss"}, {"ties": "expert"}, {"ties": "expert", "expert_counts": [[1, 1, 1]]}]
)
def test_errors(options):
    with pytest.raises(ValueError, match=r"ties|expert_counts"):
        majority_vote([[1, 1]], **options)
