"""The published system whole: calibrated attributes, fractional counts, BetaGP-SLP, variance exploration.

Needs the extra ``surface`` (torch, gpytorch).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.surface.base import Prediction, Surface
from comoderate.surface.calibrate import ArmCalibration
from comoderate.surface.gp import BetaGP
from comoderate.surface.inputs import Codes, Counts, Floats, as_codes
from comoderate.surface.latent import FractionalCounts, fractional_counts
from comoderate.surface.posterior import Posterior


class Published(Surface):
    """The estimator of the published system: BetaGP-SLP on counts with a warm start in every arm.

    Args:
        warm: λ: every arm starts with n = λ and c = λρ̂, so that no share of the Dirichlet is 0.
        surface: another estimator than BetaGP-SLP with the paper's Dirichlet and pooling.

    Attributes:
        surface_: it, fitted.
    """

    surface_: Surface

    def __init__(self, *, warm: float = 0.1, surface: Surface | None = None) -> None:
        self.warm, self.surface = warm, surface

    def warm_counts(self) -> FractionalCounts:
        """(A,) the counts of the last fit, with the warm start; ρ̂ is .5 where nothing is labelled."""
        n, c = self.counts_.n, self.counts_.c
        rate = float(c.sum() / n.sum()) if n.sum() > 0 else 0.5
        return FractionalCounts(n + self.warm, c + self.warm * rate)

    def _fit(self, counts: Counts) -> None:
        estimator = BetaGP(supervision="dirichlet", pooling="paper") if self.surface is None else self.surface
        self.surface_ = estimator.fit(self.counts_.arms, *self.warm_counts())

    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        return self.surface_.posterior(codes)


@dataclass(frozen=True)
class Assessment:
    """AAA of Piratla et al. (2021) after a round.

    Attributes:
        arms: (A, K).
        proba: (N, A) P(a | x) of every pool example.
        labelled: (N,) whether an example has a label.
        n, c: (A,) fractional counts with the warm start λ in every arm.
        surface: the estimator, fitted.
    """

    arms: Codes
    proba: Floats
    labelled: NDArray[np.bool_]
    n: Floats
    c: Floats
    surface: Surface

    def predict(self, *, level: float = 0.95) -> Prediction:
        """The surface in all arms."""
        return self.surface.predict(self.arms, level=level)

    def next_examples(self, size: int) -> NDArray[np.intp]:
        """(size,) or fewer pool examples to label: arms in the order of variance, in each the unlabelled example of
        highest affiliation P(a | x); no example twice."""
        free = ~self.labelled
        order = np.argsort(-self.surface.posterior(self.arms).variance, kind="stable")
        chosen: list[int] = []
        while len(chosen) < size and free.any():
            for arm in order[: size - len(chosen)]:
                if not free.any():
                    break
                best = int(np.argmax(np.where(free, self.proba[:, arm], -1.0)))
                chosen.append(best)
                free[best] = False
        return np.array(chosen, dtype=np.intp)


def aaa(
    probabilities: Sequence[ArrayLike],
    correct: ArrayLike,
    *,
    arms: ArrayLike,
    gold: ArrayLike,
    warm: float = 0.1,
    surface: Surface | None = None,
    calibration: ArmCalibration | None = None,
) -> Assessment:
    """One round of AAA: calibrate, count, fit. Label ``next_examples`` and call it again.

    Args:
        probabilities: for each of K attributes (N, V_k), the attribute model's probabilities on the pool.
        correct: (N,) 1 or 0 where there is a label, NaN elsewhere; at least one label.
        arms: (A, K) all arms.
        gold: (N, K) true codes; rows with a negative code are unknown. The others train the calibration.
        warm: λ: every arm starts with n = λ and c = λρ̂, so that no share of the Dirichlet is 0.
        surface: another estimator than BetaGP-SLP with the paper's Dirichlet and pooling.
        calibration: another than Cal:Full.

    Raises:
        ValueError: for shapes that don't fit, no label, or a warm start that is not positive.
    """
    codes, right, true = as_codes(arms), np.asarray(correct, dtype=np.float64), as_codes(gold)
    known = np.isfinite(right)
    if right.ndim != 1 or len(true) != len(right) or not known.any():
        raise ValueError("correct and gold must have one row for each pool example, with at least one label")
    if not warm > 0:
        raise ValueError(f"warm must be positive, not {warm}")
    tables = [np.asarray(p, dtype=np.float64) for p in probabilities]
    taught = (true >= 0).all(axis=1)
    model = ArmCalibration() if calibration is None else calibration
    model.fit([t[taught] for t in tables], true[taught], arms=codes)
    proba = model.predict_proba(tables)
    counts = fractional_counts(proba[known], right[known])
    fitted = Published(warm=warm, surface=surface).fit(codes, *counts)
    return Assessment(codes, proba, known, *fitted.warm_counts(), fitted)
