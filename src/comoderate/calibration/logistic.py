"""Weighted logistic regression of few columns by Newton's method, for soft targets."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from comoderate.metrics.inputs import Array

RIDGE = 1e-9


def smoothed_targets(y: Array, weight: Array) -> Array:
    """Platt's targets: (N₊ + 1) / (N₊ + 2) for positives and 1 / (N₋ + 2) for negatives, N the weight of a class.

    They keep the slope finite where the classes do not overlap.
    Source: Platt (1999), Probabilistic outputs for support vector machines, section 2.2.
    """
    positives = float(weight @ y)
    negatives = float(weight.sum()) - positives
    return np.where(y == 1.0, (positives + 1.0) / (positives + 2.0), 1.0 / (negatives + 2.0))


def fit_logistic(columns: Array, target: Array, weight: Array, *, iterations: int = 100) -> Array:
    """Coefficients (k,) that minimise the weighted log loss of expit(columns @ coefficients) against soft targets.

    Args:
        columns: (n, k), with a column of ones for an intercept.
        target: (n,) in [0, 1].
        weight: (n,) weights.
        iterations: most Newton steps; each is halved until the loss does not rise.
    """
    beta = np.zeros(columns.shape[1])
    loss = _loss(columns @ beta, target, weight)
    ridge = RIDGE * float(weight.sum()) * np.eye(len(beta))
    for _ in range(iterations):
        q = expit(columns @ beta)
        gradient = columns.T @ (weight * (q - target))
        hessian = (columns * (weight * q * (1.0 - q))[:, None]).T @ columns + ridge
        step = np.linalg.solve(hessian, gradient)
        for _ in range(40):
            new = _loss(columns @ (beta - step), target, weight)
            if new <= loss:
                break
            step /= 2.0
        else:
            return beta
        gained, beta, loss = loss - new, beta - step, new
        if gained <= 1e-13 * abs(loss):
            break
    return beta


def _loss(eta: Array, target: Array, weight: Array) -> float:
    return float(weight @ (np.logaddexp(0.0, eta) - target * eta))
