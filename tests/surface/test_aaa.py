import numpy as np
import pytest

pytest.importorskip("gpytorch")

from comoderate.surface import EmpiricalBayes
from comoderate.surface.aaa import Published, aaa
from comoderate.surface.gp import BetaGP

ARMS = np.array([[i, j] for i in range(2) for j in range(3)])


def world(size=300, labelled=80, seed=0):
    rng = np.random.default_rng(seed)
    gold = ARMS[rng.integers(0, 6, size)]
    tables = []
    for k, values in enumerate((2, 3)):
        weight = np.exp(rng.normal(0, 1, (size, values)) + 2 * np.eye(values)[gold[:, k]])
        tables.append(weight / weight.sum(axis=1, keepdims=True))
    truth = np.where(gold[:, 0] == 1, 0.5, 0.95)
    correct = (rng.random(size) < truth).astype(float)
    correct[labelled:] = np.nan
    seen = gold.copy()
    seen[labelled:] = -1
    return tables, correct, seen


def test_the_published_system_runs_round_by_round():
    tables, correct, gold = world()
    quick = BetaGP(supervision="dirichlet", pooling="paper", steps=(30, 10), n_inducing=6)
    found = aaa(tables, correct, arms=ARMS, gold=gold, surface=quick)
    assert found.n.sum() == pytest.approx(80 + 6 * 0.1)
    assert (found.n > 0).all()
    mean = found.predict().mean
    assert mean[ARMS[:, 0] == 0].mean() > mean[ARMS[:, 0] == 1].mean() + 0.1
    chosen = found.next_examples(12)
    assert len(set(chosen.tolist())) == 12
    assert (chosen >= 80).all()


def test_a_pool_runs_out():
    tables, correct, gold = world(size=85)
    found = aaa(tables, correct, arms=ARMS, gold=gold, surface=EmpiricalBayes())
    assert sorted(found.next_examples(50).tolist()) == [80, 81, 82, 83, 84]


def test_bad_input_is_refused():
    tables, correct, gold = world()
    with pytest.raises(ValueError, match="at least one label"):
        aaa(tables, correct * np.nan, arms=ARMS, gold=gold)
    with pytest.raises(ValueError, match="warm"):
        aaa(tables, correct, arms=ARMS, gold=gold, warm=0.0)


def test_the_published_estimator_has_a_warm_start_in_every_arm():
    arms = np.arange(4)[:, None]
    fitted = Published(surface=EmpiricalBayes()).fit(arms, [10, 0, 4, 6], [10, 0, 1, 4])
    assert np.allclose(fitted.warm_counts().n, [10.1, 0.1, 4.1, 6.1])
    assert np.allclose(fitted.warm_counts().c, [10.075, 0.075, 1.075, 4.075])
    assert fitted.predict(arms).n.tolist() == [10, 0, 4, 6]
    whole = fitted.predict(arms, pool_size=[10, 5, 4, 6])  # arms whose labels are all that there is
    assert whole.mean[[0, 2, 3]] == pytest.approx([1, 0.25, 4 / 6])
    assert np.allclose(Published(surface=EmpiricalBayes()).fit(arms, [0] * 4, [0] * 4).warm_counts().c, 0.05)
