"""Posts where a moderator's label is itself doubtful, and who gets a second reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Codes, as_probabilities, as_vector
from comoderate.review.extras import needed


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
    wanted = 1 + (as_vector(disagreement, "disagreement", size=len(ranked))[ranked] > doubtful).astype(np.int64)
    given = np.clip(capacity - (np.cumsum(wanted) - wanted), 0, wanted)
    out = np.zeros(len(ranked), dtype=np.int64)
    out[ranked] = given
    return out
