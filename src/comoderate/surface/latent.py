"""Counts of arms when it is uncertain to which arm an example belongs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.surface.base import Surface
from comoderate.surface.inputs import Floats, as_codes


class FractionalCounts(NamedTuple):
    """Expected counts, (A,) each."""

    n: Floats
    c: Floats


def fractional_counts(proba: ArrayLike, correct: ArrayLike, *, weight: ArrayLike | None = None) -> FractionalCounts:
    """Spread each labelled example over arms by P(a | x) (Piratla et al. 2021, §3.5).

    Args:
        proba: (N, A) probability of each arm for each labelled example, rows summing to 1.
        correct: (N,) in [0, 1].
        weight: (N,) sampling weights, > 0, scaled down in each arm to the effective number of its labelled examples,
            (Σwp)² / Σw²p; equal if None.

    Raises:
        ValueError: for wrong shapes or values.
    """
    p, right = _checked(proba, correct)
    return _counted(p, right, _weights(weight, right))


def arm_posterior(proba: ArrayLike, correct: ArrayLike, mean: ArrayLike) -> Floats:
    """(N, A) P(a | x, correct) ∝ P(a | x) ρ_a^correct (1 − ρ_a)^(1 − correct), for accuracies ρ = ``mean`` (A,)."""
    p, right = _checked(proba, correct)
    return _given(p, right, np.asarray(mean, dtype=np.float64))


def fit_latent(
    surface: Surface,
    arms: ArrayLike,
    proba: ArrayLike,
    correct: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    n_iter: int = 20,
    tol: float = 1e-4,
) -> FractionalCounts:
    """Fit a surface with the arm of each example as a latent variable, by expectation and maximisation.

    Whether the service was right says something about the arm: P(a | x, correct) ∝ P(a | x) ρ_a^correct
    (1 − ρ_a)^(1 − correct). Counts that ignore it (one step from P(a | x)) pull arms towards each other.

    Args:
        surface: the estimator to fit; it is fitted when the function returns.
        arms: (A, K).
        proba: (N, A) P(a | x).
        correct: (N,) in [0, 1].
        weight: (N,) sampling weights, as for :func:`fractional_counts`.
        n_iter: most iterations, >= 1.
        tol: stop when no mean of an arm moves further.

    Returns:
        The counts of the last fit.
    """
    codes = as_codes(arms)
    p, right = _checked(proba, correct)
    if p.shape[1] != len(codes):
        raise ValueError(f"proba has {p.shape[1]} columns for {len(codes)} arms")
    w = _weights(weight, right)
    counts = _counted(p, right, w)
    mean = surface.fit(codes, *counts).predict(codes).mean
    for _ in range(n_iter):
        counts = _counted(_given(p, right, mean), right, w)
        new = surface.refit(codes, *counts).predict(codes).mean
        moved = float(np.abs(new - mean).max())
        mean = new
        if moved < tol:
            break
    return counts


def _counted(p: Floats, right: Floats, w: Floats) -> FractionalCounts:
    total, square, good = w @ p, (w * w) @ p, (w * right) @ p
    nothing = np.zeros(p.shape[1])
    n = np.divide(total**2, square, out=nothing.copy(), where=square > 0)
    share = np.divide(good, total, out=nothing, where=total > 0)
    return FractionalCounts(n, np.minimum(share * n, n))


def _given(p: Floats, right: Floats, mean: Floats) -> Floats:
    rho = np.clip(mean, 1e-9, 1 - 1e-9)
    posterior = p * np.exp(right[:, None] * np.log(rho) + (1 - right)[:, None] * np.log1p(-rho))
    return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))


def _weights(weight: ArrayLike | None, right: Floats) -> Floats:
    w = np.ones(len(right)) if weight is None else np.asarray(weight, dtype=np.float64)
    if w.shape != right.shape or not np.isfinite(w).all() or not (w > 0).all():
        raise ValueError("weight must have one positive value for each example")
    return w


def _checked(proba: ArrayLike, correct: ArrayLike) -> tuple[Floats, Floats]:
    p, right = np.asarray(proba, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    if p.ndim != 2 or right.shape != (len(p),):
        raise ValueError("proba must be (examples, arms) and correct have one value for each example")
    if not ((right >= 0) & (right <= 1)).all():
        raise ValueError("correct must lie in [0, 1]")
    if not (p >= 0).all() or not np.allclose(p.sum(axis=1), 1, atol=1e-6):
        raise ValueError("rows of proba must not be negative and must sum to 1")
    return p, right
