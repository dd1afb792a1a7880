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
Parameters = Literal["mean_scale", "alpha_beta"]
JITTER = 1e-6  # on covariances of inducing points, and of inputs, as GPyTorch adds


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
        """Means and variances (processes, A) at ``inputs`` (A, D).

        The same as those of calling the model, which makes the whole covariance of inputs lazily; this writes out the
        few lines of algebra that marginals need (Hensman et al. 2015, eqn 12, whitened).
        """
        kernel, points = self.covar_module, self.variational_strategy.inducing_points
        width, height = kernel.base_kernel.lengthscale, kernel.outputscale
        x, z = self.embed(inputs) / width, points / width
        x_norm, z_norm = -0.5 * (x * x).sum(-1, keepdim=True), -0.5 * (z * z).sum(-1, keepdim=True)
        one_x, one_z = torch.ones_like(x_norm), torch.ones_like(z_norm)
        left = torch.cat([z, z_norm + height.log()[:, None, None], one_z], -1)  # a product is the kernel's logarithm
        between = torch.exp(left @ torch.cat([x, one_x, x_norm], -1).mT)
        among = torch.exp(left @ torch.cat([z, one_z, z_norm], -1).mT)
        factor = torch.linalg.cholesky(among + JITTER * torch.eye(z.shape[1], dtype=z.dtype))
        half = torch.linalg.solve_triangular(factor, between, upper=False)
        mean, root = self._variational()
        rows = torch.cat([root.mT, mean[:, None, :]], 1) @ half
        variance = height[:, None] + JITTER + rows[:, :-1].square().sum(1) - half.square().sum(1)
        return self.mean_module.constant[:, None] + rows[:, -1], variance.clamp_min(1e-10)

    def divergence(self) -> Tensor:
        """Kullback–Leibler divergence of the whitened inducing values from a standard normal, summed."""
        mean, root = self._variational()
        log_det = torch.diagonal(root, dim1=-2, dim2=-1).abs().log().sum()
        return 0.5 * ((root * root).sum() + (mean * mean).sum() - mean.numel()) - log_det

    def _variational(self) -> tuple[Tensor, Tensor]:
        """Mean (processes, M) and lower root of the covariance (processes, M, M) of the whitened inducing values."""
        q = self.variational_strategy._variational_distribution
        return q.variational_mean, torch.tril(q.chol_variational_covar)

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


def shapes(first: Tensor, second: Tensor, link: Link, parameters: Parameters) -> tuple[Tensor, Tensor]:
    """Both parameters of the Beta distribution from the values of the two processes.

    ``mean_scale``: φψ and (1 − φ)ψ; ``alpha_beta`` (the paper's Appendix B): each process is one of them, by softplus.
    """
    if parameters == "alpha_beta":
        one = torch.ones_like(first + second)
        return scale(first) * one, scale(second) * one
    phi, psi = accuracy(first, link), scale(second)
    return phi * psi, (1 - phi) * psi


def beta_likelihood(
    mean: Tensor, variance: Tensor, n: Tensor, c: Tensor, link: Link, parameters: Parameters = "mean_scale"
) -> Tensor:
    """Expected beta-binomial log-likelihood log B(α + c, β + n − c) − log B(α, β), summed.

    Each process has its own quadrature nodes: with six and three, an arm's term is off by at most .002 at standard
    deviations of 1.5 and 1.
    """
    x, w = nodes(6)
    y, v = nodes(3)
    first = mean[0][:, None, None] + variance[0].sqrt()[:, None, None] * x[None, :, None]
    second = mean[1][:, None, None] + variance[1].sqrt()[:, None, None] * y
    a, b = shapes(first, second, link, parameters)
    both = scale(second) if parameters == "mean_scale" else a + b
    grid = w[:, None] * v
    parts = ((a, c, grid), (b, n - c, grid), (both, n, grid if parameters == "alpha_beta" else v[None, :]))
    right, wrong, total = (_rising(x, count, weight) for x, count, weight in parts)
    return right + wrong - total


def _rising(x: Tensor, count: Tensor, weight: Tensor) -> Tensor:
    """Σ weight · (log Γ(x + count) − log Γ(x)) for x (A, I, J), count (A,), weight (I, J): 0 where there is none."""
    some = count > 0
    x, count = x[some], count[some, None, None]
    return ((torch.lgamma(x + count) - torch.lgamma(x)) * weight).sum()


def scale_supervision(mean: Tensor, n: Tensor, kind: Supervision, parameters: Parameters = "mean_scale") -> Tensor:
    """Log density that ties scales ψ to counts: Dirichlet of observed shares (paper), or Gamma of counts.

    The public code adds the mean of the Gamma terms to a likelihood that is a mean over arms too: here both are sums.
    """
    psi = scale(mean[1]) if parameters == "mean_scale" else scale(mean[0]) + scale(mean[1])
    if kind == "dirichlet":
        share = n / n.sum()
        return torch.lgamma(psi.sum()) - torch.lgamma(psi).sum() + ((psi - 1) * share.log()).sum()
    clipped = n.clamp(0.01, 10.0)
    return ((psi - 1) * clipped.log() - clipped - torch.lgamma(psi)).sum()
