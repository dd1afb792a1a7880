"""Gaussian processes over embedded arms, on GPyTorch."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from comoderate.surface.gp_algebra import Marginals, Slopes
from comoderate.surface.inputs import Codes

with warnings.catch_warnings():  # its import uses a decorator that torch has deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    import gpytorch

Encoding = Literal["onehot", "integer"]
LEAST_VARIANCE = 1e-10


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
        layers = nn.Linear(inducing.shape[1], width), nn.ReLU(), nn.Linear(width, width)
        embed = nn.Sequential(*layers).double()
        with torch.no_grad():
            points = embed(inducing).expand(n_processes, -1, -1).clone()
        shape = torch.Size([n_processes])
        distribution = gpytorch.variational.CholeskyVariationalDistribution(points.shape[1], batch_shape=shape)
        super().__init__(gpytorch.variational.VariationalStrategy(self, points, distribution))
        self.embed, self.layers = embed, layers
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

        The same as those of calling the model, which makes the whole covariance of inputs lazily.
        """
        with torch.no_grad():
            found = self.at(self.embedded(inputs)[0])
            return found.means, found.variances.clamp_min(LEAST_VARIANCE)

    def embedded(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Embedding (A, width) of ``inputs`` (A, D), and the layer before."""
        first, rectify, last = self.layers
        hidden = rectify(first(inputs))
        return last(hidden), hidden

    def at(self, x: Tensor) -> Marginals:
        """Marginals at embedded inputs."""
        kernel, points = self.covar_module, self.variational_strategy.inducing_points
        sharp = kernel.base_kernel.lengthscale**-2
        return Marginals(x, points, sharp, kernel.outputscale, self.mean_module.constant, *self.variational())

    def variational(self) -> tuple[Tensor, Tensor]:
        """Mean (processes, M) and lower root of the covariance (processes, M, M) of the whitened inducing values."""
        q = self.variational_strategy._variational_distribution
        return q.variational_mean, torch.tril(q.chol_variational_covar)

    def take(self, slopes: Slopes, inputs: Tensor, hidden: Tensor) -> None:
        """Put gradients where optimisers look for them; the embedding's only if there is one of its output."""
        kernel, q = self.covar_module, self.variational_strategy._variational_distribution
        width, height = kernel.base_kernel.lengthscale, kernel.outputscale
        q.variational_mean.grad, q.chol_variational_covar.grad = slopes.mean, slopes.root
        self.variational_strategy.inducing_points.grad = slopes.z
        self.mean_module.raw_constant.grad = slopes.constant
        kernel.raw_outputscale.grad = slopes.height * _softplus_slope(height)
        kernel.base_kernel.raw_lengthscale.grad = -2 * slopes.sharp * width**-3 * _softplus_slope(width)
        if slopes.x is not None:
            first, _, last = self.layers
            to_hidden = (slopes.x @ last.weight) * (hidden > 0)
            last.weight.grad, last.bias.grad = slopes.x.mT @ hidden, slopes.x.sum(0)
            first.weight.grad, first.bias.grad = to_hidden.mT @ inputs, to_hidden.sum(0)

    def similarity(self, inputs: Tensor) -> Tensor:
        """(A, A) kernel of the first process, 1 on the diagonal."""
        with torch.no_grad():
            points = self.embed(inputs).expand(self.mean_module.constant.shape[0], -1, -1)
            k: Tensor = self.covar_module(points).to_dense()[0]
            return k / k.diagonal().max()


def _softplus_slope(value: Tensor) -> Tensor:
    """Derivative of softplus, GPyTorch's constraint for what must be positive, where it is ``value``."""
    return -torch.expm1(-value)
