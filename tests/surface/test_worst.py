import numpy as np
import pytest

from comoderate.surface import BetaI, LogisticNormal, weak_arms


def test_only_clear_cases_are_named():
    arms = np.arange(6)[:, None]
    n = np.array([200, 200, 200, 200, 4, 0.0])
    c = np.array([60, 190, 188, 194, 1, 0.0])
    weak = weak_arms(BetaI(strength=5).fit(arms, n, c), arms, threshold=0.8)
    assert weak.index[0] == 0
    assert weak.jointly == 1
    assert weak.expected >= weak.jointly
    assert "One arm is below an accuracy of 0.80" in weak.sentence()


def test_joint_statements_hold_as_often_as_they_say():
    right = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        arms = np.array(np.meshgrid(range(4), range(5), range(3))).reshape(3, -1).T
        logit = 1 + rng.normal(0, 1, 4)[arms[:, 0]] + rng.normal(0, 0.7, 5)[arms[:, 1]] + rng.normal(0, 0.3, 60)
        truth = 1 / (1 + np.exp(-logit))
        n = rng.integers(3, 60, 60)
        weak = weak_arms(LogisticNormal().fit(arms, n, rng.binomial(n, truth)), arms)
        right.append((truth[weak.index[: weak.jointly]] < weak.threshold).all())
        assert weak.jointly > 0
        assert str(weak.jointly) in weak.sentence() or weak.jointly == 1
    assert np.mean(right) >= 0.9


def test_nothing_is_claimed_without_labels():
    arms = np.arange(4)[:, None]
    weak = weak_arms(BetaI().fit(arms, np.zeros(4), np.zeros(4)), arms)
    assert weak.jointly == 0
    assert "No arm" in weak.sentence()


def test_bad_input_is_refused():
    fitted = BetaI().fit([[0]], [1], [1])
    with pytest.raises(ValueError, match="weight"):
        weak_arms(fitted, [[0]], weight=[0.0])
    with pytest.raises(ValueError, match="level"):
        weak_arms(fitted, [[0]], level=1.5)
