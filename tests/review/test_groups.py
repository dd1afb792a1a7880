import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.metrics import accuracy, estimate, reviewed_share
from comoderate.review import EvenErrors, ExpectedError, group_review, rank


def sample(n, seed):
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(2)
    return (rng.random(n) < p).astype(float), p, rng.integers(0, 3, n), rng.exponential(size=n)


@given(st.integers(1, 30), st.integers(0, 500), st.floats(0, 1))
def test_every_column_by_loops(n, seed, fraction):
    y, p, group, w = sample(n, seed)
    got = group_review(y, p, p, group, review_fraction=fraction, sample_weight=w)
    read = reviewed_share(p, review_fraction=fraction, sample_weight=w)
    wrong = (p > 0.5) != y
    for i, name in enumerate(np.unique(group)):
        inside = group == name
        total = w[inside].sum()
        np.testing.assert_allclose(got.share[i], total / w.sum())
        np.testing.assert_allclose(got.load[i], (w * read)[inside].sum() / total, atol=1e-9)
        np.testing.assert_allclose(got.error_before[i], (w * wrong)[inside].sum() / total)
        np.testing.assert_allclose(got.error_after[i], (w * wrong * (1 - read))[inside].sum() / total, atol=1e-9)
        for label, column in ((0, got.false_positive_after), (1, got.false_negative_after)):
            kind = inside & (y == label)
            wanted = (w * wrong * (1 - read))[kind].sum() / w[kind].sum() if kind.any() else np.nan
            np.testing.assert_allclose(column[i], wanted, atol=1e-9)


def test_loads_add_up_and_have_intervals():
    y, p, group, w = sample(300, 1)
    got = group_review(y, p, p, group, review_fraction=0.2, sample_weight=w)
    assert got.load_share.sum() == pytest.approx(1.0)
    assert got.load @ got.share == pytest.approx(0.2)
    assert 1 - got.error_before @ got.share == pytest.approx(accuracy(y, p, sample_weight=w))
    estimates = estimate(group_review, y, p, p, group, review_fraction=0.2, replicates=30)
    assert len(estimates) == 7 * 3
    with pytest.raises(ValueError, match="group"):
        group_review(y, p, p, group[:5], review_fraction=0.2)


@given(st.integers(1, 20), st.integers(0, 500))
def test_the_group_with_most_expected_mistakes_is_read_next(n, seed):
    _, p, group, _ = sample(n, seed)
    p = np.random.default_rng(seed).random(n)
    order = rank(EvenErrors().score(p, group=group))
    error = ExpectedError().score(p)
    unread = np.ones(n, dtype=bool)
    for post in order:
        residual = {g: (error * unread)[group == g].sum() / (group == g).sum() for g in np.unique(group)}
        worst = max(residual.values())
        assert residual[group[post]] == pytest.approx(worst)
        assert error[post] == max(error[unread & (group == group[post])])
        unread[post] = False


def test_residual_errors_come_closer():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 2000)
    p = np.where(group == 1, rng.uniform(0.3, 0.7, 4000), rng.uniform(0.0, 0.4, 4000))
    y = (rng.random(4000) < p).astype(float)
    p = np.where(group == 1, p, p * 0.9)
    even = group_review(y, p, EvenErrors().score(p, group=group), group, review_fraction=0.3)
    plain = group_review(y, p, p, group, review_fraction=0.3)
    assert np.ptp(even.error_after) < np.ptp(plain.error_after)
    with pytest.raises(ValueError, match="group"):
        EvenErrors().score(p)
