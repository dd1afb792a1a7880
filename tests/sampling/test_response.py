import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import PostStrata, post_stratify, respondent_weights


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


def test_a_stratum_without_labels_joins_the_nearest_one_the_later_of_two():
    day = np.array([1, 2, 3, 4, 5])
    got = respondent_weights(np.full(5, 0.5), day, [False, True, False, True, False], stratum=day)
    assert got.cell.tolist() == [2, 2, 4, 4, 4]
    np.testing.assert_allclose(got.weight, [np.nan, 4, np.nan, 6, np.nan])


def test_kind_comes_before_pi():
    day, kind = np.array([1, 1, 2, 2]), np.array([0, 1, 0, 1])
    options = {"cell": day * 2 + kind, "labelled": [True, False, True, True], "stratum": day}
    assert respondent_weights(np.full(4, 0.1), **options).cell.tolist() == [2, 2, 4, 5]
    assert respondent_weights([0.1, 0.1, 0.1, 0.9], **options, kind=kind).cell.tolist() == [2, 5, 4, 5]


def test_post_stratified_to_known_totals():
    known = PostStrata(["a0", "a1", "b0", "b1"], [30, 5, 40, 8], [0, 1, 0, 1])
    got = post_stratify([10, 10, 2, 7, np.nan], ["a0", "a0", "a1", "b0", "b1"], known)
    np.testing.assert_allclose(got.weight, [15, 15, 13, 40, np.nan])
    assert got.cell.tolist() == ["a0", "a0", "a1", "b0", "a1"]
    assert "b1 into a1" in got.warnings[0]
    with pytest.raises(ValueError, match="table of totals lacks"):
        post_stratify([1.0], ["z"], known)
    with pytest.raises(ValueError, match="each cell once"):
        post_stratify([1.0], ["a"], PostStrata(["a", "a"], [1, 2]))
    assert post_stratify([np.nan], ["a0"], known).warnings == ("no post has a label",)


@given(st.integers(0, 10**6))
def test_post_stratification_meets_every_total(seed):
    generator = np.random.default_rng(seed)
    total = generator.integers(0, 50, 12).astype(float)
    cell = generator.integers(0, 12, 20)
    got = post_stratify(generator.uniform(0.5, 9, 20), cell, PostStrata(np.arange(12), total, np.arange(12) % 2))
    assert got.weight.sum() == pytest.approx(total.sum())
    full = np.isin(np.arange(12), cell)
    sums = np.bincount(cell, got.weight, minlength=12)
    assert np.all(sums[full] >= total[full] - 1e-9)


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
