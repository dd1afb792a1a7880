"""Estimates that lean on a scorer: its probabilities on all posts, corrected by the labelled ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.metrics.estimate import Estimate
from comoderate.sampling.hajek import Options, mean_estimate
from comoderate.sampling.linearised import Spread
from comoderate.sampling.sample import Sample, domain_codes, labelled_sample, rows
from comoderate.sampling.two_phase import FirstPhase

Floats = NDArray[np.float64]

_NAMES = {"power": "PPI++", "regression": "GREG", "difference": "difference"}
TUNINGS = tuple(_NAMES)
_WIDEST = 1.03  # an assisted interval wider than this times Hájek's is not used


def assisted_mean(
    y: ArrayLike,
    weight: ArrayLike,
    score: ArrayLike,
    population_score: ArrayLike,
    *,
    population_weight: ArrayLike | None = None,
    unlabelled_sample: bool = False,
    tuning: str = "power",
    stratum: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    pi: ArrayLike | None = None,
    first_phase: FirstPhase | None = None,
    interval: str = "wilson",
    level: float = 0.95,
) -> Estimate:
    """The mean of y, from labels on some posts and a scorer's probabilities on all.

    With weighted means over the labelled posts (bar, w) and F the mean score of the population, the estimate is
    y_w + c (F - f_w): unbiased up to 1/n whatever the scorer is worth. Choices of the coefficient c:

    - ``power``: the c that makes the design's variance of y - c f least; PPI++ (Angelopoulos, Duchi and Zrnic 2023)
      carried over to stratified, clustered and two-phase samples;
    - ``regression``: the weighted least-squares slope of y on f, the generalised regression estimator (Särndal,
      Swensson and Wretman 1992), scaled down where the design's variance asks for it; f may have several columns;
    - ``difference``: c = 1, reduced only where that would be worse than not using the scorer.

    c = 0 is the Hájek mean and always among the choices, so the standard error never exceeds Hájek's; and where the
    interval would be more than 1.03 times as wide (few posts carry the residuals), Hájek's is returned. If the scorer
    was trained on the labelled posts, pass scores from :func:`cross_fitted`: in-sample scores look far better than they
    are, and the interval would not cover.

    Args:
        y: (n,) outcomes.
        weight: (n,) weights; NaN or 0 leaves a post out.
        score: (n,) the scorer's probability of each of these posts, or (n, p) for ``regression``.
        population_score: (N,) or (N, p), of every post of the population, labelled or not; with ``first_phase`` those
            in hand, and ``population_weight`` N_d / c_d.
        population_weight: (N,) weights of the population's rows; equal where None.
        unlabelled_sample: True where the population's rows are themselves a random sample of what the estimate is about
            (the setting of PPI++, or posts collected under a cap without ``first_phase``): its error is then added.
        tuning: one of :data:`TUNINGS`.
        stratum, cluster, pi, first_phase, interval, level: as in :func:`comoderate.sampling.hajek_mean`.

    Returns:
        An Estimate; ``method`` names the coefficient. Undefined without labelled posts.

    Raises:
        ValueError: missing or misshapen scores, an unknown tuning, and as :func:`comoderate.sampling.hajek_mean`.
    """
    options = Options(interval, level).checked()
    sample = labelled_sample(y, weight, stratum=stratum, cluster=cluster, pi=pi, first_phase=first_phase)
    own, everyone, mass = _scores(sample, score, population_score, population_weight, tuning)
    return _assisted(sample, own, everyone, mass, np.ones(len(own), dtype=bool), options, tuning, unlabelled_sample)


def assisted_domains(
    y: ArrayLike,
    weight: ArrayLike,
    score: ArrayLike,
    domain: ArrayLike,
    population_score: ArrayLike,
    population_domain: ArrayLike,
    *,
    population_weight: ArrayLike | None = None,
    unlabelled_sample: bool = False,
    tuning: str = "power",
    interval: str = "wilson",
    level: float = 0.95,
    **design: Any,
) -> list[tuple[Any, Estimate]]:
    """As :func:`assisted_mean` for every domain, each with its own coefficient.

    Args:
        domain: (n,) domain of each labelled post; None or NaN for none.
        population_domain: (N,) domain of each row of the population.
        design: ``stratum``, ``cluster``, ``pi``, ``first_phase``; others as in :func:`assisted_mean`.

    Returns:
        Pairs (domain value, Estimate) in sorted order, for domains with labelled posts.

    Raises:
        ValueError: as :func:`assisted_mean`, or a domain with labels that the population lacks.
    """
    options = Options(interval, level).checked()
    sample = labelled_sample(y, weight, **design)
    own, everyone, mass = _scores(sample, score, population_score, population_weight, tuning)
    names, code = domain_codes(rows(domain, sample.used, "domain"))
    there, result = np.asarray(population_domain), []
    for j, name in enumerate(names):
        among = there == name
        if not among.any():
            raise ValueError(f"the population has no post in domain {name!r}")
        estimate = _assisted(sample, own, everyone[among], mass[among], code == j, options, tuning, unlabelled_sample)
        result.append((name.item() if isinstance(name, np.generic) else name, estimate))
    return result


def cross_fitted(fold_scores: ArrayLike, labelled: ArrayLike, fold: ArrayLike) -> tuple[Floats, Floats]:
    """Scores for :func:`assisted_mean` when the scorer learns from the labelled posts themselves.

    The labelled posts are split into folds, and one model a fold is trained without it. A labelled post is scored by
    the model that has not seen it, here and in the population's mean; every other post by the mean of the models
    (cross-prediction, Zrnic and Candès 2024).

    Args:
        fold_scores: (folds, N) the score of each population row by each model.
        labelled: (n,) row numbers of the labelled posts in the population, each once.
        fold: (n,) number of the fold that holds each labelled post: of the model that has not seen it.

    Returns:
        (score (n,) of the labelled posts, population_score (N,)).

    Raises:
        ValueError: numbers out of range, or a post twice.
    """
    table, index, own = np.asarray(fold_scores, np.float64), np.asarray(labelled), np.asarray(fold)
    if table.ndim != 2 or index.shape != own.shape or index.dtype.kind not in "iu" or own.dtype.kind not in "iu":
        raise ValueError("fold_scores must be (folds, N); labelled and fold must be whole numbers, alike in length")
    if len(np.unique(index)) < len(index):
        raise ValueError("a labelled post occurs twice")
    if len(index) and (min(index.min(), own.min()) < 0 or index.max() >= table.shape[1] or own.max() >= len(table)):
        raise ValueError("labelled or fold points outside fold_scores")
    score, population = table[own, index], table.mean(axis=0)
    population[index] = score
    return score, population


def _scores(
    sample: Sample, score: ArrayLike, population: ArrayLike, population_weight: ArrayLike | None, tuning: str
) -> tuple[Floats, Floats, Floats]:
    """Checked scores (n, p) of the labelled posts, (N, p) of the population, and the population's weights (N,)."""
    if tuning not in TUNINGS:
        raise ValueError(f"tuning must be one of {', '.join(TUNINGS)}, not {tuning!r}")
    own, everyone = np.asarray(score, dtype=np.float64), np.asarray(population, dtype=np.float64)
    own = own[:, None] if own.ndim == 1 else own
    everyone = everyone[:, None] if everyone.ndim == 1 else everyone
    if own.shape[0] != len(sample.used) or own.shape[1] != everyone.shape[1] or len(everyone) == 0:
        raise ValueError("score must have a row a post, and population_score the same columns and at least a row")
    if own.shape[1] > 1 and tuning != "regression":
        raise ValueError("several columns of scores need tuning='regression'")
    own = own[sample.used]
    if not (np.all(np.isfinite(own)) and np.all(np.isfinite(everyone))):
        raise ValueError("scores must be finite for every labelled post and every row of the population")
    mass = np.ones(len(everyone)) if population_weight is None else np.asarray(population_weight, dtype=np.float64)
    if mass.shape != everyone.shape[:1] or not np.all(mass >= 0):
        raise ValueError("population_weight must have a number, 0 or more, for every row of the population")
    return own, everyone, mass


