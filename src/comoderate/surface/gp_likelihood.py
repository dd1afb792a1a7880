"""Likelihoods of counts of arms under Gaussian processes, and what ties scales to counts; all with their gradients."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from comoderate.surface.inputs import Floats

Supervision = Literal["none", "dirichlet", "gamma"]
Link = Literal["plain", "code"]
Parameters = Literal["mean_scale", "alpha_beta"]
FEW = 4  # whole counts up to this need no log-gamma function


class Sloped(NamedTuple):
    """A sum over arms with its gradients.

    Attributes:
        value: the sum.
        to_mean, to_variance: (P, A), of the means and variances of the processes.
    """

    value: Tensor
    to_mean: Tensor
    to_variance: Tensor


@cache
def nodes(count: int) -> tuple[Tensor, Tensor]:
    """Gauss–Hermite nodes and weights for a standard normal, (count,) each."""
    x, w = np.polynomial.hermite_e.hermegauss(count)
    return torch.tensor(x), torch.tensor(w / w.sum())


def steepness(link: Link) -> tuple[float, float]:
    """Slope and intercept of the log-odds of φ as a function of the process: f, or 6 f − 3 as in the public code."""
    return (1.0, 0.0) if link == "plain" else (6.0, -3.0)


def accuracy(f: Tensor, link: Link) -> Tensor:
    """φ of the first process: σ(f), or σ(6 f − 3) as in the public code."""
    return accuracy_and_slope(f, link)[0]


def accuracy_and_slope(f: Tensor, link: Link) -> tuple[Tensor, Tensor]:
    """:func:`accuracy` with its derivative."""
    slope, start = steepness(link)
    free = torch.sigmoid(f if link == "plain" else slope * f + start)
    phi = free.clamp(1e-6, 1 - 1e-6)
    return phi, (phi - phi * phi).mul_(slope).mul_(free == phi)


def scale(g: Tensor) -> Tensor:
    """ψ of the second process: softplus."""
    return scale_and_slope(g)[0]


def scale_and_slope(g: Tensor) -> tuple[Tensor, Tensor]:
    """:func:`scale` with its derivative."""
    free = nn.functional.softplus(g)
    psi = free.clamp(1e-3, 1e4)
    return psi, torch.sigmoid(g).mul_(free == psi)


def shapes(first: Tensor, second: Tensor, link: Link, parameters: Parameters) -> tuple[Tensor, Tensor]:
    """Both parameters of the Beta distribution from the values of the two processes.

    ``mean_scale``: φψ and (1 − φ)ψ; ``alpha_beta`` (the paper's Appendix B): each process is one of them, by softplus.
    """
    if parameters == "alpha_beta":
        one = torch.ones_like(first + second)
        return scale(first) * one, scale(second) * one
    phi, psi = accuracy(first, link), scale(second)
    return phi * psi, (1 - phi) * psi


class Rising:
    """Σ weight · (log Γ(x + count) − log Γ(x)) as a function of x (R, A), sorted once for many steps.

    Where a count is whole, the difference is the logarithm of x (x + 1) … (x + count − 1): small counts, which most
    are, need products only, and counts of 0 nothing.

    Args:
        count: (R, A).
        weight: (R,).
    """

    def __init__(self, count: Tensor, weight: Tensor) -> None:
        self._size = count.shape
        flat, each = count.flatten(), weight[:, None].expand(count.shape).flatten()
        whole = (flat == flat.floor()) & (flat > 0) & (flat <= FEW)
        few = torch.nonzero(whole)[:, 0]
        few = few[torch.argsort(flat[few], descending=True, stable=True)]
        many = torch.nonzero((flat > 0) & ~whole)[:, 0]
        self._at, self._cut, self._count = torch.cat([few, many]), len(few), flat[many]
        self._weight = each[self._at]
        self._longer = [(k, int((flat[few] > k).sum())) for k in range(1, FEW)]

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The sum, and its gradient (R, A)."""
        x = x.take(self._at)
        many = x[self._cut :]
        product, slope = x.clone(), x.reciprocal()
        for k, size in self._longer:
            factor = x[:size] + k
            product[:size] *= factor
            slope[:size] += factor.reciprocal_()
        top = many + self._count
        product[: self._cut].log_()
        product[self._cut :] = torch.lgamma(top) - torch.lgamma(many)
        slope[self._cut :] = torch.digamma(top) - torch.digamma(many)
        whole = x.new_zeros(self._size)
        whole.view(-1).index_copy_(0, self._at, slope.mul_(self._weight))
        return self._weight @ product, whole


class BernoulliLikelihood:
    """Expected log-likelihood of counts (A,) under φ(f), f normal."""

    def __init__(self, n: Floats, c: Floats, link: Link) -> None:
        self._right, self._wrong, self._link = _tensor(c), _tensor(n) - _tensor(c), link

    def __call__(self, mean: Tensor, variance: Tensor) -> Sloped:
        """The sum for means and variances (1, A)."""
        x, w = nodes(20)
        root = variance[0].sqrt()
        phi, steep = accuracy_and_slope(mean[0] + x[:, None] * root, self._link)
        value = w @ (self._right * phi.log() + self._wrong * (1 - phi).log())
        slope = (self._right / phi - self._wrong / (1 - phi)) * steep
        return Sloped(value.sum(), (w @ slope)[None], ((w * x) @ slope / (2 * root))[None])


class BetaLikelihood:
    """Expected beta-binomial log-likelihood log B(α + c, β + n − c) − log B(α, β).

    Each process has its own quadrature nodes: with six and three, an arm's term is off by at most .002 at standard
    deviations of 1.5 and 1.

    Args:
        n, c: (A,) labelled examples and how many are right.
        link: of the accuracy.
        parameters: what the processes stand for.
    """

    def __init__(self, n: Floats, c: Floats, link: Link, parameters: Parameters = "mean_scale") -> None:
        (_, w), (_, v) = nodes(6), nodes(3)
        both, mixed = (w[:, None] * v).flatten(), parameters == "mean_scale"
        self._weights = (both, both, -v) if mixed else (w, v, -both)
        counts = [_tensor(x).expand(len(weight), -1) for x, weight in zip((c, n - c, n), self._weights)]
        self._rising = Rising(torch.cat(counts), torch.cat(self._weights))
        self._link, self._terms = link, self._mixed if mixed else self._separate

    def __call__(self, mean: Tensor, variance: Tensor) -> Sloped:
        """The sum for means and variances (2, A)."""
        (x, _), (y, _) = nodes(6), nodes(3)
        root = variance.sqrt()
        value, to_f, to_g = self._terms(mean[0] + x[:, None] * root[0], mean[1] + y[:, None] * root[1])
        to_root = torch.stack([x @ to_f, y @ to_g])
        return Sloped(value, torch.stack([to_f.sum(0), to_g.sum(0)]), to_root / (2 * root))

    def _mixed(self, f: Tensor, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """At nodes f (I, A) and g (J, A): α = φψ and β = (1 − φ)ψ."""
        (phi, phi_slope), (psi, psi_slope) = accuracy_and_slope(f, self._link), scale_and_slope(g)
        phi = phi[:, None, :]
        a = phi * psi
        value, (to_a, to_b, to_psi) = self._parts(a.flatten(0, 1), (psi - a).flatten(0, 1), psi)
        to_a, to_b = to_a.view(a.shape), to_b.view(a.shape)
        to_phi = ((to_a - to_b) * psi).sum(1)
        to_psi = to_psi + torch.lerp(to_b, to_a, phi).sum(0)
        return value, to_phi * phi_slope, to_psi * psi_slope

    def _separate(self, f: Tensor, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The same with α and β each of its own process."""
        (a, a_slope), (b, b_slope) = scale_and_slope(f), scale_and_slope(g)
        both = a[:, None, :] + b
        value, (to_a, to_b, to_both) = self._parts(a, b, both.flatten(0, 1))
        to_both = to_both.view(both.shape)
        return value, (to_a + to_both.sum(1)) * a_slope, (to_b + to_both.sum(0)) * b_slope

    def _parts(self, *parts: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        value, slope = self._rising(torch.cat(parts))
        return value, torch.split(slope, [len(part) for part in parts])


class ScaleSupervision:
    """Log density that ties scales ψ to counts: Dirichlet of observed shares (paper), or Gamma of counts.

    The public code adds the mean of the Gamma terms to a likelihood that is a mean over arms too: here both are sums.
    """

    def __init__(self, n: Floats, kind: Supervision, parameters: Parameters = "mean_scale") -> None:
        count, self._dirichlet, self._mixed = _tensor(n), kind == "dirichlet", parameters == "mean_scale"
        clipped = count.clamp(0.01, 10.0)
        self._logs = (count / count.sum()).log() if self._dirichlet else clipped.log()
        self._constant = -self._logs.sum() - (0.0 if self._dirichlet else clipped.sum())

    def __call__(self, mean: Tensor) -> tuple[Tensor, Tensor]:
        """The density at means (2, A), and its gradient."""
        own, own_slope = scale_and_slope(mean[1:] if self._mixed else mean)
        psi = own.sum(0)
        value, slope = self._constant + psi @ self._logs - torch.lgamma(psi).sum(), self._logs - torch.digamma(psi)
        if self._dirichlet:
            total = psi.sum()
            value, slope = value + torch.lgamma(total), slope + torch.digamma(total)
        slopes = slope * own_slope
        return value, torch.cat([torch.zeros_like(slopes), slopes]) if self._mixed else slopes


def _tensor(x: Floats) -> Tensor:
    return torch.as_tensor(x, dtype=torch.float64)
