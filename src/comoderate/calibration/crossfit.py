"""Calibrated probabilities for posts whose own labels took no part in their calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.calibration.base import Calibrator
from comoderate.calibration.isotonic import Isotonic
from comoderate.calibration.parametric import Beta, Identity, Platt, Temperature
from comoderate.metrics.inputs import Array, Codes, as_probabilities, as_weights, ratio


def calibrators() -> dict[str, Callable[[], Calibrator]]:
    """The calibrators by name."""
    return {"none": Identity, "temperature": Temperature, "platt": Platt, "beta": Beta, "isotonic": Isotonic}


def folds_of(size: int, *, n_folds: int = 5, random_state: int | np.random.Generator | None = 0) -> Codes:
    """Random folds of equal size, codes 0 to n_folds − 1, shape (size,); for posts without groups."""
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2, got {n_folds}")
    return np.random.default_rng(random_state).permutation(size) % n_folds


def cross_fit(
    make: Callable[[], Calibrator],
    y_proba: ArrayLike,
    y_true: ArrayLike,
    *,
    fold: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> Array:
    """Calibrated probabilities, each from a calibrator that was fitted on the labelled posts of the other folds.

    Args:
        make: gives a fresh calibrator, such as the class :class:`comoderate.calibration.Platt`.
        y_proba: (n,) probabilities in [0, 1].
        y_true: (n,) labels in {0, 1}; NaN where unlabelled: those are calibrated on all labelled posts.
        fold: (n,) codes; posts of one group (author, thread, near-duplicate) must share one.
        sample_weight: (n,) weights; those of unlabelled posts are not looked at.

    Returns:
        (n,) probabilities.

    Raises:
        ValueError: where the labelled posts are all in one fold, or there are none.
    """
    p = as_probabilities(y_proba)
    y = np.asarray(y_true, dtype=np.float64)
    code = np.asarray(fold)
    if y.shape != p.shape or code.shape != p.shape:
        raise ValueError(f"y_proba, y_true and fold differ in shape: {p.shape}, {y.shape}, {code.shape}")
    labelled = ~np.isnan(y)
    weight = np.where(labelled, 1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64), 0.0)
    weight = as_weights(weight, len(p))
    out = np.empty(len(p))
    if not labelled.all():
        out[~labelled] = make().fit(p[labelled], y[labelled], sample_weight=weight[labelled]).predict(p[~labelled])
    for value in np.unique(code[labelled]):
        train, use = labelled & (code != value), labelled & (code == value)
        if not weight[train].sum() > 0:
            raise ValueError("cross-fitting needs labelled posts in at least two folds")
        out[use] = make().fit(p[train], y[train], sample_weight=weight[train]).predict(p[use])
    return out


class Chosen(NamedTuple):
    """The calibrator that did best, and the cross-fitted log loss of each."""

    name: str
    log_loss: dict[str, float]


def choose_calibrator(
    y_proba: ArrayLike,
    y_true: ArrayLike,
    *,
    fold: ArrayLike,
    sample_weight: ArrayLike | None = None,
    among: Mapping[str, Callable[[], Calibrator]] | None = None,
) -> Chosen:
    """The calibrator with the smallest cross-fitted log loss on the labelled posts; arguments as :func:`cross_fit`.

    ``among`` maps names to calibrators; all of :func:`calibrators` where not given.
    """
    y = np.asarray(y_true, dtype=np.float64)
    labelled = ~np.isnan(y)
    weight = as_weights(np.ones(len(y)) if sample_weight is None else sample_weight, len(y))[labelled]
    losses = {}
    for name, make in (calibrators() if among is None else among).items():
        q = cross_fit(make, y_proba, y, fold=fold, sample_weight=sample_weight)[labelled]
        likely = np.where(y[labelled] == 1.0, q, 1.0 - q)
        losses[name] = float(ratio(weight @ -np.log(np.maximum(likely, 1e-10)), weight.sum()))
    return Chosen(min(losses, key=lambda name: losses[name]), losses)
