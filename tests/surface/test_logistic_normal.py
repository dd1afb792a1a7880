import numpy as np
import pytest

from comoderate.surface import EmpiricalBayes, LogisticNormal, surface_scores


def world(seed, pairs=0.5):
    rng = np.random.default_rng(seed)
    arms = np.array(np.meshgrid(*[np.arange(s) for s in (3, 3, 4, 4)], indexing="ij")).reshape(4, -1).T
    logit = 1.5 + sum(rng.normal(0, 0.6, 4)[a] for a in arms.T) + rng.normal(0, pairs, (3, 3))[arms[:, 0], arms[:, 1]]
    truth = 1 / (1 + np.exp(-logit - rng.normal(0, 0.25, len(arms))))
    pool = rng.integers(5, 200, len(arms))
    n = rng.binomial(pool, 0.08).astype(float)
    c = rng.binomial(n.astype(int), truth).astype(float)
    return arms, truth, pool, n, c, (c + rng.binomial(pool - n.astype(int), truth)) / pool


def test_it_beats_arms_without_attributes_by_far():
    ratio = []
    for seed in range(4):
        arms, truth, pool, n, c, _ = world(seed)
        ours, plain = (e.fit(arms, n, c).predict(arms).mean for e in (LogisticNormal(), EmpiricalBayes()))
        ratio.append(
            surface_scores(truth, ours, pool_size=pool).macro / surface_scores(truth, plain, pool_size=pool).macro
        )
    assert np.mean(ratio) < 0.7


def test_intervals_of_both_targets_cover():
    general, pools = [], []
    for seed in range(6):
        arms, truth, pool, n, c, pool_mean = world(seed)
        fitted = LogisticNormal().fit(arms, n, c)
        p = fitted.predict(arms)
        general.append(surface_scores(truth, p.mean, pool_size=pool, low=p.low, high=p.high).coverage)
        p = fitted.predict(arms, pool_size=pool)
        pools.append(surface_scores(pool_mean, p.mean, pool_size=pool, low=p.low, high=p.high).coverage)
    assert 0.92 <= np.mean(general) <= 0.985
    assert 0.92 <= np.mean(pools) <= 0.985


def test_left_out_means_do_not_know_the_own_counts():
    arms, _, _, n, c, _ = world(0)
    fitted = LogisticNormal(integrate=False).fit(arms, n, c)
    arm = int(np.argmax(n))
    mean, variance, _, _ = fitted.left_out(arms[[arm]])
    without = np.where(np.arange(len(n)) == arm, 0.0, 1.0)
    other = LogisticNormal(integrate=False).fit(arms, n, c)
    other.points_ = fitted.points_
    other.refit(arms, n * without, c * without)
    true_mean, true_variance, _, _ = other.left_out(arms[[arm]])
    assert mean[0, 0] == pytest.approx(true_mean[0, 0], abs=0.1)
    assert variance[0, 0] == pytest.approx(true_variance[0, 0], rel=0.1)


def test_refit_is_near_a_fit_from_the_start():
    arms, _, _, n, c, _ = world(1)
    old = n * 0.8
    warm = LogisticNormal().fit(arms, old, c * 0.8).refit(arms, n, c).predict(arms)
    cold = LogisticNormal().fit(arms, n, c).predict(arms)
    assert warm.mean == pytest.approx(cold.mean, abs=0.03)


def test_a_batch_moves_a_refit_where_it_moves_a_fit_from_the_start():
    """What a warm refit leaves out is far less than what is unknown."""
    apart = []
    for seed in range(5):
        arms, _, _, n, c, _ = world(seed)
        rng = np.random.default_rng(seed)
        fewer = n - rng.binomial(1, 0.4, len(n)) * (n > 0)
        old = rng.hypergeometric(c.astype(int), (n - c).astype(int), fewer.astype(int))
        warm = LogisticNormal().fit(arms, fewer, old).refit(arms, n, c).predict(arms)
        cold = LogisticNormal().fit(arms, n, c).predict(arms)
        apart.append((warm.mean - cold.mean) / np.sqrt(cold.variance))
        assert np.mean(warm.high - warm.low) == pytest.approx(np.mean(cold.high - cold.low), rel=0.08)
    assert np.sqrt(np.mean(np.square(apart))) < 0.15


def test_very_many_arms_learn_scales_on_some_of_them(monkeypatch):
    arms, truth, pool, n, c, _ = world(2)
    whole = LogisticNormal().fit(arms, n, c).predict(arms)
    monkeypatch.setattr("comoderate.surface.logistic_normal.LEARNING_ARMS", 60)
    monkeypatch.setattr("comoderate.surface.logistic_normal.INTEGRATING_ARMS", 60)
    part = LogisticNormal().fit(arms, n, c).predict(arms)
    assert (
        surface_scores(truth, part.mean, pool_size=pool).macro
        < 1.3 * surface_scores(truth, whole.mean, pool_size=pool).macro
    )


@pytest.mark.parametrize("options", [{"order": -1}, {"df": 2.0}])
def test_bad_options_are_refused(options):
    with pytest.raises(ValueError, match="order must not be negative"):
        LogisticNormal(**options).fit([[0]], [1.0], [1.0])
