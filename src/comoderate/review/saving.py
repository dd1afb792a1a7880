"""Money that review saves: the objective of the strategy by expected cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, as_fractions, as_weights, like_fractions, ratio
from comoderate.metrics.pair import Pair
from comoderate.metrics.prepared import Weighted, prepared_by


def _saving(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    missed: float = 1.0,
    removed: float = 1.0,
    minute: float = 0.0,
    minutes_per_post: float = 1.0,
) -> Weighted:
    fractions = as_fractions(review_fraction)
    pair = Pair(y_true, y_proba, review_score, threshold=threshold)
    lost: Array = np.where(pair.wrong, np.where(pair.positive, missed, removed), 0.0)

    def value(weight: Array) -> Any:
        at = pair.weigh(weight, fractions)
        mended = at.edge.within(pair.order.totals(weight * lost))
        spent = at.edge.within(at.totals) * (minute * minutes_per_post)
        return like_fractions(ratio(mended - spent, np.full(len(fractions), at.totals[-1])), review_fraction)

    return value


@prepared_by(_saving, undefined="needs a post with weight")
def review_saving(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    threshold: float = 0.5,
    missed: float = 1.0,
    removed: float = 1.0,
    minute: float = 0.0,
    minutes_per_post: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Cost of the mistakes that reading mends, less that of reading, a post of the stream.

    With ``missed`` = ``removed`` = 1 and free reading it is OC-Acc less the classifier's accuracy. For
    :func:`comoderate.review.advise` fix the costs by ``functools.partial``.

    Args:
        y_true, y_proba, review_score, review_fraction, threshold, sample_weight: as in
            :func:`comoderate.metrics.oracle_collaborative_accuracy`.
        missed: cost of an abusive post left up.
        removed: cost of a post taken down wrongly.
        minute: cost of a minute of a moderator's time.
        minutes_per_post: mean time to read one post.

    Returns:
        Money, a float, or an array (f,) where ``review_fraction`` is one; NaN where nothing has weight.
    """
    prepared = _saving(
        y_true,
        y_proba,
        review_score,
        review_fraction=review_fraction,
        threshold=threshold,
        missed=missed,
        removed=removed,
        minute=minute,
        minutes_per_post=minutes_per_post,
    )
    return prepared(as_weights(sample_weight, np.size(y_true)))
