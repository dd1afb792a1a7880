"""Spectral normalisation by projection: a layer's largest singular value is kept at or under a bound."""

from __future__ import annotations

import re

import torch
from torch import Tensor, nn
from torch.nn import functional


class SpectralBound:
    """Scales chosen linear layers back after each step wherever their spectral norm is over the bound.

    W becomes W · min(1, c/σ) with σ = |Wᵀu| estimated by power iterations that go on from step to step. What is
    stored is the projected weight, so prediction costs nothing more. :meth:`settle` projects with the exact norm.

    Source: Miyato et al. (2018), Spectral normalization for generative adversarial networks, algorithm 1, for the
    iterations; Gouk et al. (2021), Regularisation of neural networks by enforcing Lipschitz continuity, for the
    projection; Liu et al. (2020) for the bound.

    Args:
        network: where the layers are.
        pattern: regular expression that the whole name of a linear layer must match.
        bound: c > 0.
        iterations: power iterations a step.
    """

    def __init__(self, network: nn.Module, *, pattern: str, bound: float, iterations: int) -> None:
        named = network.named_modules()
        self.layers = {n: m for n, m in named if isinstance(m, nn.Linear) and re.fullmatch(pattern, n)}
        self.bound = bound
        self.iterations = iterations
        self.vectors = {
            name: functional.normalize(torch.ones_like(one.weight[:, 0]), dim=0) for name, one in self.layers.items()
        }

    @torch.no_grad()
    def project(self) -> None:
        """One estimate and projection of each layer."""
        for name, layer in self.layers.items():
            weight, u = layer.weight, self.vectors[name]
            for _ in range(self.iterations):
                v = functional.normalize(weight.T @ u, dim=0)
                u = functional.normalize(weight @ v, dim=0)
            self.vectors[name] = u
            _scale(weight, torch.linalg.vector_norm(weight.T @ u), self.bound)

    @torch.no_grad()
    def settle(self) -> None:
        """Project with the exact spectral norm."""
        for layer in self.layers.values():
            _scale(layer.weight, torch.linalg.matrix_norm(layer.weight.float(), 2), self.bound)

    def state(self) -> dict[str, Tensor]:
        """The vectors of the power iterations, so that a resumed training goes on with them."""
        return dict(self.vectors)

    def restore(self, state: dict[str, Tensor]) -> None:
        """Take back what :meth:`state` gave."""
        self.vectors = {name: state[name].to(self.vectors[name].device) for name in self.vectors}


def _scale(weight: Tensor, norm: Tensor, bound: float) -> None:
    weight.mul_(torch.clamp(bound / norm.clamp(min=1e-12), max=1.0))
