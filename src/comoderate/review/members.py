"""Strategies for an ensemble or for several stochastic passes: how far its members disagree.

Total variance splits as p(1 − p) = E[p_m (1 − p_m)] + Var p_m: doubt that all members share, and doubt about the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from comoderate.metrics.inputs import Array, as_probabilities, as_vector, ratio
from comoderate.review.extras import needed


class Variance(NamedTuple):
    """Parts of a post's predictive variance, arrays of shape (n,); total = aleatoric + epistemic."""

    total: Array
    aleatoric: Array
    epistemic: Array


def variance_of(members: ArrayLike) -> Variance:
    """The parts of variance of members' probabilities, shape (m, n).

    Source: the law of total variance for a Bernoulli outcome; Kivlichan et al. (2021), section 3.
    """
    table = _table(members)
    mean = table.mean(axis=0)
    epistemic = table.var(axis=0)
    total = mean * (1.0 - mean)
    return Variance(total, np.maximum(total - epistemic, 0.0), epistemic)


def mutual_information(members: ArrayLike) -> Array:
    """H(mean of members) − mean of H(member) in nats, shape (n,): what the label would tell about the model.

    Source: Houlsby et al. (2011), Bayesian active learning for classification and preference learning, equation 2.
    """
    table = _table(members)
    mean = table.mean(axis=0)
    inner = (entr(table) + entr(1.0 - table)).mean(axis=0)
    return np.asarray(np.maximum(entr(mean) + entr(1.0 - mean) - inner, 0.0))


def information_from_variance(y_proba: ArrayLike, epistemic: ArrayLike) -> Array:
    """Var p_m / (2 p(1 − p)) in nats, shape (n,): what the label would tell about the model, to second order.

    Taylor's expansion of the entropy H around the mean p, whose second derivative is −1 / (p(1 − p)).

    Args:
        y_proba: (n,) means of the members.
        epistemic: (n,) variance between the members.
    """
    p = as_probabilities(y_proba)
    spread = as_vector(epistemic, "epistemic", size=len(p))
    return np.asarray(np.nan_to_num(ratio(spread, 2.0 * p * (1.0 - p)), nan=0.0))


def _table(members: ArrayLike) -> Array:
    table = np.asarray(members, dtype=np.float64)
    if table.ndim != 2 or len(table) < 1:
        raise ValueError(f"members must have shape (members, posts), got {table.shape}")
    return as_probabilities(table.ravel(), name="members").reshape(table.shape)


def _members(strategy: str, y_proba: ArrayLike, extras: dict[str, Any]) -> ArrayLike:
    if extras.get("members") is None:
        raise ValueError(f"strategy {strategy!r} needs members, an array (members, posts) of probabilities")
    members: ArrayLike = extras["members"]
    if np.shape(members)[-1:] != (len(as_probabilities(y_proba)),):
        raise ValueError(f"members has shape {np.shape(members)} for {np.size(y_proba)} posts")
    return members


@dataclass(frozen=True)
class MemberVariance:
    """Var p_m: the posts on which the members of the ensemble disagree most.

    Extras: ``members`` (m, n), or ``epistemic`` (n,) where only the variance was kept.
    """

    name: str = "member_variance"
    needs: ClassVar[tuple[str, ...]] = ("members", "epistemic")

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Variance between members, shape (n,)."""
        if extras.get("members") is None and extras.get("epistemic") is not None:
            return needed("epistemic", self.name, as_probabilities(y_proba), extras)
        return variance_of(_members(self.name, y_proba, extras)).epistemic

    def explain(self) -> str:
        """Why a post is read."""
        return "the classifiers disagree"


@dataclass(frozen=True)
class MutualInformation:
    """The posts whose label would tell most about the model.

    Extras: ``members`` (m, n), or ``epistemic`` (n,) where only the variance between members was kept: then Var p_m /
    (2 p(1 − p)), which is the mutual information to second order in the members' distance from their mean.
    """

    name: str = "mutual_information"
    needs: ClassVar[tuple[str, ...]] = ("members", "epistemic")

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Mutual information of label and model in nats, shape (n,)."""
        if extras.get("members") is None and extras.get("epistemic") is not None:
            p = as_probabilities(y_proba)
            return information_from_variance(p, needed("epistemic", self.name, p, extras))
        return mutual_information(_members(self.name, y_proba, extras))

    def explain(self) -> str:
        """Why a post is read."""
        return "the classifiers are sure, but of different things"
