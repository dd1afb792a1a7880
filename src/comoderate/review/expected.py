"""Strategies that read first what a decision is expected to get wrong, counted or priced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, as_probabilities, as_vector
from comoderate.review.extras import calibrated_of, error_probability, threshold_of


@dataclass(frozen=True)
class ExpectedError:
    """P(the decision is wrong): 1 − q where p > threshold, q where not, with calibrated probabilities q.

    Maximises the expected OC-Acc and review efficiency at every capacity where q is calibrated. For q = p and threshold
    .5 its order is that of uncertainty.

    Extras: ``calibrated`` (n,), ``threshold``.
    """

    name: str = "expected_error"

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Probability of a wrong decision, shape (n,)."""
        return error_probability(as_probabilities(y_proba), extras)

    def explain(self) -> str:
        """Why a post is read."""
        return "the decision is likely wrong"


@dataclass(frozen=True)
class ExpectedCost:
    """Money that a moderator's reading is expected to save, less what it costs.

    Left alone, a post costs (1 − q)·``removed`` where p > threshold (taken down wrongly) and q·``missed`` where not.
    Reading costs ``minute`` times its minutes. A post with a negative score is not worth reading.

    Attributes:
        missed: cost of an abusive post left up.
        removed: cost of a post taken down wrongly.
        minute: cost of a minute of a moderator's time.
        per_minute: divide by the minutes; right where capacity is counted in minutes instead of posts.

    Extras: ``calibrated`` (n,), ``threshold``, ``minutes`` (n,) to read each post (1 where not given).
    """

    missed: float = 1.0
    removed: float = 1.0
    minute: float = 0.0
    per_minute: bool = False
    name: str = "expected_cost"

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Expected saving in money, or money a minute, shape (n,)."""
        p = as_probabilities(y_proba)
        q = calibrated_of(p, extras)
        given = extras.get("minutes")
        minutes = np.ones(len(p)) if given is None else as_vector(given, "minutes", size=len(p))
        if len(minutes) and minutes.min() <= 0.0:
            raise ValueError("minutes must be positive")
        lost = np.where(p > threshold_of(extras), (1.0 - q) * self.removed, q * self.missed)
        saved = lost - self.minute * minutes
        return np.asarray(saved / minutes if self.per_minute else saved)

    def explain(self) -> str:
        """Why a post is read."""
        return "a mistake here would cost most"
