"""The estimators of the paper, as published or corrected, and ours."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from comoderate import surface
from comoderate.surface import Surface

OURS = "Comoderate"
GAUSSIAN = ("BernGP", "BetaGP", "BetaGP-SL", "BetaGP-SLP")
NAMES = ("CPredictor", "Beta-I", *GAUSSIAN, OURS)

CORRECTIONS = {
    "one-hot": "the Gaussian processes see attributes one-hot, not as whole numbers whose order means nothing",
    "few-steps": "the Gaussian processes take 200 steps, with a slow embedding, not 2,000, in which they fit noise",
    "conjugate": "an arm's own counts update its Beta; as published only the processes' mean counts",
    "light-supervision": "the supervision of scales weighs .01, by the public code's gamma density; as published 1, "
    "by the text's Dirichlet density, under which arms with few labels are hardly smoothed",
    "labels-only": "only arms with labels are fitted; as published every arm begins with n = .1 and c = .1 ρ̂",
    "finite-pool": "the target is the mean of this very pool, whose labelled part is known; as published the accuracy "
    "in general is compared with it",
    "attributes-on-labels": "attribute models are calibrated on labelled examples alone; as published also on the "
    "unlabelled pool, with their own predictions as gold",
}


def estimators(corrected: Collection[str], seed: int) -> dict[str, Callable[[], Surface]]:
    """A maker for each estimator of Table 2, by its name.

    Args:
        corrected: names out of :data:`CORRECTIONS`.
        seed: of what is random in an estimator.
    """
    makers: dict[str, Callable[[], Surface]] = {"CPredictor": surface.Constant, "Beta-I": surface.BetaI}
    makers |= {name: _gaussian(name, corrected, seed) for name in GAUSSIAN}
    return {**makers, OURS: surface.AccuracySurface}


def _gaussian(name: str, corrected: Collection[str], seed: int) -> Callable[[], Surface]:
    def make() -> Surface:
        from comoderate.surface import gp

        options: dict[str, Any] = {"random_state": seed}
        options["encoding"] = "onehot" if "one-hot" in corrected else "integer"
        if "few-steps" not in corrected:
            options |= {"steps": (1000, 1000), "learning_rate": 0.01, "embedding_rate": 0.01}
        if name == "BernGP":
            return gp.BernGP(**options)
        light = "light-supervision" in corrected
        options["conjugate"] = "conjugate" in corrected
        if name != "BetaGP":
            options["supervision"] = "gamma" if light else "dirichlet"
            options["supervision_weight"] = 0.01 if light else 1.0
        if name == "BetaGP-SLP":
            options["pooling"] = "code" if light else "paper"
        return gp.BetaGP(**options)

    return make
