"""Main effects and interactions of a surface, as numbers and in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.surface.base import Surface
from comoderate.surface.inputs import Codes, Floats, as_codes
from comoderate.surface.logistic_normal import LogisticNormal


class Effect(NamedTuple):
    """How much accuracy a value, or a pair of values, gains or loses.

    Attributes:
        attributes: positions of the attributes, one or two.
        values: their codes.
        accuracy: mean accuracy of arms with these values.
        difference: for one attribute, ``accuracy`` less the mean of all arms; for a pair, what is left of it after
            the effects of both values alone.
        weight: traffic of these arms as a share of all.
    """

    attributes: tuple[int, ...]
    values: tuple[int, ...]
    accuracy: float
    difference: float
    weight: float


def main_effects(arms: ArrayLike, mean: ArrayLike, *, weight: ArrayLike | None = None) -> list[Effect]:
    """Every attribute value's effect on accuracy, the largest losses first.

    Args:
        arms: (A, K) codes.
        mean: (A,) estimated accuracies.
        weight: (A,) traffic of the arms; equal if None.

    Raises:
        ValueError: for wrong shapes.
    """
    codes, accuracy, share = _checked(arms, mean, weight)
    overall = float(share @ accuracy)
    found = [
        Effect((k,), (int(v),), value, value - overall, weight_)
        for k in range(codes.shape[1])
        for v, value, weight_ in _means(codes[:, [k]], accuracy, share)
    ]
    return sorted(found, key=lambda e: e.difference)


def pair_effects(arms: ArrayLike, mean: ArrayLike, *, weight: ArrayLike | None = None) -> list[Effect]:
    """What pairs of values gain or lose beyond what their values give alone, the largest losses first.

    Beyond a sum of one effect for each value of each attribute, that is, fitted by least squares: values that only
    occur together thus have no effect as a pair. Arguments as above.
    """
    codes, accuracy, share = _checked(arms, mean, weight)
    rest = accuracy - _additive(codes, accuracy, share)
    found = []
    for pair in combinations(range(codes.shape[1]), 2):
        radix = int(codes[:, pair[1]].max()) + 1
        joined = codes[:, pair[0]] * radix + codes[:, pair[1]]
        for (both, value, weight_), (_, left, _) in zip(
            _means(joined[:, None], accuracy, share), _means(joined[:, None], rest, share), strict=True
        ):
            found.append(Effect(pair, (int(both) // radix, int(both) % radix), value, left, weight_))
    return sorted(found, key=lambda e: e.difference)


def main_deviations(
    surface: LogisticNormal, arms: ArrayLike, effects: Sequence[Effect], *, weight: ArrayLike | None = None
) -> Floats:
    """(E,) standard deviations of the differences of main effects, from the posterior of all arms together.

    An effect is a sum of arms' accuracies with factors; how far their errors go together is taken from their log-odds.

    Args:
        surface: the fitted estimator.
        arms: (A, K) codes, every arm once; time and memory grow with A².
        effects: of :func:`main_effects`, for these arms and weights.
        weight: (A,) traffic of the arms; equal if None.
    """
    codes, _, share = _checked(arms, np.zeros(len(as_codes(arms))), weight)
    inside = np.array([codes[:, e.attributes[0]] == e.values[0] for e in effects], dtype=np.float64)
    return _deviations(surface, codes, share * (inside / (inside @ share)[:, None] - 1.0))


def mean_deviation(
    surface: Surface, arms: ArrayLike, *, weight: ArrayLike | None = None, most_together: int = 2000
) -> float:
    """Standard deviation of the mean of all arms' accuracies.

    From the posterior of all arms together, as :func:`main_deviations`, where the estimator has one. Else that of a
    mean post-stratified by arm: labels of each arm err by themselves, and arms with less than one label err all in one
    direction, each by its posterior deviation.

    Args:
        surface: a fitted estimator.
        arms: (A, K) codes, every arm once.
        weight: (A,) traffic of the arms; equal if None.
        most_together: with more arms they are not taken together, for time and memory grow with A².
    """
    codes, _, share = _checked(arms, np.zeros(len(as_codes(arms))), weight)
    if isinstance(surface, LogisticNormal) and len(codes) <= most_together:
        return float(_deviations(surface, codes, share[None, :])[0])
    posterior, (_, n, _) = surface.posterior(codes), surface.own_counts(codes)
    labelled = n >= 1
    own = share**2 * posterior.mean * (1 - posterior.mean) / np.maximum(n, 1)
    other = share * np.sqrt(posterior.variance)
    return float(np.sqrt(own[labelled].sum() + other[~labelled].sum() ** 2))


def _deviations(surface: LogisticNormal, codes: Codes, factors: Floats) -> Floats:
    """(E,) standard deviations of sums of arms' accuracies with ``factors`` (E, A)."""
    scaled = factors * np.sqrt(surface.posterior(codes).variance)
    square = np.einsum("ea,ea->e", scaled @ surface.correlation(codes), scaled)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def in_words(
    effect: Effect,
    names: Sequence[str],
    value_name: Callable[[int, int], str],
    *,
    rate: str | None = None,
    share: bool = True,
    reach: float | None = None,
) -> str:
    """One effect as a sentence.

    Args:
        effect: from :func:`main_effects` or :func:`pair_effects`.
        names: name of each attribute.
        value_name: gives the name of a value from attribute position and code.
        rate: name of the error rate whose complement the accuracies are ("false-positive rate"); None where they are
            accuracies.
        share: whether it is told in per cent, or else as a number from 0 to 1.
        reach: how far the interval of the difference goes to each side; None where it is not told.
    """
    parts = [f"{names[k]} is “{value_name(k, v)}”" for k, v in zip(effect.attributes, effect.values)]
    value, difference = effect.accuracy, effect.difference
    if rate is not None:
        value, difference = 1 - value, -difference
    side = "below" if difference < 0 else "above"
    base = "the mean" if len(parts) == 1 else "what the two values alone would give"
    start = f"Where {' and '.join(parts)}, the {rate or 'accuracy'} is"
    if not share:
        doubt = "" if reach is None else f" (± {reach:.3f})"
        return f"{start} {value:.3f}: {abs(difference):.3f}{doubt} {side} {base}."
    points = abs(difference) * 100
    unit = "point" if round(points, 1) == 1 else "points"
    doubt = "" if reach is None else f" (± {100 * reach:.1f})"
    return f"{start} {100 * value:.0f} %: {points:.1f}{doubt} {unit} {side} {base}."


