"""What every estimator of a surface owes its users."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from comoderate import surface

FAST = {
    "constant": surface.Constant,
    "beta_i": surface.BetaI,
    "empirical_bayes": surface.EmpiricalBayes,
    "boosted": lambda: surface.Boosted(trees=40, rate=0.2),
    "logistic_normal": surface.LogisticNormal,
    "logistic_normal_plain": lambda: surface.LogisticNormal(order=1, df=np.inf, integrate=False),
}
every = pytest.mark.parametrize("make", FAST.values(), ids=FAST.keys())


def grid(*sizes):
    return np.array(np.meshgrid(*[np.arange(s) for s in sizes], indexing="ij")).reshape(len(sizes), -1).T


def world(seed=0, sizes=(3, 4, 2), most=30):
    rng = np.random.default_rng(seed)
    arms = grid(*sizes)
    truth = 1 / (1 + np.exp(-(1.5 + sum(rng.normal(0, 0.8, s)[a] for s, a in zip(sizes, arms.T)))))
    n = rng.integers(0, most, len(arms)).astype(float)
    return arms, n, rng.binomial(n.astype(int), truth).astype(float), truth


@every
def test_predictions_have_shape_and_order(make):
    arms, n, c, _ = world()
    p = make().fit(arms, n, c).predict(arms)
    for values in (p.mean, p.variance, p.low, p.high):
        assert values.shape == (len(arms),)
        assert np.isfinite(values).all()
    assert (p.low >= 0).all()
    assert (p.low <= p.mean).all()
    assert (p.mean <= p.high).all()
    assert (p.high <= 1).all()
    assert (p.variance > 0).all()
    assert (p.variance <= p.mean * (1 - p.mean) + 1e-12).all()


@every
def test_same_input_gives_same_output(make):
    arms, n, c, _ = world()
    one, two = (make().fit(arms, n, c).predict(arms, pool_size=n + 5) for _ in range(2))
    assert np.array_equal(one.mean, two.mean)
    assert np.array_equal(one.low, two.low)


@every
def test_order_of_arms_does_not_matter(make):
    arms, n, c, _ = world()
    order = np.random.default_rng(1).permutation(len(arms))
    one = make().fit(arms, n, c).predict(arms)
    two = make().fit(arms[order], n[order], c[order]).predict(arms[order])
    assert np.allclose(one.mean[order], two.mean, atol=1e-6)
    assert np.allclose(one.high[order], two.high, atol=1e-5)


@every
def test_names_of_values_do_not_matter(make):
    arms, n, c, _ = world()
    other = arms * 7 + 3
    one = make().fit(arms, n, c).predict(arms)
    two = make().fit(other, n, c).predict(other)
    assert np.allclose(one.mean, two.mean, atol=1e-6)


@every
def test_split_arms_add_up(make):
    arms, n, c, _ = world()
    one = make().fit(arms, n, c).predict(arms)
    two = make().fit(np.vstack([arms, arms]), np.append(n / 4, 3 * n / 4), np.append(c / 4, 3 * c / 4)).predict(arms)
    assert np.allclose(one.mean, two.mean, atol=1e-6)


@every
def test_right_and_wrong_mirror_each_other(make):
    arms, n, c, _ = world()
    one = make().fit(arms, n, c).predict(arms)
    two = make().fit(arms, n, n - c).predict(arms)
    assert np.allclose(one.mean, 1 - two.mean, atol=1e-3)
    assert np.allclose(one.variance, two.variance, atol=1e-3)


@every
def test_arms_and_values_never_seen_are_predicted(make):
    arms, n, c, _ = world()
    p = make().fit(arms, n, c).predict([[99, 99, 99], [0, 0, 99]])
    assert ((p.mean > 0) & (p.mean < 1)).all()
    assert (p.n == 0).all()


@every
def test_no_labels_at_all_is_not_an_error(make):
    arms = grid(2, 2)
    p = make().fit(arms, np.zeros(4), np.zeros(4)).predict(arms)
    assert p.mean == pytest.approx(np.full(4, 0.5), abs=0.02)
    assert (p.high - p.low > 0.5).all()


@every
def test_one_arm_one_attribute(make):
    p = make().fit([[0]], [40.0], [30.0]).predict([[0], [1]])
    assert p.mean[0] == pytest.approx(0.75, abs=0.05)


@every
@pytest.mark.parametrize("right", [0.0, 1.0])
def test_all_right_or_all_wrong(make, right):
    arms = grid(3, 3)
    p = make().fit(arms, np.full(9, 20.0), np.full(9, 20.0 * right)).predict(arms)
    assert (abs(p.mean - right) < 0.05).all()
    assert np.isfinite(p.low).all()


@every
def test_more_labels_make_it_surer(make):
    arms, n, c, _ = world()
    few = make().fit(arms, n, c).predict(arms)
    many = make().fit(arms, 20 * n, 20 * c).predict(arms)
    assert many.variance[n > 0].mean() < few.variance[n > 0].mean()


@every
def test_a_pool_that_is_all_labelled_is_known(make):
    arms, n, c, _ = world()
    known = n > 0
    p = make().fit(arms, n, c).predict(arms, pool_size=n)
    assert np.allclose(p.mean[known], c[known] / n[known])
    assert np.allclose(p.low[known], p.high[known])


@every
def test_a_huge_pool_is_the_accuracy_in_general(make):
    arms, n, c, _ = world()
    fitted = make().fit(arms, n, c)
    general, pool = fitted.predict(arms), fitted.predict(arms, pool_size=np.full(len(arms), 1e9))
    assert np.allclose(general.mean, pool.mean, atol=1e-6)
    assert np.allclose(general.high, np.where(general.high == 1, 1, pool.high), atol=1e-2)  # ends may shift where flat
    assert (pool.high[general.high == 1] > 0.95).all()


@every
def test_higher_level_gives_wider_intervals(make):
    arms, n, c, _ = world()
    fitted = make().fit(arms, n, c)
    narrow, wide = fitted.predict(arms, level=0.5), fitted.predict(arms, level=0.99)
    assert (narrow.high - narrow.low < wide.high - wide.low).all()


@every
def test_refit_takes_new_counts(make):
    arms, n, c, _ = world()
    fitted = make().fit(arms, n, c).refit(arms, n + 50, c)
    assert fitted.predict(arms).mean.mean() < make().fit(arms, n, c).predict(arms).mean.mean() - 0.1


@every
@pytest.mark.parametrize(
    ("arms", "n", "c", "message"),
    [
        ([[0]], [1.0], [2.0], "larger than n"),
        ([[0]], [-1.0], [0.0], "not negative"),
        ([[0]], [np.nan], [0.0], "finite"),
        ([[0]], [1.0, 2.0], [0.0], "each of the 1 arms"),
        ([0], [1.0], [0.0], "array of codes"),
        ([[0.5]], [1.0], [0.0], "whole numbers"),
        (np.empty((1, 0)), [1.0], [0.0], "array of codes"),
    ],
)
def test_bad_counts_are_refused(make, arms, n, c, message):
    with pytest.raises(ValueError, match=message):
        make().fit(arms, n, c)


@every
def test_bad_questions_are_refused(make):
    with pytest.raises(ValueError, match="must be fitted"):
        make().predict([[0]])
    fitted = make().fit([[0, 1]], [4.0], [2.0])
    with pytest.raises(ValueError, match="3 attributes, but 2"):
        fitted.predict([[0, 1, 2]])
    with pytest.raises(ValueError, match="smaller than their number"):
        fitted.predict([[0, 1]], pool_size=[3])
    with pytest.raises(ValueError, match="one finite value"):
        fitted.predict([[0, 1]], pool_size=[3, 4])
    with pytest.raises(ValueError, match="level"):
        fitted.predict([[0, 1]], level=1.0)
    with pytest.raises(ValueError, match="at least one arm"):
        fitted.predict(np.empty((0, 2), dtype=int))


@every
@hypothesis_settings(max_examples=8)
@given(data=st.data())
def test_any_counts_give_finite_answers(make, data):
    size = data.draw(st.integers(1, 12))
    arms = data.draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=size, max_size=size))
    n = np.array(data.draw(st.lists(st.sampled_from([0, 0.1, 1, 7.5, 1000]), min_size=size, max_size=size)))
    share = np.array(data.draw(st.lists(st.sampled_from([0, 0.5, 1]), min_size=size, max_size=size)))
    p = make().fit(arms, n, n * share).predict(arms, pool_size=np.full(size, 20_000.0))
    assert np.isfinite([p.mean, p.variance, p.low, p.high]).all()
    assert ((p.low <= p.mean) & (p.mean <= p.high)).all()


def test_an_interval_may_end_at_perfection():
    """Where the density is highest at the end, the shortest interval holds the end."""
    p = surface.BetaI().fit([[0], [1]], [60.0, 60.0], [60.0, 30.0]).predict([[0], [1]])
    assert p.high[0] == 1.0
    assert p.low[0] > 0
    assert p.high[1] < 0.7
