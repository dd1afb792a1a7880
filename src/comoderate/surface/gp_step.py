"""The evidence lower bound of sparse processes with its gradient, and the steps that climb it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from comoderate.surface.gp_likelihood import Sloped
from comoderate.surface.gp_parts import LEAST_VARIANCE, SparseProcesses

Likelihood = Callable[[Tensor, Tensor], Sloped]


class Bound:
    """Loss −(expected log-likelihood − divergence) on some arms; each call puts gradients where optimisers look.

    Args:
        model: the processes.
        inputs: (A, D) input of the embedding.
        likelihood: of the means and variances (P, A) of the processes there.
        frozen: whether the embedding stays as it is.
    """

    def __init__(self, model: SparseProcesses, inputs: Tensor, likelihood: Likelihood, *, frozen: bool = False) -> None:
        self.model, self.inputs, self.likelihood, self.frozen = model, inputs, likelihood, frozen
        with torch.no_grad():
            self._embedded = model.embedded(inputs)

    @torch.no_grad()
    def __call__(self) -> Tensor:
        """The loss at the model's parameters, whose ``grad`` are set."""
        model = self.model
        if not self.frozen:
            self._embedded = model.embedded(self.inputs)
        x, hidden = self._embedded
        found, mean, root = model.at(x), *model.variational()
        variance = found.variances.clamp_min(LEAST_VARIANCE)
        fit = self.likelihood(found.means, variance)
        to_variance = fit.to_variance * (found.variances >= LEAST_VARIANCE)
        slopes = found.backward(-fit.to_mean, -to_variance, with_x=not self.frozen)
        diagonal = torch.diagonal(root, dim1=-2, dim2=-1)
        to_root = slopes.root + root
        torch.diagonal(to_root, dim1=-2, dim2=-1).sub_(1 / diagonal)
        model.take(slopes._replace(mean=slopes.mean + mean, root=to_root), self.inputs, hidden)
        divergence = 0.5 * ((root * root).sum() + (mean * mean).sum() - mean.numel()) - diagonal.abs().log().sum()
        return divergence - fit.value


def climb(bound: Bound, steps: int, learning_rate: float, embedding_rate: float) -> None:
    """So many steps of Adam; the embedding has a rate of its own, and is left alone where the bound is frozen."""
    ascent = Ascent(bound, learning_rate, embedding_rate)
    for _ in range(steps):
        ascent()


class Ascent:
    """Adam on all parameters at once, as vectors of which the model's parameters become views.

    Args:
        bound: what to make small.
        learning_rate: of everything but the embedding.
        embedding_rate: of the embedding, where the bound is not frozen.
    """

    def __init__(self, bound: Bound, learning_rate: float, embedding_rate: float) -> None:
        embedding = list(bound.model.embed.parameters())
        taken = {id(p) for p in embedding}
        rest = [p for p in bound.model.parameters() if id(p) not in taken]
        rates = [(rest, learning_rate)] + [(embedding, embedding_rate)] * (not bound.frozen)
        self._bound, self._parts = bound, [(parts, parameters_to_vector(parts).detach()) for parts, _ in rates]
        for parts, vector in self._parts:
            vector_to_parameters(vector, parts)
        groups: list[dict[str, Any]] = [
            {"params": [vector], "lr": rate} for (_, vector), (_, rate) in zip(self._parts, rates)
        ]
        self._adam = torch.optim.Adam(groups, fused=True)

    def __call__(self) -> Tensor:
        """One step; the loss before it."""
        loss = self._bound()
        for parts, vector in self._parts:
            vector.grad = torch.cat([p.grad.flatten() for p in parts if p.grad is not None])
        self._adam.step()
        return loss
