"""Laplace's approximation for counts of arms whose log-odds have a Gaussian prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtri
from scipy.special import expit

from comoderate.surface.inputs import Floats

LEAST_WEIGHT = 1e-7


@dataclass(frozen=True)
class Mode:
    """The most likely log-odds f of labelled arms under f ~ N(0, K), and what the curvature there says.

    With W = n p (1 − p), B = I + W½ K W½ and p = σ(f): after Rasmussen and Williams (2006), *Gaussian Processes for
    Machine Learning*, algorithms 3.1 and 5.1.

    Attributes:
        f: (L,) log-odds at the mode.
        gradient: (L,) K⁻¹ f, which equals c − n p there.
        weight: (L,) W.
        factor: (L, L) lower Cholesky factor of B, zero above the diagonal.
        evidence: Laplace's approximation of the log marginal likelihood.
    """

    f: Floats
    gradient: Floats
    weight: Floats
    factor: Floats
    evidence: float

    def solve(self, x: Floats) -> Floats:
        """(K + W⁻¹)⁻¹ x for (L,) or (L, M) ``x``."""
        root = np.sqrt(self.weight)
        scaled = root * x if x.ndim == 1 else root[:, None] * x
        solved = dpotrs(self.factor, scaled, lower=1)[0]
        return np.asarray(root * solved if x.ndim == 1 else root[:, None] * solved)

    def inverse(self) -> Floats:
        """(L, L) inverse of B, symmetric."""
        lower, info = dpotri(self.factor, lower=1)
        if info:
            raise ValueError("the covariance of arms is singular")
        lower = np.tril(lower)
        return np.asarray(lower + np.tril(lower, -1).T)

    def inverse_diagonal(self) -> Floats:
        """(L,) diagonal of the inverse of B, at half the cost of the whole."""
        lower = dtrtri(self.factor, lower=1)[0]
        return np.asarray(np.einsum("ij,ij->j", lower, lower))

    def cross_variance(self, cross: Floats) -> Floats:
        """(M,) how much the data reduce the variance of arms with covariances ``cross`` (M, L) to labelled ones."""
        scaled = np.sqrt(self.weight)[:, None] * cross.T
        half = solve_triangular(self.factor, scaled, lower=True, check_finite=False, overwrite_b=True)
        return np.asarray(np.einsum("ij,ij->j", half, half))


def find_mode(
    covariance: Floats,
    n: Floats,
    c: Floats,
    start: Floats | None = None,
    tol: float = 1e-5,
    *,
    slope: Floats | None = None,
) -> Mode:
    """Newton's method with step halving for the mode of p(c | f) N(f; 0, K).

    Args:
        covariance: (L, L) K.
        n, c: (L,) labelled examples and how many are right.
        start: (L,) log-odds to start from; zeros if None.
        tol: stop when the log posterior gains less.
        slope: (L,) a guess of K⁻¹ f to start from instead: an earlier mode's gradient, 0 for arms that it lacked. The
            curvature is then that from where the last step began: what follows is exact for the normal likelihood
            that the step took in place of the binomial one.
    """
    if not len(n):
        return Mode(n, n, n, np.zeros((0, 0)), 0.0)
    warm = slope is not None
    f = np.zeros(len(n)) if start is None else start
    a, best = np.zeros(len(n)) if slope is None else slope, -np.inf
    if warm:
        f = covariance @ a
        best = _log_posterior(a, f, n, c)
    for step in range(50):
        wanted, weight, factor = _newton(covariance, n, c, f)
        if warm or step:
            a, f, value = _search(covariance, n, c, a, wanted, best)
        else:
            a, f = wanted, covariance @ wanted
            value = _log_posterior(a, f, n, c)
        if value - best < tol:
            break
        best = value
    if not warm:
        p = expit(f)
        a, weight = c - n * p, np.maximum(n * p * (1 - p), LEAST_WEIGHT)
        factor = _factor(covariance, weight)
    return Mode(f, a, weight, factor, value - float(np.log(np.diag(factor)).sum()))


def _factor(covariance: Floats, weight: Floats) -> Floats:
    root = np.sqrt(weight)
    b = root[:, None] * covariance * root
    b.flat[:: len(b) + 1] += 1.0
    factor, info = dpotrf(b.T, lower=1, overwrite_a=1)  # symmetric: its transpose has the order that LAPACK wants
    if info:
        raise ValueError("the covariance of arms is singular")
    return np.asarray(factor)


def _newton(covariance: Floats, n: Floats, c: Floats, f: Floats) -> tuple[Floats, Floats, Floats]:
    """The K⁻¹ f that one whole Newton step from ``f`` gives, and the weights and the factor of B at ``f``."""
    p = expit(f)
    weight = np.maximum(n * p * (1 - p), LEAST_WEIGHT)
    root = np.sqrt(weight)
    b = weight * f + c - n * p
    factor = _factor(covariance, weight)
    solved = dpotrs(factor, root * (covariance @ b), lower=1)[0]
    return np.asarray(b - root * solved), weight, factor


def _log_posterior(a: Floats, f: Floats, n: Floats, c: Floats) -> float:
    return float(-0.5 * a @ f + c @ f - n @ np.logaddexp(0.0, f))


def _search(
    covariance: Floats, n: Floats, c: Floats, a: Floats, wanted: Floats, best: float
) -> tuple[Floats, Floats, float]:
    """The longest of the steps 1, 1/2, 1/4, … from ``a`` towards ``wanted`` that does not lose."""
    step = 1.0
    while True:
        tried = a + step * (wanted - a)
        f = covariance @ tried
        value = _log_posterior(tried, f, n, c)
        if value >= best - 1e-9 or step < 1e-3:
            return tried, f, value
        step /= 2
