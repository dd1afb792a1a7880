import numpy as np
import pytest

from comoderate.surface import EmpiricalBayes, LogisticNormal, predict_class, predict_decided, tabulate

ARMS = np.array(np.meshgrid(range(4), range(5), range(5))).reshape(3, -1).T


def world(seed):
    """A pool of a few dozen posts an arm, a quarter of them labelled; rates that differ between arms."""
    rng = np.random.default_rng(seed)
    chance, rate = (
        1 / (1 + np.exp(-start - sum(rng.normal(0, 0.6, 5)[a] for a in ARMS.T) - rng.normal(0, 0.2, len(ARMS))))
        for start in (-0.5, 1.5)
    )
    pool = rng.integers(4, 60, len(ARMS))
    members = rng.binomial(pool, chance)
    right = rng.binomial(members, rate)
    labelled = rng.binomial(pool, 0.25)
    known = rng.hypergeometric(members, pool - members, labelled)
    known_right = rng.hypergeometric(right, members - right, known)
    return pool, members, right, labelled, known, known_right


def fitted(labelled, known, known_right, make=LogisticNormal):
    return make().fit(ARMS, known, known_right), make().fit(ARMS, labelled, known)


def test_intervals_cover_and_are_narrower_than_in_general():
    held, width, general = [], [], []
    for seed in range(5):
        pool, members, right, labelled, known, known_right = world(seed)
        rate, share = fitted(labelled, known, known_right)
        p, q = predict_class(rate, share, ARMS, pool_size=pool), rate.predict(ARMS)
        judged = members > 0
        truth = right[judged] / members[judged]
        held.append((p.low[judged] - 1e-9 <= truth) & (truth <= p.high[judged] + 1e-9))
        width.append((p.high - p.low)[known > 3].mean())
        general.append((q.high - q.low)[known > 3].mean())
        assert ((p.low <= p.mean) & (p.mean <= p.high)).all()
    assert 0.92 <= np.mean(np.concatenate(held)) <= 0.99
    assert np.mean(width) < np.mean(general)


def test_a_pool_that_is_all_labelled_is_known():
    _, _, _, labelled, known, known_right = world(0)
    rate, share = fitted(labelled, known, known_right, EmpiricalBayes)
    p = predict_class(rate, share, ARMS, pool_size=labelled)
    some = known > 0
    assert p.mean[some] == pytest.approx(known_right[some] / known[some])
    assert p.low[some] == pytest.approx(p.high[some])
    assert p.mean[~some] == pytest.approx(rate.predict(ARMS).mean[~some])


def test_bad_input_is_refused():
    _, _, _, labelled, known, known_right = world(0)
    rate, share = fitted(labelled, known, known_right, EmpiricalBayes)
    with pytest.raises(ValueError, match="smaller than their number"):
        predict_class(rate, share, ARMS, pool_size=np.zeros(len(ARMS)))
    with pytest.raises(ValueError, match="one finite value"):
        predict_class(rate, share, ARMS, pool_size=[1.0])
    with pytest.raises(ValueError, match="level"):
        predict_class(rate, share, ARMS, pool_size=labelled, level=1.0)


def decided(seed, share=0.15):
    """A pool whose posts' decisions are known: a scorer with a bias of its own in every arm."""
    rng = np.random.default_rng(seed)
    arm = rng.choice(len(ARMS), 5000, p=rng.dirichlet(np.full(len(ARMS), 3.0)))
    member = (rng.random(5000) < 1 / (1 + np.exp(0.3 - rng.normal(0, 0.6, len(ARMS))[arm]))).astype(float)
    bias = sum(rng.normal(0, 0.6, 5)[a] for a in ARMS.T)
    right = (1.2 * (2 * member - 1) + bias[arm] + rng.normal(0, 1.2, 5000) > 0).astype(int)
    return arm, member, right, rng.random(5000) < share


def by_decision(arm, member, right, known, make=LogisticNormal):
    table = tabulate(np.column_stack([ARMS[arm], right]), np.where(known, member, np.nan))
    pool = np.stack([np.bincount(arm[right == side], minlength=len(ARMS)) for side in (0, 1)], axis=1)
    held = pool.sum(axis=1) > 0
    return predict_decided(make().fit(table.arms, table.n, table.c), ARMS[held], pool_size=pool[held]), held


def test_decisions_on_all_posts_make_rates_much_sharper():
    ours, other, inside = [], [], []
    for seed in range(3):
        arm, member, right, known = decided(seed)
        p, held = by_decision(arm, member, right, known)
        every, of_class, good, n, k, c = (
            np.bincount(arm, w, minlength=len(ARMS))
            for w in (np.ones(5000), member, member * right, known, known * member, known * member * right)
        )
        judged = (of_class >= 5)[held]
        truth = (good / np.maximum(of_class, 1))[held][judged]
        q = predict_class(*fitted(n, k, c), ARMS[held], pool_size=every[held])
        ours.append(((p.mean[judged] - truth) ** 2).mean())
        other.append(((q.mean[judged] - truth) ** 2).mean())
        inside.append((p.low[judged] - 1e-9 <= truth) & (truth <= p.high[judged] + 1e-9))
    assert np.mean(ours) < 0.85 * np.mean(other)
    assert 0.92 <= np.mean(np.concatenate(inside)) <= 1.0


def test_a_pool_that_is_all_labelled_is_known_by_decision_too():
    arm, member, right, _ = decided(0)
    p, held = by_decision(arm, member, right, np.ones(5000, dtype=bool), EmpiricalBayes)
    of_class, good = (np.bincount(arm, w, minlength=len(ARMS))[held] for w in (member, member * right))
    some = of_class > 0
    assert p.mean[some] == pytest.approx(good[some] / of_class[some])
    assert p.low[some] == pytest.approx(p.high[some])
    assert p.n == pytest.approx(of_class)


def test_bad_pools_of_decisions_are_refused():
    cells = np.array([[0, 0], [0, 1]])
    member = EmpiricalBayes().fit(cells, [2, 3], [1, 3])
    with pytest.raises(ValueError, match="two finite values"):
        predict_decided(member, [[0]], pool_size=[4])
    with pytest.raises(ValueError, match="not both 0"):
        predict_decided(member, [[0], [1]], pool_size=[[4, 4], [0, 0]])
    with pytest.raises(ValueError, match="smaller than their number"):
        predict_decided(member, [[0]], pool_size=[[1, 9]])
    with pytest.raises(ValueError, match="level"):
        predict_decided(member, [[0]], pool_size=[[4, 4]], level=0.0)
