"""What is measured: estimators at equal labels, exploration, and the calibration of attributes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comoderate import surface
from comoderate.papers.accuracy_surface.estimators import estimators
from comoderate.papers.accuracy_surface.worlds import Floats, World
from comoderate.surface import Surface

WARM = 0.1
"""λ of the warm start (§4)."""

Row = dict[str, Any]


def estimation(world: World, estimator: str, labels: int, *, seed: int, corrected: Collection[str]) -> Row:
    """Errors × 100, coverage, width and CPU seconds of one estimator on one random labelled set.

    The labelled set is the same for every estimator, and a larger one holds the smaller ones.
    """
    rng: np.random.Generator = np.random.default_rng([seed, 1])
    labelled = rng.permutation(len(world.correct))[:labels]
    n, c = world.counts(labelled)
    began = time.process_time()
    fitted = estimators(corrected, seed)[estimator]().fit(world.arms, *warm(n, c, corrected))
    row = scores(world, fitted, corrected)
    return {**row, "seconds": time.process_time() - began}


def warm(n: Floats, c: Floats, corrected: Collection[str]) -> tuple[Floats, Floats]:
    """The counts as published: λ examples of average accuracy in every arm."""
    if "labels-only" in corrected:
        return n, c
    return n + WARM, c + WARM * c.sum() / n.sum()


def scores(world: World, fitted: Surface, corrected: Collection[str]) -> Row:
    """Mean squared errors × 100 against the pool's own means in arms of at least five examples, and the intervals."""
    pool = world.pool
    pool_size = pool if "finite-pool" in corrected else None
    if pool_size is not None and "labels-only" not in corrected:
        pool_size = np.where(pool > 0, pool + WARM, 0.0)
    p = fitted.predict(world.arms, pool_size=pool_size)
    found = surface.surface_scores(world.truth, p.mean, pool_size=pool, low=p.low, high=p.high)
    errors = {name: 100 * getattr(found, name) for name in ("macro", "worst", "micro", "least_frequent")}
    return {**errors, "coverage": found.coverage, "width": found.width, "arms": found.n_arms}


def exploration(
    world: World, estimator: str, strategy: str, *, start: int, stop: int, batch: int, seed: int,
    corrected: Collection[str],
) -> dict[str, list[float]]:  # fmt: skip
    """Errors × 100 after every batch: labels, macro and worst, a list each.

    Args:
        world: whose pool is labelled.
        estimator: whose own uncertainty chooses.
        strategy: of :data:`comoderate.surface.STRATEGIES`.
        start: random labels at the start.
        stop: labels at the end.
        batch: labels a round.
        seed: of the start and the draws.
        corrected: names of corrections.
    """
    rng: np.random.Generator = np.random.default_rng([seed, 2])
    n, c = world.counts(rng.permutation(len(world.correct))[:start])
    made = _light(estimator, corrected, seed)
    wrong = world.pool - world.right
    rounds = surface.simulate(
        made, world.arms, world.right, wrong, n=n, c=c, batches=_batches(stop - start, batch), strategy=strategy,
        random_state=seed,
    )  # fmt: skip
    curve: dict[str, list[float]] = {"labels": [], "macro": [], "worst": []}
    plain = {*corrected, "labels-only"}  # a simulation counts real labels only
    for step in rounds:
        row = scores(world, step.surface, plain)
        curve["labels"].append(step.labels)
        curve["macro"].append(row["macro"])
        curve["worst"].append(row["worst"])
    return curve


def _light(estimator: str, corrected: Collection[str], seed: int) -> Surface:
    """An estimator to be refitted often: ours without integrating over its scales."""
    made = estimators(corrected, seed)[estimator]()
    return surface.LogisticNormal(integrate=False) if isinstance(made, surface.LogisticNormal) else made


def _batches(total: int, batch: int) -> list[int]:
    return [batch] * (total // batch) + ([total % batch] if total % batch else [])


KINDS = ("raw", "temp", "full", "latent")
"""How arms are told from predicted attributes: Cal:Raw, Cal:Temp, Cal:Full, and full with the arm as latent."""


def calibration(
    world: World, kind: str, sizes: Sequence[int], *, start: int, seed: int, corrected: Collection[str]
) -> dict[str, list[float]]:
    """Errors × 100 of Beta-I when attributes are predicted, not known: labels, macro, worst, and the log-likelihood.

    Attribute models are made up: right nine times in ten or less, overconfident by a factor of two, each with its own
    taste. The first ``start`` labelled examples have gold attributes and train the calibration.

    Args:
        world: whose attributes are predicted.
        kind: of :data:`KINDS`.
        sizes: numbers of labelled examples.
        start: labelled examples with gold attributes.
        seed: of labels and attribute models.
        corrected: names of corrections.
    """
    rng: np.random.Generator = np.random.default_rng([seed, 3])
    order = rng.permutation(len(world.correct))
    gold = world.arms[world.pool_arm]
    tables = attribute_models(world, rng)
    seen, pool = order[:start], order[-2000:]
    model = surface.ArmCalibration(kind="full" if kind == "latent" else kind)  # type: ignore[arg-type]
    unlabelled = None if "attributes-on-labels" in corrected else [table[pool] for table in tables]
    model.fit([table[seen] for table in tables], gold[seen], arms=world.arms, pool=unlabelled)
    fit = model.log_likelihood([table[pool] for table in tables], gold[pool])
    curve: dict[str, list[float]] = {"labels": [], "macro": [], "worst": [], "log_likelihood": []}
    for labelled in (order[:size] for size in sizes):
        proba = model.predict_proba([table[labelled] for table in tables])
        fitted = _uncertain(world, proba, labelled, latent=kind == "latent")
        row = scores(world, fitted, {"labels-only"})
        curve["labels"].append(len(labelled))
        curve["macro"].append(row["macro"])
        curve["worst"].append(row["worst"])
        curve["log_likelihood"].append(fit)
    return curve


def _uncertain(world: World, proba: Floats, labelled: NDArray[np.intp], *, latent: bool) -> Surface:
    made: Surface = surface.BetaI()
    correct = world.correct[labelled]
    if latent:
        surface.fit_latent(made, world.arms, proba, correct)
        return made
    return made.fit(world.arms, *surface.fractional_counts(proba, correct))


def attribute_models(world: World, rng: np.random.Generator) -> list[Floats]:
    """For each attribute (N, V) probabilities of a made-up model that reads it, overconfident by a factor of two."""
    gold = world.arms[world.pool_arm]
    tables = []
    for k in range(gold.shape[1]):
        size = int(world.arms[:, k].max()) + 1
        taste = rng.normal(0, 0.7, size)
        logit = 2.2 * np.eye(size)[gold[:, k]] + taste + rng.normal(0, 1.0, (len(gold), size))
        tables.append(_softmax(2.0 * logit))
    return tables


def _softmax(logit: Floats) -> Floats:
    weight = np.exp(logit - logit.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def label_sizes(world: World, wanted: Sequence[int]) -> Iterator[int]:
    """The sizes of labelled sets that leave a third of the pool unlabelled."""
    yield from (size for size in wanted if size <= 2 * len(world.correct) // 3)
