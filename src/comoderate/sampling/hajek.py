"""Hájek means: shares of posts in a population and in its domains, with intervals that know the design."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.metrics.estimate import Estimate
from comoderate.sampling.effects import kish_effective_size
from comoderate.sampling.intervals import KINDS, limits
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
    if not np.all(np.isfinite(outcome[used])):
        raise ValueError("y must be a finite number wherever the weight is positive")
    parts = {"stratum": stratum, "cluster": cluster, "pi": pi}
    kept: dict[str, Any] = {name: _rows(a, used, name) for name, a in parts.items() if a is not None}
    phase = None if first_phase is None else _phase_rows(first_phase, used)
    design = survey_design(int(used.sum()), weight=w[used], first_phase=phase, **kept)
    return Sample(outcome[used], w[used], design, used)


def _rows(values: ArrayLike, used: Bools, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != used.shape:
        raise ValueError(f"{name} must have one value a post: expected shape {used.shape}, got {array.shape}")
    return np.asarray(array[used])


def _phase_rows(phase: FirstPhase, used: Bools) -> FirstPhase:
    base = None if phase.base_drawn is None else _rows(phase.base_drawn, used, "base_drawn")
    day, population, hand = (_rows(getattr(phase, name), used, name) for name in ("stratum", "population", "in_hand"))
    return FirstPhase(day, population, hand, base)


def hajek_mean(
    y: ArrayLike,
    weight: ArrayLike,
    *,
    stratum: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    first_phase: FirstPhase | None = None,
    interval: str = "logit",
    level: float = 0.95,
) -> Estimate:
    """The weighted mean of y, sum w y / sum w, with its linearised stratified standard error (Hájek 1971).

    With weights 1/pi of a base sample united with an enrichment, give the base sample's strata (days) as ``stratum``;
    (day, classifier-positive) cells are right only where the weights were post-stratified to the cells' totals, or
    with ``first_phase``: the number of positives in a base sample is random, and cells alone don't count that.

    Args:
        y: (n,) outcomes, 0 or 1, or in between (soft labels), or any number.
        weight: (n,) weights in proportion to 1/pi; NaN or 0 leaves a post out (no label).
        stratum: (n,) strata; those with one unit are joined (:func:`comoderate.sampling.collapse_single`).
        cluster: (n,) author, target or whatever makes posts alike; may cross strata.
        pi: (n,) inclusion probabilities, for a finite population correction.
        first_phase: totals and counts in hand of a capped collection.
        interval: "logit", "wilson", "beta" or "wald". At 0 and 1 "logit" becomes "wilson"; for outcomes outside
            [0, 1] all become "wald".
        level: coverage wanted.

    Returns:
        An Estimate; ``n_effective`` is the variance of y by the estimate's variance. Undefined without labelled posts;
        without a standard error where there is one unit only.

    Raises:
        ValueError: as :func:`labelled_sample`, and an unknown interval.
    """
    options = _Options(interval, level)
    sample = labelled_sample(y, weight, stratum=stratum, cluster=cluster, pi=pi, first_phase=first_phase)
    if len(sample.y) == 0:
        return options.undefined("no labelled post")
    share = sample.weight / sample.weight.sum()
    value = float(share @ sample.y)
    variance = sample.design.variance(share * (sample.y - value))
    return options.estimate(value, variance, sample, np.ones(len(share), dtype=bool))


def hajek_domains(
    y: ArrayLike,
    weight: ArrayLike,
    domain: ArrayLike,
    *,
    stratum: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    first_phase: FirstPhase | None = None,
    interval: str = "logit",
    level: float = 0.95,
) -> list[tuple[Any, Estimate]]:
    """The weighted mean of y within each domain (target group, day, …), as :func:`hajek_mean`.

    Strata and clusters are those of the whole sample, so that a domain's random size is counted.

    Args:
        y, weight, stratum, cluster, pi, first_phase, interval, level: as in :func:`hajek_mean`.
        domain: (n,) the domain of each post; None or NaN for none.

    Returns:
        A pair (domain value, Estimate) for each domain, in sorted order.

    Raises:
        ValueError: as :func:`hajek_mean`.
    """
    options = _Options(interval, level)
    sample = labelled_sample(y, weight, stratum=stratum, cluster=cluster, pi=pi, first_phase=first_phase)
    values, code = domain_codes(_rows(domain, sample.used, "domain"))
    mass = np.bincount(code + 1, sample.weight, minlength=len(values) + 1)[1:]
    mean = np.bincount(code + 1, sample.weight * sample.y, minlength=len(values) + 1)[1:] / np.maximum(mass, 1e-300)
    z = np.where(code >= 0, sample.weight / mass[code] * (sample.y - mean[code]), 0.0)
    variance = domain_variances(sample.design, z, code, len(values))
    return [
        (
            name.item() if isinstance(name, np.generic) else name,
            options.estimate(mean[j], variance[j], sample, code == j),
        )
        for j, name in enumerate(values)
    ]


def domain_codes(domain: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Domain values in sorted order, and (n,) numbers into them, -1 for posts in none (None or NaN)."""
    if domain.dtype.kind == "O":
        inside = np.array([v is not None and v == v for v in domain], dtype=bool)
    else:
        inside = domain == domain
    code = np.full(len(domain), -1, dtype=np.int64)
    coded = encode(domain[inside], int(inside.sum()), name="domain")
    code[inside] = coded.code
    return list(coded.values) if inside.any() else [], code


