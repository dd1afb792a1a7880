"""What is measured beside the paper's tables: crossing points with intervals, focal loss, corrections turned off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comoderate import metrics
from comoderate.papers.collaboration.claims import CROSSING, EFFICIENCY, RATES, without_sngp
from comoderate.papers.collaboration.environments import Posts
from comoderate.papers.collaboration.evaluation import Environment, estimate_of
from comoderate.papers.collaboration.published_metrics import binned_auroc, binned_oracle_auroc
from comoderate.review import crossings

Floats = NDArray[np.float64]
Probas = Mapping[str, Floats]
REPLICATES = 100
VERSION = 3
"""Of what is computed here: results of another version are computed anew."""
GRID = np.geomspace(0.002, 0.5, 30)
BINS = 15
AT = (0.05, 0.1)
EXACT, LABELS = "exact-auroc", "one-label-rule"


def measure(posts: Posts, probas: Probas, *, seed: int, corrected: Collection[str]) -> dict[str, Any]:
    """Claims, changes and reliability of an environment, each with intervals over the same replicates of its posts.

    Args:
        posts: of the environment.
        probas: for each model (n,) probabilities.
        seed: of the replicates.
        corrected: names of corrections.
    """
    own = Environment(posts, replicates=REPLICATES, seed=seed, corrected=corrected)
    return {
        "claims": [*_focal(own, probas), *_without_sngp(own, probas), _crossover(posts, probas, seed)],
        "changes": list(_changes(own, probas)),
        "reliability": {model: reliability(own, proba) for model, proba in probas.items()},
        "soft": bool((posts.any_toxicity != posts.y).any()),
    }


# ------------------------------------------------------------------ claims


def _focal(own: Environment, probas: Probas) -> Iterator[dict[str, Any]]:
    """What focal loss costs in telling wrong decisions from right ones by their uncertainty."""
    posts = own.posts
    for name, metric in (
        ("calibration AUROC", metrics.calibration_auroc), ("calibration AUPRC", metrics.calibration_average_precision)
    ):  # fmt: skip
        mean: dict[bool, Floats] = {}
        for focal in (True, False):
            drawn = [
                [metric(posts.y, proba, proba * (1 - proba), sample_weight=w) for w in (posts.weight, *own.weights)]
                for model, proba in probas.items()
                if model.endswith("focal") == focal
            ]
            mean[focal] = np.mean(drawn, axis=0)
        yield _row("focal loss hurts calibration", f"loss in {name}", mean[False] - mean[True], len(posts.texts))


def _without_sngp(own: Environment, probas: Probas) -> list[dict[str, Any]]:
    left = {model: proba for model, proba in probas.items() if not model.startswith("SNGP")}
    tables = {model: own.table(proba) for model, proba in left.items()}
    pairs = {
        (model, strategy): own.curves(proba, score)
        for model, proba in left.items()
        for strategy, score in (("uncertainty", proba * (1 - proba)), ("toxicity", proba))
    }
    return without_sngp(tables, pairs, len(own.posts.texts))


def _row(claim: str, measure_of: str, drawn: Floats, n: int) -> dict[str, Any]:
    return {"claim": claim, "measure": measure_of, "published": "", **estimate_of(drawn, n=n).as_dict()}


def _crossover(posts: Posts, probas: Probas, seed: int) -> dict[str, Any]:
    """How many halvings earlier toxicity review overtakes uncertainty where posts are more rarely toxic.

    Where one strategy is ahead at all review fractions the crossing counts as at the nearer end of them.
    """
    points = []
    for rate in (RATES[0], RATES[-1]):
        own = Environment(posts.at_rate(rate), replicates=REPLICATES, seed=seed, corrected={EXACT, LABELS})
        points.append(np.array([_crossing_points(own, proba) for proba in probas.values()]))
    rare, common = points
    halvings = np.log2(common / rare).mean(axis=0)
    measure_of = f"halvings of the crossing point from {100 * RATES[-1]:g} % to {100 * RATES[0]:g} % toxic"
    return _row(CROSSING, measure_of, halvings, len(posts.texts))


def _crossing_points(own: Environment, proba: Floats) -> list[float]:
    """(1 + R) the first review fraction at which toxicity review is ahead in efficiency."""
    uncertainty, toxicity = (
        own.curves(proba, score, tuple(GRID))[:, EFFICIENCY] for score in (proba * (1 - proba), proba)
    )
    return [_crossing(*pair) for pair in zip(uncertainty, toxicity, strict=True)]


def _crossing(uncertainty: Floats, toxicity: Floats) -> float:
    found = crossings("uncertainty", "toxicity", GRID, uncertainty, toxicity)
    points = [one.review_fraction for one in found if one.above == "toxicity"]
    if points:
        return points[0]
    return float(GRID[0] if np.nanmean(toxicity - uncertainty) > 0 else GRID[-1])


# ------------------------------------------------------------------ corrections


def _changes(own: Environment, probas: Probas) -> Iterator[dict[str, Any]]:
    """Means over models: quantity, what is turned off, then the value corrected, as published, and the difference."""
    on = {EXACT, LABELS} & set(own.corrected)
    rows: list[tuple[str, Sequence[str]]] = [("AUROC", [one]) for one in sorted(on)]
    rows += [("AUROC", sorted(on))] if len(on) > 1 else []
    rows += [("AUPRC", [LABELS])] if LABELS in on else []
    for at in AT:
        rows += [(f"OC-AUROC at {100 * at:g} %", [EXACT])] if EXACT in on else []
    for quantity, off in rows:
        pair = [np.mean([_drawn(own, proba, quantity, left) for proba in probas.values()], axis=0)
                for left in (on, on - set(off))]  # fmt: skip
        change = estimate_of(pair[1] - pair[0], n=len(own.posts.texts))
        yield {
            "quantity": quantity, "off": ", ".join(off), "corrected": float(pair[0][0]),
            "as_published": float(pair[1][0]), "change": change.value, "low": change.low, "high": change.high,
        }  # fmt: skip


def _drawn(own: Environment, proba: Floats, quantity: str, corrected: Collection[str]) -> Floats:
    """(1 + R,) a quantity under some corrections."""
    posts, weights = own.posts, (own.posts.weight, *own.weights)
    y = posts.y if LABELS in corrected else posts.any_toxicity
    if quantity == "AUPRC":
        return np.array([metrics.average_precision(y, proba, sample_weight=w) for w in weights])
    if quantity == "AUROC":
        area: Any = metrics.auroc if EXACT in corrected else binned_auroc
        return np.array([area(y, proba, sample_weight=w) for w in weights])
    at = next(one for one in AT if quantity.endswith(f" {100 * one:g} %"))
    pair: Any = metrics.oracle_collaborative_auroc if EXACT in corrected else binned_oracle_auroc
    doubt = proba * (1 - proba)
    return np.array([float(pair(y, proba, doubt, review_fraction=at, sample_weight=w)) for w in weights])


# ------------------------------------------------------------------ reliability


def reliability(own: Environment, proba: Floats) -> dict[str, list[float]]:
    """Predicted and observed shares in bins of equal width, with intervals: predicted, observed, low, high."""
    place = np.minimum((proba * BINS).astype(np.int64), BINS - 1)
    weight, y = own.posts.weight, own.posts.y
    total = np.bincount(place, weights=weight, minlength=BINS)
    kept = np.flatnonzero(total > 0)
    predicted = np.bincount(place, weights=weight * proba, minlength=BINS)[kept] / total[kept]
    drawn = np.array([_observed(place, y, w)[kept] for w in (weight, *own.weights)])
    low, high = np.nanquantile(drawn[1:], [0.025, 0.975], axis=0)
    return {
        "predicted": predicted.tolist(), "observed": drawn[0].tolist(), "low": low.tolist(), "high": high.tolist(),
    }  # fmt: skip


def _observed(place: NDArray[np.int64], y: NDArray[np.int64], weight: Floats) -> Floats:
    total = np.bincount(place, weights=weight, minlength=BINS)
    positive = np.bincount(place, weights=weight * y, minlength=BINS)
    return np.asarray(np.divide(positive, total, out=np.full(BINS, np.nan), where=total > 0))
