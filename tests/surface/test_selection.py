import numpy as np
import pytest
from scipy.special import betaln

from comoderate.surface import BetaI, Constant, choose
from comoderate.surface.inputs import Counts
from comoderate.surface.selection import halves, predictive


def counts(spread, own=0.0, seed=0, sizes=(4, 5, 4)):
    rng = np.random.default_rng(seed)
    arms = np.array(np.meshgrid(*[np.arange(s) for s in sizes])).reshape(3, -1).T
    logit = 1 + sum(rng.normal(0, spread, s)[a] for s, a in zip(sizes, arms.T)) + rng.normal(0, own, len(arms))
    n = rng.integers(5, 40, len(arms))
    return arms, n, rng.binomial(n, 1 / (1 + np.exp(-logit)))


def test_attributes_are_used_where_they_matter():
    choice = choose(*counts(1.0))
    assert choice.name in {"main_effects", "logistic_normal"}
    assert choice.log_likelihood[choice.name] == max(choice.log_likelihood.values())
    assert choice.surface.predict([[0, 0, 0]]).mean.shape == (1,)


def test_independent_arms_are_not_explained_by_attributes():
    arms, n, c = counts(0.0, own=2.0)
    scores = choose(arms, 10 * n, 10 * c).log_likelihood
    assert scores["constant"] < scores["empirical_bayes"] - 0.05


def test_held_out_likelihood_of_a_beta_is_beta_binomial():
    table = Counts(np.array([[0], [1]]), np.array([5.0, 0.0]), np.array([3.0, 0.0])).labelled()
    fitted = BetaI(strength=2.0).fit([[0]], [10.0], [7.0])
    a, b = 2 * fitted.rate_ + 7, 2 * (1 - fitted.rate_) + 3
    assert predictive(fitted, table) == pytest.approx(betaln(a + 3, b + 2) - betaln(a, b), abs=1e-3)


def test_parts_add_up_and_fractions_stay_whole():
    table = Counts(np.arange(3)[:, None], np.array([7.0, 2.5, 0.0]), np.array([3.0, 1.25, 0.0]))
    total_n, total_c = np.zeros(3), np.zeros(3)
    for fit, held_out in halves(table, 3, np.random.default_rng(0)):
        rows = held_out.arms[:, 0]
        total_n[rows] += held_out.n
        total_c[rows] += held_out.c
        assert fit.n[rows] + held_out.n == pytest.approx(table.n[rows])
        assert set(held_out.n[rows == 1]) <= {2.5}
    assert total_n == pytest.approx(table.n)
    assert total_c == pytest.approx(table.c)


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match="two folds"):
        choose([[0]], [1], [1], folds=1)
    with pytest.raises(ValueError, match="one candidate"):
        choose([[0]], [1], [1], candidates={})
    assert choose([[0]], [0], [0], candidates={"only": Constant}).name == "only"