def _checked(arms: ArrayLike, mean: ArrayLike, weight: ArrayLike | None) -> tuple[Codes, Floats, Floats]:
    codes, accuracy = as_codes(arms), np.asarray(mean, dtype=np.float64)
    w = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=np.float64)
    if accuracy.shape != (len(codes),) or w.shape != (len(codes),):
        raise ValueError(f"mean and weight must have one value for each of the {len(codes)} arms")
    if (w < 0).any() or not w.sum() > 0:
        raise ValueError("weights must not be negative, nor all 0")
    if (codes < 0).any():
        raise ValueError("codes of values must not be negative")
    return codes, accuracy, w / w.sum()


def _additive(codes: Codes, accuracy: Floats, share: Floats, *, sweeps: int = 30) -> Floats:
    """(A,) the weighted least-squares fit of a sum of one effect a value, by backfitting."""
    columns = [np.unique(column, return_inverse=True)[1] for column in codes.T]
    traffic = [np.maximum(np.bincount(column, weights=share), 1e-300) for column in columns]
    fit: Floats = np.full(len(accuracy), float(share @ accuracy))
    for _ in range(sweeps):
        for column, total in zip(columns, traffic):
            fit = fit + (np.bincount(column, weights=share * (accuracy - fit)) / total)[column]
    return fit


def _means(key: Codes, accuracy: Floats, share: Floats) -> list[tuple[int, float, float]]:
    """Each value of ``key`` (A, 1) with its mean accuracy and its share; values without traffic are left out."""
    values, inverse = np.unique(key[:, 0], return_inverse=True)
    total = np.bincount(inverse, weights=share)
    value = np.bincount(inverse, weights=share * accuracy)
    return [(int(v), float(x / t), float(t)) for v, x, t in zip(values, value, total) if t > 0]
