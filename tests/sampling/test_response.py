import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import respondent_weights


def test_scaled_by_drawn_over_labelled():
    pi = np.array([0.5, 0.5, 0.5, 0.1, 0.1])
    got = respondent_weights(pi, ["a", "a", "a", "b", "b"], [True, False, True, True, True])
    np.testing.assert_allclose(got.weight, [3, np.nan, 3, 10, 10])
    assert got.warnings == ()
    assert got.cell.tolist() == ["a", "a", "a", "b", "b"]


@given(st.integers(0, 10**6))
def test_weights_keep_the_total_of_the_drawn_posts(seed):
    generator = np.random.default_rng(seed)
    n = 40
    day, positive = generator.integers(0, 6, n), generator.integers(0, 2, n)
    pi = np.where(positive, 0.8, 0.1) / (1 + day)
    has = generator.random(n) < 0.4
    got = respondent_weights(pi, day * 2 + positive, has, stratum=day)
    if not has.any():
        assert np.isnan(got.weight).all()
        return
    assert np.nansum(got.weight) == pytest.approx((1 / pi).sum())
    assert np.isnan(got.weight[~has]).all()
    assert np.all(got.weight[has] >= 1 / pi[has] - 1e-9)
    assert set(got.cell) == set(got.cell[has])


def test_empty_cells_join_the_nearest_pi_of_their_stratum():
    day = np.array([1, 1, 1, 1, 2, 2])
    cell = np.array(["1-", "1+", "1?", "1?", "2-", "2+"])
    pi = np.array([0.1, 0.8, 0.7, 0.7, 0.1, 0.8])
    got = respondent_weights(pi, cell, [True, True, False, False, True, True], stratum=day)
    assert got.cell.tolist() == ["1-", "1+", "1+", "1+", "2-", "2+"]
    assert "1 of 5 cells" in got.warnings[0]
    assert "1? into 1+" in got.warnings[0]


def test_a_stratum_without_labels_joins_the_next_one_and_the_last_the_one_before():
    day = np.array([1, 2, 3, 4])
    got = respondent_weights(np.full(4, 0.5), day, [False, True, True, False], stratum=day)
    assert got.cell.tolist() == [2, 2, 3, 3]
    np.testing.assert_allclose(got.weight, [np.nan, 4, 4, np.nan])


def test_post_stratified_to_known_totals():
    got = respondent_weights([0.1, 0.1, 0.5], [0, 0, 1], [True, True, True], total=[30, 30, 5])
    np.testing.assert_allclose(got.weight, [15, 15, 5])
    with pytest.raises(ValueError, match="same for all posts"):
        respondent_weights([0.1, 0.1], [0, 0], [True, True], total=[30, 31])


def test_nothing_labelled():
    got = respondent_weights([0.1, 0.2], [0, 1], [False, False])
    assert np.isnan(got.weight).all()
    assert got.warnings == ("no post has a label",)


def test_bad_input():
    with pytest.raises(ValueError, match="pi must lie"):
        respondent_weights([0.0], [0], [True])
    with pytest.raises(ValueError, match="pi must lie"):
        respondent_weights([np.nan], [0], [True])
    with pytest.raises(ValueError, match="within one stratum"):
        respondent_weights([0.1, 0.1], [0, 0], [True, True], stratum=[1, 2])
