"""Labelled posts with weights and design: what every estimator starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.sampling.linearised import SurveyDesign, survey_design
from comoderate.sampling.strata import encode
from comoderate.sampling.two_phase import FirstPhase

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Sample:
    """Labelled posts with their weights and design: what every estimator here starts from.

    Attributes:
        y: (n,) outcomes; ``weight``: (n,) weights, positive; ``design``: the design of those posts.
        used: (rows,) which of the rows given are labelled (their weight is a positive number).
    """

    y: Floats
    weight: Floats
    design: SurveyDesign
    used: Bools


def labelled_sample(
    y: ArrayLike,
    weight: ArrayLike,
    *,
    stratum: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    first_phase: FirstPhase | None = None,
) -> Sample:
    """Check outcomes and weights, leave out posts without label (weight NaN or 0), and prepare their design.

    Raises:
        ValueError: lengths that differ, negative or infinite weights, y missing where there is a weight.
    """
    outcome, w = np.asarray(y, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    if outcome.ndim != 1 or outcome.shape != w.shape:
        raise ValueError(f"y and weight must be one-dimensional and alike, got {outcome.shape} and {w.shape}")
    if np.any(w < 0) or np.any(np.isinf(w)):
        raise ValueError("weights must be finite and 0 or more (NaN for posts without a label)")
    used = w > 0
    y_used, w_used = rows(outcome, used, "y"), rows(w, used, "weight")
    if not np.all(np.isfinite(y_used)):
        raise ValueError("y must be a finite number wherever the weight is positive")
    parts = {"stratum": stratum, "cluster": cluster, "pi": pi}
    kept: dict[str, Any] = {name: rows(a, used, name) for name, a in parts.items() if a is not None}
    phase = None if first_phase is None else _phase_rows(first_phase, used)
    design = survey_design(len(w_used), weight=w_used, first_phase=phase, **kept)
    return Sample(y_used, w_used, design, used)


def rows(values: ArrayLike, used: Bools, name: str) -> NDArray[Any]:
    """The rows of an array that are labelled, checked for length."""
    array = np.asarray(values)
    if array.shape != used.shape:
        raise ValueError(f"{name} must have one value a post: expected shape {used.shape}, got {array.shape}")
    return array if used.all() else np.asarray(array[used])


def _phase_rows(phase: FirstPhase, used: Bools) -> FirstPhase:
    base = None if phase.base_drawn is None else rows(phase.base_drawn, used, "base_drawn")
    pi = None if phase.pi is None else rows(phase.pi, used, "pi")
    day, population, hand = (rows(getattr(phase, name), used, name) for name in ("stratum", "population", "in_hand"))
    return FirstPhase(day, population, hand, base, pi, phase.stream)


def domain_codes(domain: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Domain values in sorted order, and (n,) numbers into them, -1 for posts in none (None or NaN)."""
    if domain.dtype.kind == "O":
        inside = np.array([v is not None and v == v for v in domain], dtype=bool)
    else:
        inside = domain == domain
    if len(domain) and inside.all():
        every = encode(domain, len(domain), name="domain")
        return list(every.values), every.code
    code = np.full(len(domain), -1, dtype=np.int64)
    coded = encode(domain[inside], int(inside.sum()), name="domain")
    code[inside] = coded.code
    return list(coded.values) if inside.any() else [], code
