"""What a review strategy is, and the three that need nothing but a probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, as_probabilities, as_vector


@runtime_checkable
class Strategy(Protocol):
    """An order of review: a name, a score whose largest values are read first, and a phrase that explains it.

    A new strategy is a small class with these three members. ``score`` takes the probabilities (n,) and whatever else
    it needs as keyword arguments, and ignores those that it does not know. It may also have ``needs``, names of extras
    of which it must have one, and ``fit``, which gives a copy tuned on labelled posts (see
    :class:`comoderate.review.Hybrid`).
    """

    @property
    def name(self) -> str:
        """A short name, unique among strategies."""

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Review scores (n,), larger is reviewed first."""

    def explain(self) -> str:
        """A phrase that tells a moderator why a post is in the queue."""


@dataclass(frozen=True)
class Toxicity:
    """The probability itself: the posts most likely abusive first."""

    name: str = "toxicity"

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """p, shape (n,)."""
        return as_probabilities(y_proba)

    def explain(self) -> str:
        """Why a post is read."""
        return "likely abusive"


@dataclass(frozen=True)
class Uncertainty:
    """p(1 − p): the posts about which the classifier is least sure first."""

    name: str = "uncertainty"

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """p(1 − p), shape (n,)."""
        p = as_probabilities(y_proba)
        return p * (1.0 - p)

    def explain(self) -> str:
        """Why a post is read."""
        return "the classifier is unsure"


@dataclass(frozen=True)
class Random:
    """A random order: the yardstick that every strategy must beat.

    Pass the stored uniform numbers of the posts as ``u`` for an order that is the same on every engine; else
    ``random_state`` draws one.
    """

    name: str = "random"
    random_state: int = 0

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Uniform numbers, shape (n,)."""
        size = len(as_probabilities(y_proba))
        if extras.get("u") is not None:
            return as_vector(extras["u"], "u", size=size)
        return np.random.default_rng(self.random_state).random(size)

    def explain(self) -> str:
        """Why a post is read."""
        return "drawn at random"
