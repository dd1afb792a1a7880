"""All metrics of the pair over review fractions with their intervals, from one set of replicates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics import collaboration
from comoderate.metrics.collaboration import CollaborationCurves, collaboration_curves
from comoderate.metrics.comparison import band_of
from comoderate.metrics.estimate import Estimate
from comoderate.metrics.inputs import Array, as_fractions, as_weights
from comoderate.metrics.interval import Replicated, as_estimates, replicate
from comoderate.metrics.replicates import Seed


def estimate_curves(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
    replicates: int | Iterable[Array] = 200,
    level: float = 0.95,
    cluster: ArrayLike | None = None,
    random_state: Seed = None,
    simultaneous: bool = False,
) -> dict[str, list[Estimate]]:
    """Estimates of each metric of :func:`comoderate.metrics.collaboration_curves`, by its name.

    Args:
        y_true, y_proba, review_score, review_fraction, threshold, sample_weight: as in
            :func:`comoderate.metrics.oracle_collaborative_accuracy`.
        replicates, level, cluster, random_state: as in :func:`comoderate.metrics.estimate`.
        simultaneous: each curve gets a band that holds for all its fractions at once, instead of pointwise intervals.

    Returns:
        For each metric a list, one estimate a review fraction in the order given.
    """
    fractions = as_fractions(review_fraction)
    weight = as_weights(sample_weight, np.size(y_true))
    drawn = replicate(
        collaboration_curves,
        np.asarray(y_true),
        y_proba,
        review_score,
        sample_weight=weight,
        replicates=replicates,
        cluster=cluster,
        random_state=random_state,
        review_fraction=fractions,
        threshold=threshold,
    )
    out: dict[str, list[Estimate]] = {}
    for i, name in enumerate(CollaborationCurves._fields):
        part = slice(i * len(fractions), (i + 1) * len(fractions))
        own = Replicated(drawn.value[part], drawn.replicates[:, part], False)
        why = getattr(collaboration, name).undefined
        made = (band_of if simultaneous else as_estimates)(own, weight, level=level, why=why)
        out[name] = made if isinstance(made, list) else [made]
    return out
