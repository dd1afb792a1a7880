import numpy as np
import pytest

from comoderate.surface.inputs import Counts
from comoderate.surface.scales import ATTRIBUTE_SD, ScaleModel, curvature, learn, reweigh, star


def model(seed=0, size=40, spread=1.0):
    rng = np.random.default_rng(seed)
    arms = np.unique(rng.integers(0, 4, (size, 3)), axis=0)
    effect = rng.normal(0, spread, (3, 4))
    p = 1 / (1 + np.exp(-1 - sum(effect[k][arms[:, k]] for k in range(3))))
    n = rng.integers(1, 40, len(arms)).astype(float)
    return ScaleModel(Counts(arms, n, rng.binomial(n.astype(int), p).astype(float)), 2)


def test_gradient_equals_differences():
    m = model()
    x = m.centre + np.resize([0.3, -0.4, 0.5], len(m.centre))
    slope = m.loss(x)[1]
    for i, step in enumerate(np.eye(len(x)) * 1e-4):
        for _ in range(3):
            m.mode(x, keep=True, tol=1e-12)
        higher, lower = (-(m.mode(at, tol=1e-12).evidence + m.log_prior(at)) for at in (x + step, x - step))
        assert slope[i] == pytest.approx((higher - lower) / 2e-4, rel=0.02, abs=0.01)


def test_learning_finds_large_and_small_effects():
    large, small = (np.exp(learn(model(spread=s, size=60))[0]) for s in (1.5, 0.01))
    assert large > 3 * small


def test_an_attribute_that_matters_more_gets_larger_effects():
    m = model(size=60)
    effect = np.array([1.5, -1.5, 0.5, -0.5])
    n = np.full(len(m.counts.arms), 30.0)
    p = 1 / (1 + np.exp(-effect[m.counts.arms[:, 1]]))
    learned = learn(ScaleModel(Counts(m.counts.arms, n, np.rint(n * p)), 2))
    main = learned[2:5]
    assert main[1] > max(main[0], main[2]) + ATTRIBUTE_SD


@pytest.mark.parametrize("seed", [4, 5, 8])
def test_learning_leaves_its_start_where_slopes_are_steep(seed):
    """A search whose first step was the whole gradient ended where it began: far out no slope was true."""
    rng = np.random.default_rng(seed)
    arms = np.unique(rng.integers(0, [4, 3, 2, 2, 4, 3], (120, 6)), axis=0)
    one, two, last = arms[:, 0], arms[:, 1], arms[:, 4]
    pocket = (one == 0) & (last == 1) | (last == 2) & (two == 1) | (last == 3) & (two == 1)
    n = rng.integers(1, 60, len(arms)).astype(float)
    m = ScaleModel(Counts(arms, n, rng.binomial(n.astype(int), np.where(pocket, 0.05, 0.97)).astype(float)), 3)
    found = learn(m)
    assert m.loss(found)[0] < m.loss(m.centre)[0] - 100
    assert np.abs(m.loss(found)[1]).max() < 1.0


def test_star_has_the_moments_of_the_normal_approximation():
    m = model()
    centre = learn(m)
    points = star(m, centre)
    assert points.weights.sum() == pytest.approx(1)
    assert points.weights @ points.points == pytest.approx(centre)
    moving = [0, 1, len(centre) - 1]
    deviation = points.points - centre
    assert np.abs(np.delete(deviation, moving, axis=1)).max() == 0
    covariance = (points.weights[:, None] * deviation).T @ deviation
    whole = curvature(lambda x: m.loss(x)[1], centre)
    wanted = np.linalg.inv(whole[np.ix_(moving, moving)])
    assert np.diag(covariance)[moving] == pytest.approx(np.diag(wanted), rel=0.4)


def test_weights_follow_the_density():
    m = model()
    points = star(m, m.centre)
    flat = reweigh(points, np.zeros(len(points.weights)))
    assert flat.weights == pytest.approx(points.weights)
    first = reweigh(points, np.append(2.0, np.zeros(len(points.weights) - 1)))
    assert first.weights[0] == pytest.approx(np.e**2 * first.weights[1])
