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


def fractional_counts(proba: ArrayLike, correct: ArrayLike) -> FractionalCounts:
    """Spread each labelled example over arms by P(a | x) (Piratla et al. 2021, §3.5).

    Args:
        proba: (N, A) probability of each arm for each labelled example, rows summing to 1.
        correct: (N,) in [0, 1].

    Raises:
        ValueError: for wrong shapes or values.
    """
    p, right = _checked(proba, correct)
    return FractionalCounts(p.sum(axis=0), right @ p)


def fit_latent(
    surface: Surface, arms: ArrayLike, proba: ArrayLike, correct: ArrayLike, *, n_iter: int = 20, tol: float = 1e-4
) -> FractionalCounts:
    """Fit a surface with the arm of each example as a latent variable, by expectation and maximisation.

    Whether the service was right says something about the arm: P(a | x, correct) ∝ P(a | x) ρ_a^correct
    (1 − ρ_a)^(1 − correct). Counts that ignore it (one step from P(a | x)) pull arms towards each other.

    Args:
        surface: the estimator to fit; it is fitted when the function returns.
        arms: (A, K).
        proba: (N, A) P(a | x).
        correct: (N,) in [0, 1].
        n_iter: most iterations, >= 1.
        tol: stop when no mean of an arm moves further.

    Returns:
        The counts of the last fit.
    """
    codes = as_codes(arms)
    p, right = _checked(proba, correct)
    if p.shape[1] != len(codes):
        raise ValueError(f"proba has {p.shape[1]} columns for {len(codes)} arms")
    counts = fractional_counts(p, right)
    mean = surface.fit(codes, *counts).predict(codes).mean
    for _ in range(n_iter):
        log = right[:, None] * np.log(mean) + (1 - right)[:, None] * np.log1p(-mean)
        posterior = p * np.exp(log)
        posterior /= posterior.sum(axis=1, keepdims=True)
        counts = fractional_counts(posterior, right)
        new = surface.refit(codes, *counts).predict(codes).mean
        moved = float(np.abs(new - mean).max())
        mean = np.clip(new, 1e-9, 1 - 1e-9)
        if moved < tol:
            break
    return counts


def _checked(proba: ArrayLike, correct: ArrayLike) -> tuple[Floats, Floats]:
    p, right = np.asarray(proba, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    if p.ndim != 2 or right.shape != (len(p),):
        raise ValueError("proba must be (examples, arms) and correct have one value for each example")
    if not ((right >= 0) & (right <= 1)).all():
        raise ValueError("correct must lie in [0, 1]")
    if not (p >= 0).all() or not np.allclose(p.sum(axis=1), 1, atol=1e-6):
        raise ValueError("rows of proba must not be negative and must sum to 1")
    return p, right
