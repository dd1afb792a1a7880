"""Linear layers for prediction in single precision on CPUs: weights laid out once for oneDNN, the bias and the
activation applied while the product is still in the processor."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, linear

PROBE, LIKELY = 4, 1024
"""Rows that a layer is tried on, and those that its weights are laid out for."""


class FusedLinear(nn.Module):
    """A linear layer, followed by a GELU where asked, through the operators that torch's own compiler emits.

    Args:
        layer: with single-precision weights on a CPU.
        activation: "none" or "gelu" (the exact one).
    """

    def __init__(self, layer: nn.Linear, activation: str) -> None:
        super().__init__()
        operators: Any = torch.ops.mkldnn
        self.multiply = operators._linear_pointwise
        self.activation = activation
        # Not parameters: their layout is oneDNN's own and can be neither saved nor copied.
        self.laid_out = operators._reorder_linear_weight(layer.weight.detach(), LIKELY)
        self.bias = None if layer.bias is None else layer.bias.detach()

    def forward(self, x: Tensor) -> Tensor:
        """(n, out) of (n, in)."""
        return self.multiply(x, self.laid_out, self.bias, self.activation, [], "none")  # type: ignore[no-any-return]


@torch.no_grad()
def fused(layer: nn.Module, activation: str = "none") -> nn.Module | None:
    """The layer with its activation as one step; None where that isn't to be had here or doesn't give the same.

    The operators are torch's inner ones: a version that lacks or changes them costs the speed and nothing else.

    Args:
        layer: any; only a plain linear layer in single precision on a CPU can be fused.
        activation: as :class:`FusedLinear`.
    """
    if type(layer) is not nn.Linear or layer.weight.dtype != torch.float32 or layer.weight.device.type != "cpu":
        return None
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return None
    x = torch.linspace(-2, 2, PROBE * layer.in_features).sin().view(PROBE, -1)
    plain = linear(x, layer.weight, layer.bias)
    try:
        one = FusedLinear(layer, activation)
        same = torch.allclose(one(x), gelu(plain) if activation == "gelu" else plain, rtol=1e-4, atol=1e-4)
    except (AttributeError, RuntimeError, TypeError):
        return None
    return one if same else None
