"""All metrics of the pair over review fractions with their intervals, from one set of replicates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics import collaboration
from comoderate.metrics.collaboration import CollaborationCurves, collaboration_curves
from comoderate.metrics.comparison import band_of
from comoderate.metrics.estimate import Estimate
from comoderate.metrics.inputs import Array, as_fractions, as_weights
from comoderate.metrics.interval import Replicated, as_estimates, replicate, with_room
from comoderate.metrics.prepared import sizes_form
from comoderate.metrics.replicates import Seed


class Curves(NamedTuple):
    """Estimates by metric, one a review fraction: with intervals, and with bands that hold for a whole curve."""

    intervals: dict[str, list[Estimate]]
    bands: dict[str, list[Estimate]]


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
) -> Curves:
    """Estimates of each metric of :func:`comoderate.metrics.collaboration_curves`, by its name.

    Args:
        y_true, y_proba, review_score, review_fraction, threshold, sample_weight: as in
            :func:`comoderate.metrics.oracle_collaborative_accuracy`.
        replicates, level, cluster, random_state: as in :func:`comoderate.metrics.estimate`.

    Returns:
        For each metric a list, one estimate a review fraction in the order given: with an interval that holds there
        alone, and with one that holds at all fractions at once.
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
    out = Curves({}, {})
    for i, name in enumerate(CollaborationCurves._fields):
        part = slice(i * len(fractions), (i + 1) * len(fractions))
        own = Replicated(drawn.value[part], drawn.replicates[:, part], False)
        metric = getattr(collaboration, name)
        sizes = sizes_form(metric, y_true, y_proba, review_score, review_fraction=fractions, threshold=threshold)
        for kind, of in ((out.intervals, as_estimates), (out.bands, band_of)):
            made = with_room(of(own, weight, level=level, why=metric.undefined), own, sizes, weight)
            ends = made if isinstance(made, list) else [made]
            # All these metrics are shares or areas; a band of equal width around each value may leave [0, 1].
            kind[name] = [replace(one, low=max(one.low, 0.0), high=min(one.high, 1.0)) for one in ends]
    return out
