"""Accuracy by arm with the service's own confidence as a proxy: difference and prediction-powered estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from comoderate.calibration import Platt
from comoderate.surface.base import Prediction
from comoderate.surface.inputs import Floats

SPREADS = np.geomspace(1e-3, 0.5, 25)  # standard deviations between arms over which to integrate


@dataclass(frozen=True)
class Powered:
    """Prediction-powered estimates of arms, (A,) each.

    Attributes:
        difference: mean proxy of the arm's pool plus the mean of correct − proxy over its labelled examples, times
            the common factor ``power``; NaN without labels.
        prediction: the same with each arm's correction shrunk towards the common one; also for arms without labels.
        power: factor of the proxy, chosen for the least variance over all arms; 0 if it says nothing.
    """

    difference: Floats
    prediction: Prediction
    power: float


def powered_arms(
    arm: ArrayLike,
    proxy: ArrayLike,
    correct: ArrayLike,
    *,
    n_arms: int | None = None,
    weight: ArrayLike | None = None,
    recalibrate: bool = True,
    level: float = 0.95,
) -> Powered:
    """Estimate every arm's accuracy from labels and from a proxy that is known on the whole pool.

    θ_a = λ f̄_a(pool) + mean_labelled(y − λ f), after Angelopoulos, Duchi and Zrnic (2023), *PPI++*, with one λ for
    all arms. The corrections d_a = mean(y − λ f) are noisy in small arms: d_a ~ N(d, τ²), and each arm gets its
    posterior mean, integrated over τ. Means are weighted by ``weight``, the inverse inclusion probabilities.

    Args:
        arm: (N,) arm of each pool example, 0 … A − 1.
        proxy: (N,) the service's probability that it is right, in [0, 1].
        correct: (N,) 0 or 1 (or between), NaN where there is no label.
        n_arms: A, if larger than the largest arm + 1.
        weight: (N,) sampling weights of labelled examples, > 0; the others' are not used. Equal if None.
        recalibrate: whether the proxy is first calibrated on the labels by Platt's two parameters, so that the
            corrections of arms with high and low confidence are alike.
        level: coverage of the intervals, in (0, 1).

    Raises:
        ValueError: for wrong shapes or values, or no labels at all.
    """
    index, f, y, w = _checked(arm, proxy, correct, weight)
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    size = int(index.max()) + 1 if n_arms is None else n_arms
    known = np.isfinite(y)
    if recalibrate:
        f = np.asarray(Platt().fit(f[known], y[known], sample_weight=w[known]).predict(f))
    at, yl, fl, wl = index[known], y[known], f[known], w[known]
    power = _power(at, yl, fl, wl, size)
    pool_mean = _means(index, f, np.ones(len(f)), size)
    pool_mean = np.where(np.isnan(pool_mean), fl.mean(), pool_mean)
    gap = yl - power * fl
    d = _means(at, gap, wl, size)
    effect, variance = _shrunk(d, _variance(at, gap, wl, pool_mean))
    mean = np.clip(power * pool_mean + effect, 0.0, 1.0)
    half = float(-ndtri((1 - level) / 2)) * np.sqrt(variance)
    n = np.bincount(at, minlength=size).astype(np.float64)
    prediction = Prediction(mean, variance, np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1), level, n)
    return Powered(power * pool_mean + d, prediction, power)


def _means(index: NDArray[np.int64], values: Floats, weight: Floats, size: int) -> Floats:
    total = np.bincount(index, weights=weight, minlength=size)
    summed = np.bincount(index, weights=weight * values, minlength=size)
    return np.asarray(np.divide(summed, total, out=np.full(size, np.nan), where=total > 0))


def _centred(index: NDArray[np.int64], values: Floats, weight: Floats, size: int) -> Floats:
    return np.asarray(values - _means(index, values, weight, size)[index])


def _power(at: NDArray[np.int64], y: Floats, f: Floats, w: Floats, size: int) -> float:
    """λ in [0, 1]: slope of correctness on the proxy within arms."""
    inside, outcome = _centred(at, f, w, size), _centred(at, y, w, size)
    square = float(w @ inside**2)
    return float(np.clip(w @ (inside * outcome) / square, 0.0, 1.0)) if square > 1e-12 else 0.0


def _variance(at: NDArray[np.int64], gap: Floats, w: Floats, pool_mean: Floats) -> Floats:
    """(A,) variance of each arm's mean gap: in proportion to f̄(1 − f̄) of the pool, which no label can sway."""
    size = len(pool_mean)
    shape = np.clip(pool_mean * (1 - pool_mean), 0.01, 0.25)
    n = np.bincount(at, minlength=size).astype(np.float64)
    freedom = float(np.maximum(n - 1, 0).sum())
    square = float((_centred(at, gap, w, size) ** 2 / shape[at]).sum())
    scale = (square + 4.0) / (freedom + 4.0)
    total, squared = np.bincount(at, weights=w, minlength=size), np.bincount(at, weights=w * w, minlength=size)
    effective = np.divide(total**2, squared, out=np.ones(size), where=total > 0)
    return np.asarray(scale * shape / effective)


def _shrunk(d: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Posterior mean and variance (A,) of arms' corrections d_a ~ N(d, τ² + noise), flat in d and τ."""
    known = np.isfinite(d)
    seen, own = np.nan_to_num(d), np.where(known, noise, np.inf)
    log_weight, means, variances = [], [], []
    for tau in SPREADS**2:
        precision = 1 / (tau + noise[known])
        common, error = float(precision @ d[known] / precision.sum()), float(1 / precision.sum())
        misfit = float(precision @ (d[known] - common) ** 2)
        log_weight.append(0.5 * (float(np.log(precision).sum()) + np.log(error) - misfit + np.log(tau)))
        shrink = tau / (tau + own)
        means.append(common + shrink * (seen - common))
        variances.append((1 - shrink) * tau + (1 - shrink) ** 2 * error)
    weight = np.exp(np.array(log_weight) - max(log_weight))
    weight /= weight.sum()
    mean = weight @ np.array(means)
    return mean, weight @ (np.array(variances) + (np.array(means) - mean) ** 2)


def _checked(
    arm: ArrayLike, proxy: ArrayLike, correct: ArrayLike, weight: ArrayLike | None
) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    index, f, y = np.asarray(arm), np.asarray(proxy, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    w = np.ones(len(f)) if weight is None else np.asarray(weight, dtype=np.float64)
    if index.ndim != 1 or not index.shape == f.shape == y.shape == w.shape:
        raise ValueError("arm, proxy, correct and weight must be one-dimensional and of one length")
    if index.dtype.kind not in "iu" or (index < 0).any():
        raise ValueError("arm must hold whole numbers from 0")
    known = np.isfinite(y)
    if not known.any():
        raise ValueError("at least one example must have a label")
    if not ((f >= 0) & (f <= 1)).all() or not ((y[known] >= 0) & (y[known] <= 1)).all():
        raise ValueError("proxy and correct must lie in [0, 1]")
    if not (w[known] > 0).all() or not np.isfinite(w[known]).all():
        raise ValueError("weights of labelled examples must be positive")
    return index.astype(np.int64), f, y, w
