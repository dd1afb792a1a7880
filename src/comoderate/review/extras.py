"""What strategies are given besides the probabilities, checked by one rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from comoderate.metrics.inputs import Array, as_probabilities, as_threshold, as_vector, as_weights


def calibrated_of(y_proba: Array, extras: dict[str, Any]) -> Array:
    """``calibrated`` (n,) where given, else the probabilities themselves."""
    given = extras.get("calibrated")
    return y_proba if given is None else as_probabilities(given, size=len(y_proba), name="calibrated")


def threshold_of(extras: dict[str, Any]) -> float:
    """The operating ``threshold`` on the scorer's own probabilities, .5 where not given."""
    return as_threshold(extras.get("threshold", 0.5))


def weight_of(y_proba: Array, extras: dict[str, Any]) -> Array:
    """``sample_weight`` (n,) where given, else ones."""
    return as_weights(extras.get("sample_weight"), len(y_proba))


def needed(name: str, strategy: str, y_proba: Array, extras: dict[str, Any]) -> Array:
    """The extra called ``name`` as a vector (n,); ValueError where it is missing."""
    if extras.get(name) is None:
        raise ValueError(f"strategy {strategy!r} needs {name}, one number a post")
    return as_vector(extras[name], name, size=len(y_proba))


def error_probability(y_proba: Array, extras: dict[str, Any]) -> Array:
    """P(the decision at the threshold is wrong) by the calibrated probabilities, (n,)."""
    q = calibrated_of(y_proba, extras)
    return np.where(y_proba > threshold_of(extras), 1.0 - q, q)
