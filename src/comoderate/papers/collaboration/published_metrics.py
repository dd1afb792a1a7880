"""Metrics as the public code computes them, to see what its approximations change."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def binned_auroc(y_true: ArrayLike, score: ArrayLike, *, sample_weight: ArrayLike, thresholds: int = 200) -> float:
    """Area under a ROC curve of as many evenly spaced thresholds, by trapezia, its ends forced to (0, 0) and (1, 1).

    On saturated scores most posts fall between two thresholds, and the area is too small.

    Args:
        y_true: (n,) in {0, 1}.
        score: (n,) in [0, 1].
        sample_weight: (n,).
        thresholds: how many.
    """
    y, s, w = (np.asarray(a, dtype=np.float64) for a in (y_true, score, sample_weight))
    inner = np.arange(1, thresholds - 1) / (thresholds - 1)
    cuts = np.concatenate([[-1e-7], inner, [1 + 1e-7]])
    order = np.argsort(s)
    above = len(s) - np.searchsorted(s[order], cuts, side="right")
    total = np.concatenate([[0.0], np.cumsum((w * y)[order][::-1])])
    wrong = np.concatenate([[0.0], np.cumsum((w * (1 - y))[order][::-1])])
    true, false = total[above] / max(total[-1], 1e-12), wrong[above] / max(wrong[-1], 1e-12)
    return float(np.trapezoid(true[::-1], false[::-1]))


def binned_oracle_auroc(
    y_true: ArrayLike, y_proba: ArrayLike, review_score: ArrayLike, *, review_fraction: float, sample_weight: ArrayLike
) -> float:
    """The same after the posts strictly above a quantile of the review score got their label as their score."""
    y, p, u = (np.asarray(a, dtype=np.float64) for a in (y_true, y_proba, review_score))
    reviewed = u > np.quantile(u, 1 - review_fraction)
    return binned_auroc(y, np.where(reviewed, y, p), sample_weight=sample_weight)
