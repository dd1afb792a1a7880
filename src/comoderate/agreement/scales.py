"""How far two answers agree: weights of pairs of categories, 1 on the diagonal.

After Gwet (2014), *Handbook of Inter-Rater Reliability*, 4th ed., chapter 3.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Scale = Literal["identity", "linear", "quadratic", "ordinal"]
SCALES: tuple[str, ...] = ("identity", "linear", "quadratic", "ordinal")


def agreement_weights(
    n_categories: int, scale: Scale | NDArray[np.float64] = "identity", *, values: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Agreement of every pair of categories, for q categories with values x:

    - ``identity``: 1 for the same category, else 0;
    - ``linear``: 1 − |xₖ − xₗ| / (max − min);
    - ``quadratic``: 1 − (xₖ − xₗ)² / (max − min)²;
    - ``ordinal``: 1 − C(|k − l| + 1, 2) / C(q, 2): how many categories lie between, and not how far apart they are.

    Args:
        n_categories: q.
        scale: one of these, or the (q, q) matrix itself: symmetric, in [0, 1], 1 on the diagonal.
        values: (q,) values of the categories; 0, 1, 2, … by default.

    Returns:
        (q, q).

    Raises:
        ValueError: for an unknown scale or a bad matrix.
    """
    if not isinstance(scale, str):
        return _checked(np.asarray(scale, dtype=np.float64), n_categories)
    if scale not in SCALES:
        raise ValueError(f"the scale must be one of {', '.join(SCALES)}, or a matrix; got {scale!r}")
    x = np.arange(n_categories, dtype=np.float64) if values is None else np.asarray(values, dtype=np.float64)
    if scale == "identity" or n_categories < 2:
        return np.eye(n_categories)
    weights: NDArray[np.float64]
    if scale == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(n_categories), np.arange(n_categories)))
        weights = 1.0 - steps * (steps + 1) / (n_categories * (n_categories - 1))
        return weights
    gap = np.abs(x[:, None] - x[None, :]) / (x.max() - x.min())
    weights = 1.0 - (gap if scale == "linear" else gap**2)
    return weights


def _checked(matrix: NDArray[np.float64], n_categories: int) -> NDArray[np.float64]:
    """The matrix, if it can be one of weights."""
    if matrix.shape != (n_categories, n_categories):
        raise ValueError(f"the scale must have shape ({n_categories}, {n_categories}); got {matrix.shape}")
    if not (np.allclose(matrix, matrix.T) and np.allclose(np.diag(matrix), 1) and (matrix >= 0).all()):
        raise ValueError("the scale must be symmetric and not negative, with 1 on its diagonal")
    return matrix
