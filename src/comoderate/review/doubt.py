"""Posts where a moderator's label is itself doubtful, and who gets a second reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Codes, as_fractions, as_probabilities, as_vector, as_weights, ratio
from comoderate.metrics.order import ReviewOrder
from comoderate.review.extras import needed
from comoderate.review.queue import within


@dataclass(frozen=True)
class RaterDisagreement:
    """The posts on which raters are expected to differ most.

    Extras: ``disagreement`` (n,), the predicted probability that two raters differ; or ``soft`` (n,), the predicted
    share of raters who say yes, r, from which it is 2r(1 − r).
    """

    name: str = "rater_disagreement"
    needs: ClassVar[tuple[str, ...]] = ("disagreement", "soft")

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Predicted disagreement, shape (n,)."""
        p = as_probabilities(y_proba)
        if extras.get("disagreement") is None and extras.get("soft") is not None:
            return two_raters_differ(as_probabilities(extras["soft"], size=len(p), name="soft"))
        return needed("disagreement", self.name, p, extras)

    def explain(self) -> str:
        """Why a post is read."""
        return "people are likely to see this differently"


def two_raters_differ(soft: ArrayLike) -> Array:
    """2r(1 − r): the probability that two raters drawn at random differ, r the share who say yes, shape (n,)."""
    r = as_probabilities(soft, name="soft")
    return np.asarray(2.0 * r * (1.0 - r))


def readings(order: ArrayLike, disagreement: ArrayLike, *, capacity: int, doubtful: float = 0.3) -> Codes:
    """How many moderators read each post, within a capacity of readings.

    Posts are taken in order; each costs one reading, or two where ``disagreement`` is above ``doubtful``, until the
    capacity is used. A doubtful post for which one reading is left gets one.

    Args:
        order: (n,) indices in order of review.
        disagreement: (n,) predicted probability that two raters differ, by post.
        capacity: number of readings.
        doubtful: above this a post goes to two moderators.

    Returns:
        (n,) 0, 1 or 2 by post.
    """
    ranked = np.asarray(order, dtype=np.int64)
    wanted = wanted_readings(as_vector(disagreement, "disagreement", size=len(ranked)), doubtful=doubtful)[ranked]
    out = np.zeros(len(ranked), dtype=np.int64)
    out[ranked] = within(wanted, capacity)
    return out


def wanted_readings(disagreement: ArrayLike, *, doubtful: float = 0.3) -> Codes:
    """2 for posts on which two raters differ with a probability above ``doubtful``, else 1, shape (n,)."""
    return 1 + (as_vector(disagreement, "disagreement") > doubtful).astype(np.int64)


def share_read(
    review_score: ArrayLike, readings: ArrayLike, *, review_fraction: ArrayLike, sample_weight: ArrayLike | None = None
) -> Array:
    """The share of posts that is read where the capacity counts readings, shape (f,).

    Posts are taken by falling review score, each for its readings, until those come to ``review_fraction`` readings a
    post of the stream; posts tied at the end are taken in the same part. With one reading a post it is the review
    fraction itself.

    Args:
        review_score: (n,) larger is read first.
        readings: (n,) how often each post is read, positive.
        review_fraction: one number or (f,), readings a post of the stream.
        sample_weight: (n,) weights.
    """
    order = ReviewOrder(as_vector(review_score, "review_score"))
    weight = as_weights(sample_weight, len(order.code))
    times = as_vector(readings, "readings", size=len(weight))
    if times.min(initial=1.0) <= 0.0:
        raise ValueError("readings must be positive")
    spent, posts = order.totals(weight * times), order.totals(weight)
    wanted = as_fractions(review_fraction) * posts[-1]
    return np.asarray(np.minimum(ratio(np.interp(wanted, spent, posts), np.full(len(wanted), posts[-1])), 1.0))
