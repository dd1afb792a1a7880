"""Every model in an environment: the paper's columns and curves, with intervals that share their replicates."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate import metrics, review
from comoderate.calibration import Beta
from comoderate.metrics import CollaborationCurves, Estimate
from comoderate.papers.collaboration.environments import Posts
from comoderate.papers.collaboration.published_metrics import binned_auroc, binned_oracle_auroc

Floats = NDArray[np.float64]
FRACTIONS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2)
STRATEGIES = ("uncertainty", "toxicity")
OURS = ("expected_error", "expected_auroc_gain", "expected_average_precision_gain")
COLUMNS = (
    "auroc", "auprc", "accuracy", "brier", "ece", "calibration_auroc", "calibration_auprc",
    "calibration_auroc_toxicity", "calibration_auprc_toxicity",
)  # fmt: skip


def columns(
    y: NDArray[np.int64], proba: Floats, ranked: NDArray[np.int64], *, exact: bool, sample_weight: Floats
) -> Floats:
    """The values of :data:`COLUMNS`.

    Args:
        y: (n,) labels.
        proba: (n,) probabilities.
        ranked: (n,) labels for AUROC and AUPRC; ``y`` unless the public code's rule is wanted.
        exact: whether AUROC is exact.
        sample_weight: (n,).
    """
    area = metrics.auroc if exact else binned_auroc
    doubt = proba * (1 - proba)
    w: dict[str, Any] = {"sample_weight": sample_weight}
    calibration = (metrics.calibration_auroc, metrics.calibration_average_precision)
    return np.array(
        [
            area(ranked, proba, **w), metrics.average_precision(ranked, proba, **w), metrics.accuracy(y, proba, **w),
            metrics.brier_score(y, proba, **w), metrics.expected_calibration_error(y, proba, kind="confidence", **w),
            *(one(y, proba, doubt, **w) for one in calibration), *(one(y, proba, proba, **w) for one in calibration),
        ]
    )  # fmt: skip


class Environment:
    """One environment under evaluation: all models and strategies share its replicate weights.

    Args:
        posts: the posts.
        replicates: bootstrap replicates.
        seed: of them.
        corrected: names of corrections.
    """

    def __init__(self, posts: Posts, *, replicates: int, seed: int, corrected: Collection[str]) -> None:
        self.posts, self.corrected = posts, corrected
        self.weights = list(metrics.poisson_replicates(posts.weight, replicates, random_state=seed))
        one_rule = "one-label-rule" in corrected
        self.ranked = posts.y if one_rule else posts.any_toxicity
        self.exact = "exact-auroc" in corrected

    def table(self, proba: Floats) -> Floats:
        """(1 + R, columns) values of :data:`COLUMNS`, then those of the replicates."""
        own = [self.posts.weight, *self.weights]
        rows = [columns(self.posts.y, proba, self.ranked, exact=self.exact, sample_weight=weight) for weight in own]
        return np.array(rows)

    def curves(self, proba: Floats, review_score: Floats, fractions: Sequence[float] = FRACTIONS) -> Floats:
        """(1 + R, 5, fractions) metrics of the pair in the order of :class:`CollaborationCurves`."""
        found = metrics.replicate(
            metrics.collaboration_curves, self.posts.y, proba, review_score, sample_weight=self.posts.weight,
            replicates=iter(self.weights), review_fraction=np.array(fractions),
        )  # fmt: skip
        whole = np.vstack([found.value[None], found.replicates])
        shaped = whole.reshape(len(whole), len(CollaborationCurves._fields), len(fractions))
        if not self.exact:
            shaped = shaped.copy()
            shaped[:, 1] = self._binned(proba, review_score, fractions)
        return np.asarray(shaped)

    def _binned(self, proba: Floats, review_score: Floats, fractions: Sequence[float]) -> Floats:
        own = [self.posts.weight, *self.weights]
        return np.array(
            [
                [
                    binned_oracle_auroc(self.ranked, proba, review_score, review_fraction=one, sample_weight=weight)
                    for one in fractions
                ]
                for weight in own
            ]
        )


def review_scores(proba: Floats, calibrated: Floats) -> dict[str, Floats]:
    """(n,) review scores of the paper's two strategies and of ours."""
    known = review.strategies()
    return {name: np.asarray(known[name].score(proba, calibrated=calibrated)) for name in (*STRATEGIES, *OURS)}


def calibrated(validation: Posts, held_out: Floats, proba: Floats) -> Floats:
    """(n,) probabilities calibrated on posts that were held out from training."""
    return np.asarray(Beta().fit(held_out, validation.y).predict(proba))


def estimate_of(drawn: Floats, *, n: int, level: float = 0.95) -> Estimate:
    """An estimate from (1 + R,) a value and its replicates: percentile interval."""
    known = drawn[1:][np.isfinite(drawn[1:])]
    if not np.isfinite(drawn[0]) or len(known) < 2:
        return Estimate(float(drawn[0]), level=level, method="bootstrap", n=n, reason="undefined in the replicates")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(drawn[0]), float(known.std(ddof=1)), float(low), float(high), level, "bootstrap", n)


def by_identity(
    posts: Posts, probas: Mapping[str, Floats], *, replicates: int, seed: int, corrected: Collection[str]
) -> pd.DataFrame:
    """AUROC, accuracy and review efficiency of each model on the posts that mention an identity."""
    rows = []
    for identity, held in posts.identities.items():
        chosen = np.flatnonzero(held)
        part = posts.take(chosen)
        if len(chosen) < 100 or not 0 < part.y.sum() < len(chosen):
            continue
        own = Environment(part, replicates=replicates, seed=seed, corrected=corrected)
        for model, proba in probas.items():
            table, pair = own.table(proba[chosen]), own.curves(proba[chosen], _doubt(proba[chosen]), (0.1,))
            found = {"auroc": table[:, 0], "accuracy": table[:, 2], "review efficiency at 10 %": pair[:, 3, 0]}
            rows += [
                {"identity": identity, "posts": len(chosen), "model": model, "metric": name,
                 **estimate_of(drawn, n=len(chosen)).as_dict()}
                for name, drawn in found.items()
            ]  # fmt: skip
    return pd.DataFrame(rows)


def _doubt(proba: Floats) -> Floats:
    return proba * (1 - proba)
