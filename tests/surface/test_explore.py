import numpy as np
import pytest

from comoderate.surface import STRATEGIES, BetaI, EmpiricalBayes, LogisticNormal, Stop, propose, simulate
from comoderate.surface.explore import expected_variance
from comoderate.surface.posterior import Posterior

ARMS = np.array(np.meshgrid(range(3), range(4), range(3))).reshape(3, -1).T


def pool(seed=0):
    rng = np.random.default_rng(seed)
    truth = 1 / (1 + np.exp(-1 - sum(rng.normal(0, 0.8, 4)[a] for a in ARMS.T)))
    size = (5 + rng.pareto(0.8, len(ARMS)) * 10).clip(max=800).astype(int)
    right = rng.binomial(size, truth)
    n = rng.multivariate_hypergeometric(size, 60)
    return right, size - right, n, rng.hypergeometric(right, size - right, n)


every = pytest.mark.parametrize("strategy", STRATEGIES)


@every
def test_batches_come_from_what_is_left(strategy):
    right, wrong, n, c = pool()
    surface = EmpiricalBayes().fit(ARMS, n, c)
    for size in (0, 7, 36):
        chosen = propose(surface, ARMS, pool_size=right + wrong, n=n, size=size, strategy=strategy)
        assert len(chosen) == size
        assert (np.bincount(chosen, minlength=len(ARMS)) <= right + wrong - n).all()


@every
def test_a_pool_runs_out(strategy):
    surface = BetaI().fit([[0], [1]], [1, 2], [1, 1])
    chosen = propose(surface, [[0], [1]], pool_size=[2, 2], n=[1, 2], size=10, strategy=strategy)
    assert chosen.tolist() == [0]


def test_variance_first_takes_the_least_known():
    surface = BetaI(strength=1).fit([[0], [1], [2]], [100, 2, 50], [50, 1, 25])
    assert propose(
        surface, [[0], [1], [2]], pool_size=[999] * 3, n=[100, 2, 50], size=2, strategy="variance"
    ).tolist() == [
        1,
        2,
    ]


def test_costly_labels_are_avoided():
    surface = BetaI(strength=1).fit([[0], [1]], [10, 10], [5, 5])
    arguments = {"pool_size": [99, 99], "n": [10, 10], "size": 1}
    assert propose(surface, [[0], [1]], cost=[3.0, 1.0], **arguments).tolist() == [1]
    assert propose(surface, [[0], [1]], cost=[1.0, 3.0], **arguments).tolist() == [0]


def test_expected_variance_of_a_beta():
    a, b = np.array([3.0]), np.array([2.0])
    now = a * b / ((a + b) ** 2 * (a + b + 1))
    assert expected_variance(Posterior.beta(a, b)) == pytest.approx(now * (a + b) / (a + b + 1), rel=0.01)


def test_simulation_counts_what_it_labels():
    right, wrong, n, c = pool()
    rounds = list(simulate(LogisticNormal(integrate=False), ARMS, right, wrong, n=n, c=c, batches=[20, 20, 20]))
    assert [r.labels for r in rounds] == [60, 80, 100, 120]
    assert (rounds[-1].c <= right).all()
    assert (rounds[-1].n - rounds[-1].c <= wrong).all()
    assert (rounds[-1].n >= rounds[0].n).all()


def test_expected_error_reduction_beats_random_labels():
    def error(strategy, seed):
        right, wrong, n, c = pool(seed)
        surface = LogisticNormal(integrate=False)
        last = list(
            simulate(surface, ARMS, right, wrong, n=n, c=c, batches=[40] * 3, strategy=strategy, random_state=seed)
        )[-1]
        mean = last.surface.predict(ARMS, pool_size=right + wrong).mean
        return np.mean((mean - right / (right + wrong)) ** 2)

    errors = {s: np.mean([error(s, seed) for seed in range(5)]) for s in ("random", "error_reduction")}
    assert errors["error_reduction"] < 0.6 * errors["random"]


def test_stop_rule():
    known, unknown = BetaI().fit([[0]], [2000], [1000]), BetaI().fit([[0]], [2], [1])
    stop = Stop(min_pool=10, margin=0.05)
    assert stop.reached(known, [[0]], [2000])
    assert not stop.reached(unknown, [[0]], [2000])
    assert stop.reached(unknown, [[0]], [9])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategy": "luck"}, "no strategy 'luck'"),
        ({"size": -1}, "not be negative"),
        ({"cost": [0.0]}, "positive"),
        ({"pool_size": [1, 2]}, "one value for each"),
    ],
)
def test_bad_input_is_refused(change, message):
    arguments = {"pool_size": [3], "n": [1], "size": 1, **change}
    with pytest.raises(ValueError, match=message):
        propose(BetaI().fit([[0]], [1], [1]), [[0]], **arguments)


def test_arms_that_are_worth_the_same_are_taken_at_random():
    """Nothing is known yet: labels must not all go to the first values of the first attribute."""
    arms = np.array(np.meshgrid(range(10), range(10))).reshape(2, -1).T
    arms = arms[np.lexsort(arms.T[::-1])]
    zero = np.zeros(len(arms))
    fitted = LogisticNormal().fit(arms, zero, zero)
    for strategy in ("error_reduction", "variance"):
        chosen = propose(fitted, arms, pool_size=zero + 16, n=zero, size=30, strategy=strategy, random_state=1)
        assert len(np.unique(arms[chosen, 0])) >= 8


def test_reducing_the_error_of_the_worst_arms_asks_more_of_them():
    arms = np.arange(20)[:, None]
    n, c = np.full(20, 10.0), np.where(np.arange(20) < 10, 7.5, 2.5)
    fitted = EmpiricalBayes().fit(arms, n, c)
    share = [
        (propose(fitted, arms, pool_size=n + 30, n=n, size=40, strategy=strategy) >= 10).mean()
        for strategy in ("error_reduction", "worst_error_reduction")
    ]
    assert share[1] > share[0] + 0.05
