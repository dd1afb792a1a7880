"""The marginals of sparse Gaussian processes and their gradient, written out: a few products of matrices in all.

Left to automatic differentiation, a step costs two to three times as much, most of it in many small operations.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

JITTER = 1e-6  # on covariances of inducing points, and of inputs, as GPyTorch adds
SMALLEST = -80.0  # logarithm of the least covariance between points: e^-80 is 0 to all that follows, but no subnormal


class Slopes(NamedTuple):
    """Gradients of what :class:`Marginals` was made of, under the same names."""

    x: Tensor | None
    z: Tensor
    sharp: Tensor
    height: Tensor
    constant: Tensor
    mean: Tensor
    root: Tensor


class Marginals:
    """Means and variances of P whitened sparse processes (Hensman, Matthews and Ghahramani 2015, eqn 12) at A inputs.

    With the covariance K = L Lᵀ of the inducing points, R = L⁻¹, k the covariances of inducing points and inputs, and
    whitened inducing values of mean m and covariance S Sᵀ: mean = b + mᵀ R k and variance = h − diag(kᵀ F k) with
    F = Rᵀ (1 − S Sᵀ) R. The exponent of k, log h − ½ Σ_d (x_d − z_d)² / ℓ_d², is a product of one matrix that knows
    only inducing points and one that knows only inputs, which all processes share.

    Args:
        x: (A, W) embedded inputs.
        z: (P, M, W) inducing points.
        sharp: (P, 1, W) ℓ⁻².
        height: (P,) h.
        constant: (P,) b.
        mean: (P, M) m.
        root: (P, M, M) S, lower.

    Attributes:
        means, variances: (P, A).
    """

    def __init__(
        self, x: Tensor, z: Tensor, sharp: Tensor, height: Tensor, constant: Tensor, mean: Tensor, root: Tensor
    ) -> None:
        self._x, self._z, self._sharp, self._height, self._mean, self._root = x, z, sharp, height, mean, root
        self._scaled = z * sharp
        top = height.log()[:, None, None] - 0.5 * (z * self._scaled).sum(-1, keepdim=True)
        self._left = torch.cat([self._scaled, (-0.5 * sharp).expand(z.shape), top], -1)
        self._right, self._own = _basis(x), _basis(z)
        self._among = (self._left @ self._own.mT).exp_()
        eye = torch.eye(z.shape[1], dtype=z.dtype).expand(root.shape)
        self._back = torch.linalg.solve_triangular(torch.linalg.cholesky(self._among + JITTER * eye), eye, upper=False)
        self._turned = root.mT @ self._back
        form = self._back.mT @ self._back - self._turned.mT @ self._turned
        self._line = mean[:, None, :] @ self._back
        logs = self._left.flatten(0, 1) @ self._right.T
        self._k = logs.clamp_(min=SMALLEST).exp_().view(*z.shape[:2], -1)
        self._through = form @ self._k
        self.means = constant[:, None] + (self._line @ self._k)[:, 0]
        self.variances = height[:, None] + JITTER - (self._k * self._through).sum(1)

    def backward(self, to_means: Tensor, to_variances: Tensor, *, with_x: bool = True) -> Slopes:
        """Gradients from those of means and variances, (P, A) each; that of x only ``with_x``. To be asked once."""
        up, wide, k, z = to_means[:, None, :], to_variances[:, None, :], self._k, self._z
        to_among, to_mean, to_root = self._whitened((k * -wide) @ k.mT, k @ up.mT)
        to_among *= self._among
        inner = self._through.mul_(-2 * wide).addcmul_(self._line.mT, up).mul_(k).flatten(0, 1)
        to_x = _from_basis(self._x, inner.T @ self._left.flatten(0, 1)) if with_x else None
        to_left = (inner @ self._right).view(self._left.shape).baddbmm_(to_among, self._own)
        width = z.shape[-1]
        to_top = to_left[..., -1:]
        to_scaled = torch.addcmul(to_left[..., :width], z, to_top, value=-0.5)
        to_z = _from_basis(z, to_among @ self._left) + to_scaled * self._sharp - 0.5 * self._scaled * to_top
        to_sharp = (to_scaled * z - 0.5 * to_left[..., width:-1]).sum(1, keepdim=True)
        to_height = to_top.sum((1, 2)) / self._height + to_variances.sum(1)
        return Slopes(to_x, to_z, to_sharp, to_height, to_means.sum(1), to_mean, to_root)

    def _whitened(self, to_form: Tensor, to_line: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients of K, m and S from those of F (symmetric) and of Rᵀ m.

        Through the inverse R of the Cholesky factor: K̄ = Rᵀ Φ(−R̄ Rᵀ) R, made symmetric, Φ the lower triangle with
        half its diagonal (Murray 2016, *Differentiation of the Cholesky decomposition*).
        """
        back, turned = self._back, self._turned
        by_form = back @ to_form
        to_back = torch.baddbmm(by_form, self._root, turned @ to_form, alpha=-1).mul_(2)
        half = (to_back.addcmul_(self._mean[:, :, None], to_line.mT) @ back.mT).tril_()
        half.diagonal(dim1=-2, dim2=-1).mul_(0.5)
        to_k = back.mT @ half @ back
        return (to_k + to_k.mT).mul_(-0.5), (back @ to_line)[:, :, 0], (by_form @ turned.mT).mul_(-2).tril_()


def _basis(x: Tensor) -> Tensor:
    """(…, 2 W + 1) values, their squares and a one: what the exponent of the kernel is linear in."""
    return torch.cat([x, x * x, torch.ones_like(x[..., :1])], -1)


def _from_basis(x: Tensor, slope: Tensor) -> Tensor:
    """Gradient of ``x`` from that of its :func:`_basis`."""
    width = x.shape[-1]
    return torch.addcmul(slope[..., :width], x, slope[..., width:-1], value=2)
