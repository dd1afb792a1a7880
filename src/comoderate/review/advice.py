"""Which strategy to use: all compared on labelled posts, with nothing fitted on the posts that judge it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.calibration import Calibrator, Frugal, cross_fit
from comoderate.metrics import Estimate, Replicated, as_estimates, band_of, oracle_collaborative_accuracy
from comoderate.metrics import replicate_form as replicate
from comoderate.metrics.inputs import Array, as_labels, as_probabilities, as_weights
from comoderate.metrics.prepared import weighted_form
from comoderate.metrics.replicates import Seed
from comoderate.review.doubt import share_read
from comoderate.review.registry import strategies as every_strategy
from comoderate.review.strategy import Strategy

GRID = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class Compared:
    """One strategy: the objective's value, its paired difference from the baseline, and the curve over capacities.

    ``gain`` has the interval of a band over all strategies, so that picking the best does not flatter it.
    """

    name: str
    value: Estimate
    gain: Estimate
    curve: tuple[float, ...]


@dataclass(frozen=True)
class Crossing:
    """A review fraction at which the order of two strategies changes: below it ``below`` is better, above ``above``."""

    below: str
    above: str
    review_fraction: float


@dataclass(frozen=True)
class Advice:
    """What to use at a capacity and by how much it is better.

    Attributes:
        best: the strategy with the largest value; of equals the first.
        baseline: the better of the baselines on these posts, against which gains are measured.
        certain: whether the interval of the best one's gain lies above 0, or the best one is the baseline.
        compared: all strategies, the best first.
        review_fraction: the capacity asked about.
        tenth_more: what a tenth more capacity would add to the objective with the best strategy.
        fractions: (f,) the capacities of the curves.
        crossings: where the best strategy's curve crosses that of another.
        left_out: strategies that could not be scored, with the reason.
    """

    best: str
    baseline: str
    certain: bool
    compared: tuple[Compared, ...]
    review_fraction: float
    tenth_more: Estimate
    fractions: tuple[float, ...]
    crossings: tuple[Crossing, ...]
    left_out: dict[str, str]


def cross_fitted_scores(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    fold: ArrayLike,
    strategies: Mapping[str, Strategy],
    review_fraction: float,
    objective: Callable[..., Any],
    calibrator: Callable[[], Calibrator] = Frugal,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
    extras: Mapping[str, Any] | None = None,
) -> dict[str, Array]:
    """Review scores (n,) of each strategy, in which no post's own label has a part.

    Probabilities are calibrated by cross-fitting unless ``extras`` brings ``calibrated``. A strategy with a method
    ``fit`` is tuned on the other folds for each fold.
    """
    p = as_probabilities(y_proba)
    y = as_labels(y_true).astype(np.float64)
    code, weight = np.asarray(fold), as_weights(sample_weight, len(p))
    given = {"threshold": threshold, "sample_weight": weight, **(extras or {})}
    if "calibrated" not in given:
        given["calibrated"] = cross_fit(calibrator, p, y, fold=code, sample_weight=weight)
    out = {}
    for name, strategy in strategies.items():
        fit = getattr(strategy, "fit", None)
        if fit is None:
            out[name] = strategy.score(p, **given)
            continue
        out[name] = np.empty(len(p))
        for value in np.unique(code):
            train, use = code != value, code == value
            tuned = fit(
                y[train],
                p[train],
                review_fraction=review_fraction,
                objective=objective,
                sample_weight=weight[train],
                threshold=threshold,
            )
            out[name][use] = tuned.score(p, **given)[use]
    return out


def usable(strategies: Mapping[str, Strategy], extras: Mapping[str, Any]) -> tuple[dict[str, Strategy], dict[str, str]]:
    """The strategies for which ``extras`` brings what they need, and for the others the reason why not.

    A strategy's attribute ``needs`` names extras of which it must have one.
    """
    kept, left_out = {}, {}
    for name, strategy in strategies.items():
        needs = getattr(strategy, "needs", ())
        if needs and not any(extras.get(need) is not None for need in needs):
            left_out[name] = f"needs {' or '.join(needs)}"
        else:
            kept[name] = strategy
    return kept, left_out


def advise(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    fold: ArrayLike,
    review_fraction: float,
    readings: ArrayLike | None = None,
    objective: Callable[..., Any] = oracle_collaborative_accuracy,
    strategies: Mapping[str, Strategy] | None = None,
    baselines: tuple[str, ...] = ("toxicity", "uncertainty"),
    calibrator: Callable[[], Calibrator] = Frugal,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
    extras: Mapping[str, Any] | None = None,
    fractions: tuple[float, ...] = GRID,
    replicates: int | Iterable[Array] = 200,
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    random_state: Seed = None,
) -> Advice:
    """Compare strategies on a labelled sample at a capacity and say which to use.

    Args:
        y_true: (n,) labels in {0, 1} of a sample of the stream where the queue will be.
        y_proba: (n,) probabilities of a scorer that was not trained on these posts.
        fold: (n,) codes; posts of one group share one.
        review_fraction: the capacity, strictly between 0 and 1.
        readings: (n,) how often each post is read where not once; the capacity then counts readings, of which a
            strategy that likes doubtful posts spends more a post.
        objective: a metric of the pair, larger is better, of (y_true, y_proba, review_score).
        strategies: by name; all of :func:`comoderate.review.strategies` whose needs ``extras`` meets where not given.
        baselines: names of those from the better of which gains are measured.
        calibrator: makes the calibrator that is cross-fitted.
        threshold: the operating threshold.
        sample_weight: (n,) weights.
        extras: what strategies need by name: members, arm_accuracy, group, …
        fractions: capacities of the curves.
        replicates, cluster, level, random_state: as in :func:`comoderate.metrics.estimate`.
    """
    if not 0.0 < review_fraction < 1.0:
        raise ValueError("review_fraction must lie strictly between 0 and 1")
    known, left_out = usable(every_strategy() if strategies is None else strategies, extras or {})
    for name in baselines:
        known.setdefault(name, every_strategy()[name])
    options: dict[str, Any] = {"threshold": threshold}
    scores = cross_fitted_scores(
        y_true,
        y_proba,
        fold=fold,
        strategies=known,
        review_fraction=review_fraction,
        objective=objective,
        calibrator=calibrator,
        sample_weight=sample_weight,
        extras=extras,
        **options,
    )
    weight = as_weights(sample_weight, np.size(y_true))
    both = (review_fraction, min(1.1 * review_fraction, 1.0))
    forms = [
        weighted_form(objective, y_true, y_proba, u, review_fraction=_shares(u, readings, both, weight), **options)
        for u in scores.values()
    ]
    drawn = replicate(
        lambda w: np.concatenate([form(w) for form in forms]),
        weight,
        replicates=replicates,
        cluster=cluster,
        random_state=random_state,
    )
    curves = {
        name: objective(
            y_true, y_proba, u, review_fraction=_shares(u, readings, fractions, weight), sample_weight=weight, **options
        )
        for name, u in scores.items()
    }
    return _advice(list(scores), drawn, weight, curves, baselines, level, review_fraction, fractions, left_out)


def _shares(score: Array, readings: ArrayLike | None, capacities: tuple[float, ...], weight: Array) -> ArrayLike:
    """The shares of posts that capacities read in the order of a review score."""
    if readings is None:
        return list(capacities)
    return share_read(score, readings, review_fraction=list(capacities), sample_weight=weight)


def _advice(
    names: list[str],
    drawn: Replicated,
    weight: Array,
    curves: dict[str, Array],
    baselines: tuple[str, ...],
    level: float,
    review_fraction: float,
    fractions: tuple[float, ...],
    left_out: dict[str, str],
) -> Advice:
    now = Replicated(drawn.value[0::2], drawn.replicates[:, 0::2], False)
    known = np.nan_to_num(now.value, nan=-np.inf)
    first = max(baselines, key=lambda name: known[names.index(name)])
    base = names.index(first)
    best = base if known[base] == known.max() else int(np.argmax(known))
    gains = Replicated(now.value - now.value[base], now.replicates - now.replicates[:, [base]], False)
    why = "the objective is undefined on these posts"
    values = as_estimates(now, weight, level=level, why=why)
    assert isinstance(values, list)
    band = band_of(gains, weight, level=level, why=why)
    rows = [
        Compared(name, value, gain, tuple(np.asarray(curves[name]).tolist()))
        for name, value, gain in zip(names, values, band)
    ]
    tenth = Replicated(
        drawn.value[[2 * best + 1]] - drawn.value[[2 * best]],
        drawn.replicates[:, [2 * best + 1]] - drawn.replicates[:, [2 * best]],
        True,
    )
    more = as_estimates(tenth, weight, level=level, why=why)
    assert isinstance(more, Estimate)
    ranked = tuple(rows[i] for i in np.argsort(-known, kind="stable"))
    return Advice(
        best=names[best],
        baseline=first,
        certain=best == base or bool(band[best].low > 0.0),
        compared=(rows[best], *(row for row in ranked if row.name != names[best])),
        review_fraction=review_fraction,
        tenth_more=more,
        fractions=fractions,
        crossings=tuple(
            crossing
            for name in names
            if name != names[best]
            for crossing in crossings(names[best], name, fractions, curves[names[best]], curves[name])
        ),
        left_out=left_out,
    )


def crossings(
    first: str, second: str, fractions: ArrayLike, first_curve: ArrayLike, second_curve: ArrayLike
) -> list[Crossing]:
    """Where two curves change places, between capacities by straight lines in the logarithm of the capacity."""
    x = np.asarray(fractions, dtype=np.float64)
    ahead = np.asarray(first_curve, dtype=np.float64) - np.asarray(second_curve, dtype=np.float64)
    kept = np.flatnonzero(~np.isnan(ahead) & (np.abs(ahead) > 1e-12) & (x > 0.0))
    x, ahead = np.log(x[kept]), ahead[kept]
    out = []
    for i in np.flatnonzero(np.sign(ahead[1:]) != np.sign(ahead[:-1])):
        at = x[i] + (x[i + 1] - x[i]) * ahead[i] / (ahead[i] - ahead[i + 1])
        below, above = (first, second) if ahead[i] > 0.0 else (second, first)
        out.append(Crossing(below, above, float(np.exp(at))))
    return out
