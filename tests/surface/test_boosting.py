import numpy as np
import pytest

from comoderate.surface import Boosted, EmpiricalBayes, surface_scores
from comoderate.surface.boosting import Node, grow

ARMS = np.array(np.meshgrid(range(4), range(4), range(4))).reshape(3, -1).T


def pockets(seed=0, labels=600):
    """Accuracy .95, and .4 where two values meet."""
    rng = np.random.default_rng(seed)
    truth = np.where((ARMS[:, 0] == 1) & (ARMS[:, 2] == 3), 0.4, 0.95)
    n = rng.multinomial(labels, np.full(len(ARMS), 1 / len(ARMS))).astype(float)
    return truth, n, rng.binomial(n.astype(int), truth).astype(float)


def test_pockets_are_found():
    truth, n, c = pockets()
    size = np.full(len(ARMS), 10)
    ours = surface_scores(truth, Boosted().fit(ARMS, n, c).predict(ARMS).mean, pool_size=size)
    plain = surface_scores(truth, EmpiricalBayes().fit(ARMS, n, c).predict(ARMS).mean, pool_size=size)
    assert ours.macro < 0.7 * plain.macro


def test_arms_without_labels_are_predicted_by_those_like_them():
    truth, n, c = pockets()
    hidden = (ARMS == [1, 2, 3]).all(axis=1)
    p = Boosted().fit(ARMS[~hidden], n[~hidden], c[~hidden]).predict(ARMS[hidden])
    assert p.mean[0] < 0.85
    assert p.mean[0] < Boosted().fit(ARMS, n, c).predict(ARMS[truth > 0.9]).mean.min()


def test_trees_that_help_nobody_are_not_grown():
    rng = np.random.default_rng(3)
    n = np.full(len(ARMS), 30.0)
    fitted = Boosted().fit(ARMS, n, rng.binomial(30, 0.8, len(ARMS)))
    assert fitted.n_trees_ < 15
    assert fitted.strength_ > 30


def test_a_tree_takes_the_best_split_of_unordered_values():
    x = np.array([[0], [1], [2], [3]])
    tree = grow(x, np.array([5.0, -5.0, 5.0, -5.0]), np.ones(4) * 4, [4], depth=1, l2=1.0)
    assert tree.predict(x) == pytest.approx([10 / 9, -10 / 9, 10 / 9, -10 / 9])
    assert isinstance(tree.children[0], Node)
    assert grow(x, np.zeros(4), np.ones(4), [4], depth=3, l2=1.0).children == ()


@pytest.mark.parametrize("options", [{"trees": -1}, {"depth": 0}, {"folds": 1}, {"rate": 0.0}, {"l2": 0.0}])
def test_bad_options_are_refused(options):
    with pytest.raises(ValueError, match="trees must not be negative"):
        Boosted(**options).fit(ARMS, np.ones(len(ARMS)), np.ones(len(ARMS)))
