"""Estimators that know no attributes: a constant, independent Betas, and Betas with a common prior."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import betaln

from comoderate.surface.base import Surface
from comoderate.surface.inputs import Codes, Counts, Floats
from comoderate.surface.posterior import Posterior


def pooled_accuracy(counts: Counts, pseudo: float = 1.0) -> float:
    """Share right over all arms, with ``pseudo`` examples of .5 added so that it is never 0 or 1."""
    return float((counts.c.sum() + 0.5 * pseudo) / (counts.n.sum() + pseudo))


class Constant(Surface):
    """One accuracy for all arms: Beta(c + 1/2, n − c + 1/2) of the totals."""

    def _fit(self, counts: Counts) -> None:
        self.a_, self.b_ = float(counts.c.sum()) + 0.5, float((counts.n - counts.c).sum()) + 0.5

    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        size = len(codes)
        return Posterior.beta(np.full(size, self.a_), np.full(size, self.b_))


class BetaI(Surface):
    """Independent arms, Beta-I of Piratla et al. (2021): Beta(λρ̂ + c, λ(1 − ρ̂) + n − c).

    Args:
        strength: λ, the pseudo-examples that each arm starts with; > 0.

    Attributes:
        rate_: ρ̂, the share right among all labelled examples (half an example of each kind added).
    """

    def __init__(self, *, strength: float = 0.1) -> None:
        self.strength = strength

    def _fit(self, counts: Counts) -> None:
        if not self.strength > 0:
            raise ValueError(f"strength must be positive, not {self.strength}")
        self.rate_ = pooled_accuracy(counts)

    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        return Posterior.beta(self.strength * self.rate_ + c, self.strength * (1 - self.rate_) + n - c)


class EmpiricalBayes(Surface):
    """Arms drawn from one Beta(φψ, (1 − φ)ψ) whose φ and ψ maximise the beta-binomial likelihood of all counts.

    Attributes:
        rate_: φ, the mean accuracy of arms.
        strength_: ψ, in pseudo-examples; kept within .1 and 10,000, with a weak prior around 10.
    """

    def _fit(self, counts: Counts) -> None:
        start = pooled_accuracy(counts)
        self.rate_, self.strength_ = start, 10.0
        if not len(counts.n):
            return

        def loss(x: Floats) -> float:
            phi, psi = 1 / (1 + np.exp(-x[0])), np.exp(x[1])
            fit = beta_binomial(counts.n, counts.c, phi * psi, (1 - phi) * psi).sum()
            return float(-fit + 0.5 * ((x[1] - np.log(10.0)) / 3.0) ** 2 + 0.5 * (x[0] / 10.0) ** 2)

        x0 = np.array([np.log(start / (1 - start)), np.log(10.0)])
        found = minimize(loss, x0, method="L-BFGS-B", bounds=[(-12, 12), (np.log(0.1), np.log(1e4))])
        self.rate_, self.strength_ = float(1 / (1 + np.exp(-found.x[0]))), float(np.exp(found.x[1]))

    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        return Posterior.beta(self.strength_ * self.rate_ + c, self.strength_ * (1 - self.rate_) + n - c)


def beta_binomial(n: Floats, c: Floats, a: Floats | float, b: Floats | float) -> Floats:
    """(A,) log-likelihood of counts under Beta(a, b) accuracies: log B(a + c, b + n − c) − log B(a, b).

    The binomial coefficient is left out: what is seen are single outcomes, not only counts.
    """
    return np.asarray(betaln(a + c, b + n - c) - betaln(a, b))
