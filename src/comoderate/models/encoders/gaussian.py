"""The distance-aware last layer of SNGP: a Gaussian process on random features, with its covariance.

Source: Liu et al. (2020), Simple and principled uncertainty estimation with deterministic deep learning via distance
awareness, sections 3.1 and 3.2, algorithm 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

MOVING = 0.999


class Gaussian(NamedTuple):
    """Log-odds of each text: their mean, and the random features that their variance comes from."""

    mean: Tensor
    features: Tensor


class GaussianHead(nn.Module):
    """Log-odds under a Gaussian process with a squared-exponential kernel, approximated by random features.

    With x scaled by a LayerNorm without weights, φ(x) = √(2/D) cos(Wx/(ℓ√d) + b), W standard normal, b uniform on
    [0, 2π): φ(x)·φ(z) approximates exp(−|x − z|²/(2ℓ²d)). The mean is φ·β. The Laplace approximation of β's
    posterior has precision ridge·I + P, P = Σ w p(1 − p) φφᵀ over the training texts, and the variance is
    ridge · φᵀ (ridge·I + P)⁻¹ φ, at most |φ|² ≈ 1 far from all training texts.

    Args:
        width: d, length of the vectors that come in.
        size: D, number of random features.
        length_scale: ℓ, in units of √d.
        ridge: prior precision of β.
    """

    frequency: Tensor
    phase: Tensor
    precision: Tensor
    covariance: Tensor

    def __init__(self, width: int, *, size: int, length_scale: float, ridge: float) -> None:
        super().__init__()
        self.ridge = ridge
        self.scale = math.sqrt(2.0 / size)
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.output = nn.Linear(size, 1, bias=False)
        nn.init.zeros_(self.output.weight)
        self.register_buffer("frequency", torch.randn(width, size) / (length_scale * math.sqrt(width)))
        self.register_buffer("phase", torch.rand(size) * (2 * math.pi))
        self.register_buffer("precision", torch.zeros(size, size))
        self.register_buffer("covariance", torch.eye(size))

    def forward(self, x: Tensor) -> Gaussian:
        """Mean (b,) and features (b, D) of vectors (b, d), in single precision whatever comes in."""
        with torch.autocast(x.device.type, enabled=False):
            features = torch.cos(self.norm(x.float()) @ self.frequency + self.phase) * self.scale
            return Gaussian(self.output(features).squeeze(-1), features)

    def variance(self, features: Tensor) -> Tensor:
        """(b,) variance of the log-odds; :meth:`settle` must have been called since the last update."""
        return torch.einsum("bi,ij,bj->b", features, self.covariance, features).clamp(min=0)

    @torch.no_grad()
    def reset(self) -> None:
        """Forget the precision, at the start of an epoch."""
        self.precision.zero_()

    @torch.no_grad()
    def add(self, out: Gaussian, weight: Tensor) -> None:
        """Add a batch to the exact sum: w p(1 − p) φφᵀ, the curvature of the cross-entropy, for any loss."""
        p = torch.sigmoid(out.mean)
        scaled = out.features * (weight * p * (1 - p)).unsqueeze(-1)
        self.precision += scaled.T @ out.features

    @torch.no_grad()
    def blend(self, out: Gaussian, weight: Tensor) -> None:
        """Move the average: .999 of what it was, the rest the batch's weighted mean of φφᵀ (no p(1 − p))."""
        mean = (out.features * weight.unsqueeze(-1)).T @ out.features / weight.sum().clamp(min=1e-12)
        self.precision.mul_(MOVING).add_(mean, alpha=1 - MOVING)

    @torch.no_grad()
    def settle(self) -> None:
        """Compute the covariance from the precision, in double precision."""
        matrix = self.precision.double()
        matrix = (matrix + matrix.T) / 2 + self.ridge * torch.eye(
            len(matrix), dtype=torch.float64, device=matrix.device
        )
        self.covariance.copy_(self.ridge * torch.cholesky_inverse(torch.linalg.cholesky(matrix)))


def mean_field(mean: Tensor, variance: Tensor, factor: float) -> Tensor:
    """Log-odds pulled towards 0 by their variance: m/√(1 + λσ²), so that its sigmoid is about E[sigmoid(z)].

    Args:
        mean, variance: (b,) of a Gaussian z.
        factor: λ; π/8 in Liu et al. (2020), .1 in the code of Kivlichan et al. (2021).
    """
    return mean / torch.sqrt(1 + factor * variance)
