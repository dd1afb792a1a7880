"""The paper's ten models: five methods by two losses, networks shared wherever methods read the same ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from comoderate.models import Encoder
from comoderate.papers.collaboration.environments import Environments, Posts

METHODS = {
    "deterministic": "Deterministic", "mc_dropout": "Monte Carlo dropout", "ensemble": "Ensemble", "sngp": "SNGP",
    "sngp_ensemble": "SNGP ensemble",
}  # fmt: skip
LOSSES = {"cross_entropy": "cross-entropy", "focal": "focal"}
PAPERS_BOUND = 0.95
"""The largest singular value of SNGP's pooler, in the paper."""


@dataclass(frozen=True)
class Setting:
    """How large the models are.

    Attributes:
        train: posts to train on.
        test: posts of the testing environment.
        backbone: the encoder; None is the small one that comes as a package.
        layers: of it that are used.
        max_length: tokens a text.
        epochs, batch_size: of training.
        members: of an ensemble.
        passes: of Monte Carlo dropout.
        rates: learning rates of deterministic networks, dropout and SNGP; None: the encoder's default.
    """

    train: int | None
    test: int | None
    backbone: str | None
    layers: int | None
    max_length: int
    epochs: int
    batch_size: int
    members: int
    passes: int
    rates: tuple[float, float, float] | None


SMALL = Setting(3000, 4000, None, 3, 64, 2, 32, 4, 5, None)
FULL = Setting(None, None, "google-bert/bert-base-uncased", None, 512, 5, 256, 10, 10, (1e-5, 5e-5, 2.5e-5))


def encoder(method: str, loss: str, setting: Setting, *, seed: int, corrected: Collection[str]) -> Encoder:
    """An untrained model of the grid."""
    gaussian = method.startswith("sngp")
    options: dict[str, Any] = {
        "backbone": setting.backbone, "layers": setting.layers, "method": method, "members": setting.members,
        "passes": setting.passes if "all-passes" in corrected else 1, "max_length": setting.max_length,
        "epochs": setting.epochs, "batch_size": setting.batch_size, "validation_share": 0.0, "random_state": seed,
        "loss": loss, "spectral_bound": PAPERS_BOUND,
    }  # fmt: skip
    if loss == "focal":
        options |= {"gamma": 1.0 if gaussian else 5.0, "alpha": 0.1}
    if setting.rates is not None:
        options["learning_rate"] = setting.rates[2 if gaussian else 1 if method == "mc_dropout" else 0]
    if gaussian:
        exact = "exact-precision" in corrected
        options["precision_update"] = "exact" if exact else "moving_average"
        if "mean-field" not in corrected:
            options["mean_field"] = 0.1
    return Encoder(**options)


def predictions(
    method: str, loss: str, train: Posts, posts: Mapping[str, Posts], setting: Setting, *, seed: int,
    corrected: Collection[str], checkpoint: Path, progress: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Train one model, or go on with it, and score posts.

    Args:
        method, loss: of the grid.
        train: posts to learn from, of which ``setting.train`` are drawn.
        posts: posts to score, by name.
        setting: how large the model is.
        seed: of the draw and of the model.
        corrected: names of corrections.
        checkpoint: folder of networks that are trained or under way.
        progress: hears how training goes on.

    Returns:
        For each name ``proba`` and, where the method gives it, ``epistemic``.
    """
    rng: np.random.Generator = np.random.default_rng([seed, 61])
    drawn = part(train, setting.train, rng)
    model = encoder(method, loss, setting, seed=seed, corrected=corrected)
    model.fit(drawn.texts, drawn.y, checkpoint=checkpoint, progress=progress)
    found: dict[str, Any] = {"history": model.history_}
    for name, one in posts.items():
        told = model.predict_uncertainty(one.texts)
        found[name] = {"proba": told.proba, "epistemic": told.epistemic}
    return found


def parts(data: Environments, setting: Setting) -> dict[str, Posts]:
    """The posts that models score, the test posts as many as the setting says."""
    held = setting.test is None or len(data.test.texts) <= setting.test
    test = data.test if held else data.test.take(np.arange(setting.test or 0))
    return {"validation": data.validation, "test": test, "deployment": data.deployment}


def part(posts: Posts, size: int | None, rng: np.random.Generator) -> Posts:
    """As many posts, at random, as the setting says."""
    order = rng.permutation(len(posts.texts))
    return posts.take(order if size is None else order[:size])


def names(methods: Sequence[str] = tuple(METHODS), losses: Sequence[str] = tuple(LOSSES)) -> list[tuple[str, str]]:
    """The grid, methods within losses."""
    return [(method, loss) for loss in losses for method in methods]
