import numpy as np
import pytest

from comoderate.surface import EmpiricalBayes, powered_arms


def world(seed, size=20_000, n_arms=80, informative=True):
    rng = np.random.default_rng(seed)
    arm = rng.choice(n_arms, size, p=rng.dirichlet(np.ones(n_arms)))
    logit = 1 + rng.normal(0, 0.8, n_arms)[arm] + rng.normal(0, 1.5, size)
    p = 1 / (1 + np.exp(-logit))
    truth = (rng.random(size) < p).astype(float)
    proxy = 1 / (1 + np.exp(-(1.3 * logit + 0.4))) if informative else rng.random(size)
    labelled = rng.random(size) < 0.05
    pool = np.bincount(arm, minlength=n_arms)
    mean = np.bincount(arm, truth, minlength=n_arms) / np.maximum(pool, 1)
    return arm, proxy, np.where(labelled, truth, np.nan), mean, pool


def test_a_good_proxy_sharpens_every_arm():
    ours, plain, held = [], [], []
    for seed in range(4):
        arm, proxy, correct, mean, pool = world(seed)
        p = powered_arms(arm, proxy, correct, n_arms=80)
        known = np.isfinite(correct)
        n = np.bincount(arm[known], minlength=80)
        c = np.bincount(arm[known], correct[known], minlength=80)
        other = EmpiricalBayes().fit(np.arange(80)[:, None], n, c).predict(np.arange(80)[:, None]).mean
        judged = pool >= 20
        ours.append(np.mean((p.prediction.mean - mean)[judged] ** 2))
        plain.append(np.mean((other - mean)[judged] ** 2))
        held.append(np.mean(((p.prediction.low <= mean) & (mean <= p.prediction.high))[judged]))
        assert p.power > 0.5
    assert np.mean(ours) < 0.5 * np.mean(plain)
    assert 0.9 < np.mean(held) <= 0.99


def test_an_empty_proxy_is_ignored():
    arm, proxy, correct, _, _ = world(0, informative=False)
    assert powered_arms(arm, proxy, correct, recalibrate=False).power < 0.15


def test_the_difference_estimate_is_unbiased_with_unequal_chances():
    values, truth = [], 0.0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        arm, proxy, _, _, _ = world(1, size=2000, n_arms=1)
        y = (np.random.default_rng(5).random(2000) < proxy**2).astype(float)
        chance = 0.02 + 0.2 * (1 - proxy)
        labelled = rng.random(2000) < chance
        p = powered_arms(arm, proxy, np.where(labelled, y, np.nan), weight=1 / chance)
        values.append(p.difference[0])
        truth = y.mean()
    assert np.mean(values) == pytest.approx(truth, abs=3 * np.std(values) / np.sqrt(60) + 0.003)


def test_arms_without_labels_get_the_common_correction():
    p = powered_arms([0, 0, 1, 1], [0.9, 0.8, 0.4, 0.2], [1, 1, np.nan, np.nan], n_arms=3)
    assert np.isnan(p.difference[1])
    assert np.isfinite(p.prediction.mean).all()
    assert p.prediction.n.tolist() == [2, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [0.5], [np.nan]), "at least one"),
        (([0], [1.5], [1]), r"in \[0, 1\]"),
        (([-1], [0.5], [1]), "whole numbers"),
        (([0, 1], [0.5], [1]), "one length"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        powered_arms(*arguments)


def test_bad_options_are_refused():
    with pytest.raises(ValueError, match="level"):
        powered_arms([0], [0.5], [1], level=1.5)
    with pytest.raises(ValueError, match="positive"):
        powered_arms([0], [0.5], [1], weight=[0.0])