def domain_variances(design: SurveyDesign, z: Floats, code: NDArray[np.int64], domains: int) -> Floats:
    """Variances of the totals of z over each domain: one pass where units are posts, else one a domain."""
    if design.cluster is not None or design.keep is not None or design.phases is not None or design.df < 1:
        return np.array([design.variance(np.where(code == j, z, 0.0)) for j in range(domains)])
    inside = code >= 0
    size = np.bincount(design.stratum, minlength=len(design.scale))
    cell = code[inside] * len(size) + design.stratum[inside]
    sums = np.bincount(cell, z[inside], minlength=domains * len(size)).reshape(domains, len(size))
    squares = np.bincount(cell, z[inside] ** 2, minlength=domains * len(size)).reshape(domains, len(size))
    return np.maximum((squares - sums**2 / np.maximum(size, 1)) @ design.scale, 0.0)


@dataclass(frozen=True)
class _Options:
    """The kind and level of interval asked for."""

    interval: str
    level: float

    def __post_init__(self) -> None:
        if self.interval not in KINDS:
            raise ValueError(f"interval must be one of {', '.join(KINDS)}, not {self.interval!r}")

    def undefined(self, reason: str) -> Estimate:
        return Estimate.undefined(reason, level=self.level, method=f"Hájek, {self.interval}")

    def estimate(self, value: float, variance: float, sample: Sample, inside: Bools) -> Estimate:
        """An Estimate from a mean and its variance over the posts ``inside``."""
        y, w, n = sample.y[inside], sample.weight[inside], int(inside.sum())
        return mean_estimate(
            float(value),
            variance,
            y,
            w,
            n=n,
            df=sample.design.df,
            interval=self.interval,
            level=self.level,
            census=sample.design.keep is not None and not sample.design.keep.any(),
        )


def mean_estimate(
    value: float,
    variance: float,
    y: Floats,
    weight: Floats,
    *,
    n: int,
    df: float,
    interval: str,
    level: float,
    census: bool = False,
    method: str = "Hájek",
) -> Estimate:
    """An Estimate of a mean from its value, its variance and the posts behind it, by the rules of hajek_mean."""
    if math.isnan(variance):
        return Estimate(value, level=level, method=method, n=n, reason="one unit has no standard error")
    se = math.sqrt(max(variance, 0.0))
    bounded = bool(np.all((y >= 0) & (y <= 1))) and 0 <= value <= 1
    spread = float(weight @ (y - value) ** 2 / weight.sum())
    edge = not 0 < value < 1 or se == 0
    kind = interval if bounded else "wald"
    if census and se == 0:
        return Estimate(value, 0.0, value, value, level, f"{method}, census", n, float(n))
    if not edge or not bounded:
        low, high = limits(value, se, kind=kind, level=level, df=df)
        return Estimate(value, se, low, high, level, f"{method}, {kind}", n, spread / se**2 if se > 0 else math.nan)
    size = kish_effective_size(weight)
    kind = "beta" if kind == "beta" else "wilson"
    low, high = limits(value, se, kind=kind, level=level, n_effective=size)
    return Estimate(
        value, se, low, high, level, f"{method}, {kind}", n, size, "no variation in y: limits at Kish's size"
    )