def _assisted(
    sample: Sample,
    own: Floats,
    everyone: Floats,
    mass: Floats,
    inside: NDArray[np.bool_],
    options: Options,
    tuning: str,
    unlabelled_sample: bool,
) -> Estimate:
    """The estimate over the posts ``inside``; see :func:`assisted_mean`."""
    if not inside.any():
        return Estimate.undefined("no labelled post", level=options.level, method=tuning)
    share = np.where(inside, sample.weight, 0.0)
    share, mass = share / share.sum(), mass / mass.sum()
    mean = float(share @ sample.y)
    if tuning == "regression":
        slope = _slopes(own, sample.y, share)
        own, everyone = own @ slope[:, None], everyone @ slope[:, None]
    sampled, known = float(share @ own[:, 0]), float(mass @ everyone[:, 0])
    z = np.stack([share * (sample.y - mean), share * (own[:, 0] - sampled)], axis=1)
    extra = float(mass**2 @ (everyone[:, 0] - known) ** 2) if unlabelled_sample else 0.0
    second, first = sample.design.by_phase(z)
    factor, variance = _coefficient(second, extra, 1.0 if tuning == "difference" else None)
    variance = min(variance * _learning(sample, inside, factor), float(second[0, 0])) + float(first[0, 0])

    def made(factor: float, variance: float) -> Estimate:
        value = mean + factor * (known - sampled)
        spread = Spread(variance, sample.design.effective_df(z[:, 0] - factor * z[:, 1]))
        method = f"{_NAMES[tuning]}, factor {factor:.2f}"
        return mean_estimate(value, spread, sample.y[inside], sample.weight[inside], options=options, method=method)

    plain, result = made(0.0, float(second[0, 0] + first[0, 0])), made(factor, variance)
    if variance < 1e-12 * second[0, 0]:
        doubt = "the scores repeat every label, so they are not used: was the scorer trained on these posts?"
        return replace(plain, reason=doubt)
    return plain if result.high - result.low > _WIDEST * (plain.high - plain.low) else result


def _coefficient(second: Floats, extra: float, fixed: float | None) -> tuple[float, float]:
    """The factor on the scores, and the variance with it; 0 where the scores don't help."""

    def variance(factor: float) -> float:
        return float(second[0, 0] - 2 * factor * second[0, 1] + factor**2 * (second[1, 1] + extra))

    if not second[1, 1] > 1e-300 or math.isnan(second[0, 0]):
        return 0.0, float(second[0, 0])
    best = float(second[0, 1] / (second[1, 1] + extra))
    choices = [0.0, best] if fixed is None or variance(fixed) > second[0, 0] else [fixed]
    factor = min(choices, key=variance)
    return factor, max(variance(factor), 0.0)


def _learning(sample: Sample, inside: NDArray[np.bool_], factor: float) -> float:
    """The factor by which a fitted coefficient makes the residuals look too small."""
    n = int(inside.sum())
    return 1.0 if factor == 0 or n < 4 else (n - 1) / (n - 2)


def _slopes(x: Floats, y: Floats, share: Floats) -> Floats:
    """Weighted least squares of y on the columns of x and a constant: the columns' slopes."""
    root = np.sqrt(share)
    centred, outcome = x - share @ x, y - share @ y
    return np.asarray(np.linalg.lstsq(centred * root[:, None], outcome * root, rcond=None)[0], dtype=np.float64)
