"""The paper's hybrid: a share of the capacity by toxicity, the rest by uncertainty, the share tuned on labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from comoderate.metrics import oracle_collaborative_accuracy
from comoderate.metrics.inputs import Array, as_probabilities


@dataclass(frozen=True)
class Hybrid:
    """Takes ``share`` of the queue from the top by toxicity and the rest from the top by uncertainty.

    A post's score is −min(r_t / share, r_u / (1 − share)), r its rank in each order: the sets are nested, so that one
    order serves every capacity, and a post that both orders want is read once.

    Attributes:
        share: share by toxicity in [0, 1].
        shares: what :meth:`fit` tries.

    Source: Kivlichan et al. (2021), section 6, which proposes a combination.
    """

    share: float = 0.5
    shares: tuple[float, ...] = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
    name: str = "hybrid"

    def __post_init__(self) -> None:
        if not all(0.0 <= share <= 1.0 for share in (self.share, *self.shares)):
            raise ValueError("shares of a hybrid must lie in [0, 1]")

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Scores whose order is that of the two queues merged, shape (n,)."""
        p = as_probabilities(y_proba)
        toxic, unsure = rankdata(-p), rankdata(-p * (1.0 - p))
        if self.share in (0.0, 1.0):
            return -np.asarray(toxic if self.share == 1.0 else unsure, dtype=np.float64)
        return -np.minimum(toxic / self.share, unsure / (1.0 - self.share))

    def fit(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        review_fraction: float,
        objective: Callable[..., Any] = oracle_collaborative_accuracy,
        sample_weight: ArrayLike | None = None,
        **extras: Any,
    ) -> Hybrid:
        """The hybrid with the share that does best on labelled posts; of equals, the first of ``shares``.

        Args:
            y_true, y_proba: (n,) labels in {0, 1} and probabilities.
            review_fraction: the capacity at which to choose.
            objective: a metric of the pair; larger is better.
            sample_weight: (n,) weights.
            extras: ``threshold`` goes to the objective.
        """
        options = {"threshold": extras["threshold"]} if "threshold" in extras else {}
        values = [
            objective(
                y_true,
                y_proba,
                replace(self, share=share).score(y_proba),
                review_fraction=review_fraction,
                sample_weight=sample_weight,
                **options,
            )
            for share in self.shares
        ]
        return replace(self, share=_best(self.shares, values))

    def explain(self) -> str:
        """Why a post is read."""
        return "likely abusive, or the classifier is unsure"


def _best(shares: Sequence[float], values: Sequence[float]) -> float:
    known = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=-np.inf)
    return shares[int(np.argmax(known))]
