import numpy as np
import pytest
from scipy.optimize import minimize

from comoderate.surface.laplace import find_mode


def problem(size=6, seed=0):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    n = rng.integers(1, 20, size).astype(float)
    return root @ root.T / size + 0.2 * np.eye(size), n, rng.binomial(n.astype(int), 0.7).astype(float)


def test_the_mode_maximises_the_posterior():
    k, n, c = problem()
    inverse = np.linalg.inv(k)
    slow = minimize(lambda f: 0.5 * f @ inverse @ f - c @ f + n @ np.logaddexp(0, f), np.zeros(6), tol=1e-10)
    mode = find_mode(k, n, c, tol=1e-12)
    assert mode.f == pytest.approx(slow.x, abs=1e-4)
    assert mode.gradient == pytest.approx(inverse @ mode.f, abs=1e-4)


def test_solve_and_inverse_equal_dense_algebra():
    k, n, c = problem()
    mode = find_mode(k, n, c)
    whole = np.linalg.inv(k + np.diag(1 / mode.weight))
    assert mode.solve(np.eye(6)) == pytest.approx(whole)
    root = np.sqrt(mode.weight)
    assert mode.inverse() == pytest.approx(np.linalg.inv(np.eye(6) + root[:, None] * k * root))
    assert mode.inverse_diagonal() == pytest.approx(np.diag(mode.inverse()))
    assert mode.cross_variance(k) == pytest.approx(np.diag(k @ whole @ k))


def test_evidence_of_one_arm_is_near_the_integral():
    k, n, c = np.array([[0.3]]), np.array([50.0]), np.array([40.0])
    f = np.linspace(-6, 6, 20001)
    integrand = np.exp(c * f - n * np.logaddexp(0, f) - 0.5 * f**2 / 0.3) / np.sqrt(2 * np.pi * 0.3)
    assert find_mode(k, n, c).evidence == pytest.approx(np.log(integrand.sum() * (f[1] - f[0])), abs=0.02)


def test_counts_that_are_all_right_have_a_finite_mode():
    mode = find_mode(np.full((3, 3), 10.0) + np.eye(3), np.full(3, 1e4), np.full(3, 1e4))
    assert np.isfinite(mode.f).all()
    assert np.isfinite(mode.evidence)
