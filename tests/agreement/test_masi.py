from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from comoderate.agreement import fleiss_kappa, fleiss_kappa_by_answer, krippendorff_alpha_sets, masi_distance

SETS = hnp.arrays(np.bool_, st.tuples(st.integers(1, 8), st.integers(1, 4)))


def masi(a: set[int], b: set[int]) -> float:
    if a == b:
        return 0.0
    if not a & b:
        return 1.0
    return 1 - len(a & b) / len(a | b) * (2 / 3 if a < b or b < a else 1 / 3)


@given(SETS)
def test_distance(held):
    sets = [set(np.flatnonzero(row)) for row in held]
    expected = [[masi(a, b) for b in sets] for a in sets]
    np.testing.assert_allclose(masi_distance(held), expected, atol=1e-12)


def test_alpha_by_hand():
    sets = np.array([[1, 0], [1, 0], [1, 1], [1, 0], [0, 1], [0, 1]], dtype=bool)
    item = [0, 0, 1, 1, 2, 2]
    distance = masi_distance(sets)
    seen = (0 + distance[2, 3] + 0) * 2 / 6
    chance = distance.sum() / (6 * 5)
    assert krippendorff_alpha_sets(item, sets).value == pytest.approx(1 - seen / chance)


def test_weights_repeat_items():
    rng = np.random.default_rng(0)
    item, sets = np.repeat(np.arange(10), 3), rng.random((30, 4)) < 0.4
    weight = rng.integers(1, 4, 10)
    rows = np.concatenate([np.flatnonzero(item == i) for i in range(10) for _ in range(weight[i])])
    fresh = np.repeat(np.arange(weight.sum()), 3)
    weighted = krippendorff_alpha_sets(item, sets, sample_weight=weight)
    assert weighted.value == pytest.approx(krippendorff_alpha_sets(fresh, sets[rows]).value)
    by_answer = fleiss_kappa_by_answer(item, sets, sample_weight=weight)
    again = fleiss_kappa_by_answer(fresh, sets[rows])
    assert [e.value for e in by_answer] == pytest.approx([e.value for e in again])


def test_kappa_by_answer_leaves_out_what_one_rater_was_asked():
    item, chosen = [0, 0, 1, 1, 2], np.array([[1], [1], [0], [0], [1]])
    (found,) = fleiss_kappa_by_answer(item, chosen)
    assert found.value == pytest.approx(fleiss_kappa([[0, 2], [2, 0]]).value)


def test_nobody_asked():
    assert np.isnan(krippendorff_alpha_sets([], np.zeros((0, 3))).value)
    assert all(np.isnan(e.value) for e in fleiss_kappa_by_answer([], np.zeros((0, 3))))


def test_errors():
    with pytest.raises(ValueError, match="sets"):
        masi_distance([[2, 0]])
