import numpy as np
import pytest

from comoderate.surface import EmpiricalBayes, LogisticNormal, predict_class

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
