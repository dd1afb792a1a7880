"""The pieces of Gaussian-process surfaces on GPyTorch: embeddings of arms, sparse processes, likelihoods."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from comoderate.surface.inputs import Codes

with warnings.catch_warnings():  # its import uses a decorator that torch has deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    import gpytorch

Encoding = Literal["onehot", "integer"]
Supervision = Literal["none", "dirichlet", "gamma"]
Link = Literal["plain", "code"]


class Encoder:
    """Codes of attributes as the input of a network: one-hot (unseen values all zero) or the scaled codes."""

    def __init__(self, arms: Codes, encoding: Encoding) -> None:
        self.encoding = encoding
        self.values: list[NDArray[np.int64]] = [np.unique(column) for column in arms.T]

    def __call__(self, arms: Codes) -> Tensor:
        """(A, D) input for (A, K) codes."""
        if self.encoding == "integer":
            top = np.array([max(abs(int(v[-1])), 1) for v in self.values])
            return torch.tensor(arms / top, dtype=torch.float64)
        parts = [column[:, None] == v for column, v in zip(arms.T, self.values)]
        return torch.tensor(np.hstack(parts), dtype=torch.float64)


class SparseProcesses(gpytorch.models.ApproximateGP):  # type: ignore[misc]
    """Independent processes over one shared embedding, with whitened inducing points (Hensman et al. 2015).

    Args:
        inducing: (M, D) inputs whose embeddings the inducing points start from.
        n_processes: 1 for the accuracy alone, 2 for accuracy and scale.
        start: value of each process's constant mean.
        width: size of the embedding.
    """

    def __init__(self, inducing: Tensor, n_processes: int, start: list[float], width: int = 20) -> None:
        embed = nn.Sequential(nn.Linear(inducing.shape[1], width), nn.ReLU(), nn.Linear(width, width)).double()
        with torch.no_grad():
            points = embed(inducing).expand(n_processes, -1, -1).clone()
        shape = torch.Size([n_processes])
        distribution = gpytorch.variational.CholeskyVariationalDistribution(points.shape[1], batch_shape=shape)
        super().__init__(gpytorch.variational.VariationalStrategy(self, points, distribution))
        self.embed = embed
        self.mean_module = gpytorch.means.ConstantMean(batch_shape=shape)
        kernel = gpytorch.kernels.RBFKernel(ard_num_dims=width, batch_shape=shape)
        self.covar_module = gpytorch.kernels.ScaleKernel(kernel, batch_shape=shape)
        self.double()
        with torch.no_grad():
            self.mean_module.constant.copy_(torch.tensor(start, dtype=torch.float64))

    def forward(self, x: Tensor) -> Any:
        """Prior at embedded inputs."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def marginals(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Means and variances (processes, A) at ``inputs`` (A, D)."""
        found = self(self.embed(inputs).expand(self.mean_module.constant.shape[0], -1, -1))
        return found.mean, found.variance

    def similarity(self, inputs: Tensor) -> Tensor:
        """(A, A) kernel of the first process, 1 on the diagonal."""
        with torch.no_grad():
            points = self.embed(inputs).expand(self.mean_module.constant.shape[0], -1, -1)
            k: Tensor = self.covar_module(points).to_dense()[0]
            return k / k.diagonal().max()


def nodes(count: int) -> tuple[Tensor, Tensor]:
    """Gauss–Hermite nodes and weights for a standard normal, (count,) each."""
    x, w = np.polynomial.hermite_e.hermegauss(count)
    return torch.tensor(x), torch.tensor(w / w.sum())


def accuracy(f: Tensor, link: Link) -> Tensor:
    """φ of the first process: σ(f), or σ(6 f − 3) as in the public code."""
    return torch.sigmoid(f if link == "plain" else 6 * f - 3).clamp(1e-6, 1 - 1e-6)


def scale(g: Tensor) -> Tensor:
    """ψ of the second process: softplus."""
    return nn.functional.softplus(g).clamp(1e-3, 1e4)


def bernoulli_likelihood(mean: Tensor, variance: Tensor, n: Tensor, c: Tensor, link: Link) -> Tensor:
    """Expected log-likelihood of counts (A,) under φ(f), f normal, summed over arms."""
    x, w = nodes(20)
    phi = accuracy(mean[0][:, None] + variance[0].sqrt()[:, None] * x, link)
    return ((c[:, None] * phi.log() + (n - c)[:, None] * (1 - phi).log()) @ w).sum()


def beta_likelihood(mean: Tensor, variance: Tensor, n: Tensor, c: Tensor, link: Link) -> Tensor:
    """Expected beta-binomial log-likelihood log B(φψ + c, (1 − φ)ψ + n − c) − log B(φψ, (1 − φ)ψ), summed.

    Each process has its own quadrature nodes.
    """
    x, w = nodes(10)
    y, v = nodes(6)
    phi = accuracy(mean[0][:, None, None] + variance[0].sqrt()[:, None, None] * x[None, :, None], link)
    psi = scale(mean[1][:, None, None] + variance[1].sqrt()[:, None, None] * y)
    a, b = phi * psi, (1 - phi) * psi
    right, wrong = c[:, None, None], (n - c)[:, None, None]
    log = torch.lgamma(a + right) + torch.lgamma(b + wrong) - torch.lgamma(psi + right + wrong)
    log = log - torch.lgamma(a) - torch.lgamma(b) + torch.lgamma(psi)
    return torch.einsum("aij,i,j->", log, w, v)


def scale_supervision(mean: Tensor, n: Tensor, kind: Supervision) -> Tensor:
    """Log density that ties scales ψ to counts: Dirichlet of observed shares (paper), or Gamma of counts.

    The public code adds the mean of the Gamma terms to a likelihood that is a mean over arms too: here both are sums.
    """
    psi = scale(mean[1])
    if kind == "dirichlet":
        share = n / n.sum()
        return torch.lgamma(psi.sum()) - torch.lgamma(psi).sum() + ((psi - 1) * share.log()).sum()
    clipped = n.clamp(0.01, 10.0)
    return ((psi - 1) * clipped.log() - clipped - torch.lgamma(psi)).sum()
