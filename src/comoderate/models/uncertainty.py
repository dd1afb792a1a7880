"""What a scorer says of its own doubt: total uncertainty and the parts that a method can tell apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

Array = NDArray[np.float64]

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(32)


class Uncertainty(NamedTuple):
    """Probabilities with their uncertainty, (n,) each; NaN where the method does not give a part.

    Attributes:
        proba: mean probability p of being positive.
        total: p(1 − p), the variance of the label; at most .25.
        aleatoric: the part that more training data would not remove, E[p_m(1 − p_m)].
        epistemic: the part that comes from not knowing the right model, Var p_m; total = aleatoric + epistemic.
        mutual_information: entropy of p less the mean entropy of the members, in nats; NaN for a single member.
        logit_variance: variance of the log-odds under a Gaussian process head; NaN without one.
        members: (n, M) probability by each member or pass; None unless asked for, (n, 1) for a single member.
    """

    proba: Array
    total: Array
    aleatoric: Array
    epistemic: Array
    mutual_information: Array
    logit_variance: Array
    members: Array | None = None


def of_single(proba: ArrayLike, *, members: bool = False) -> Uncertainty:
    """The uncertainty of a scorer that gives one probability: the total, and nothing of its parts.

    Args:
        proba: (n,) probabilities.
        members: whether to give the probabilities again as (n, 1).
    """
    p = np.asarray(proba, dtype=np.float64)
    unknown = np.full_like(p, np.nan)
    return Uncertainty(p, p * (1 - p), unknown, unknown, unknown, unknown, p[:, None] if members else None)


def of_members(probabilities: ArrayLike, *, within: ArrayLike | None = None, members: bool = False) -> Uncertainty:
    """The uncertainty of several models, or several passes through one.

    By the law of total variance of a label Y ~ Bernoulli(p_m) with m uniform over the members:
    p(1 − p) = E[p_m(1 − p_m)] + Var p_m, the variance taken with divisor M. Where a member is itself uncertain by
    ``within``, that part counts as epistemic.

    Source: Depeweg et al. (2018), Decomposition of uncertainty in Bayesian deep learning, section 3; Houlsby et al.
    (2011), Bayesian active learning for classification, for the mutual information.

    Args:
        probabilities: (n, M) with M >= 1.
        within: (n, M) epistemic variance of each member's own probability, at most p_m(1 − p_m).
        members: whether to give the probabilities again.

    Raises:
        ValueError: not a matrix, or no member.
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] < 1:
        raise ValueError(f"probabilities must have shape (n, M) with M at least 1, not {p.shape}")
    mean = p.mean(axis=1)
    epistemic = p.var(axis=1)
    if within is not None:
        epistemic = epistemic + np.asarray(within, dtype=np.float64).mean(axis=1)
    total = mean * (1 - mean)
    epistemic = np.minimum(epistemic, total)
    gain = np.maximum(entropy(mean) - entropy(p).mean(axis=1), 0.0) if p.shape[1] > 1 else np.full(len(p), np.nan)
    unknown = np.full(len(p), np.nan)
    return Uncertainty(mean, total, total - epistemic, epistemic, gain, unknown, p if members else None)


def entropy(proba: ArrayLike) -> Array:
    """Entropy of a yes or no of probability p, in nats; 0 at p = 0 and 1."""
    p = np.asarray(proba, dtype=np.float64)
    low = np.where(p > 0, p, 1.0)
    high = np.where(p < 1, 1 - p, 1.0)
    return np.asarray(-(p * np.log(low) + (1 - p) * np.log(high)))


def within_gaussian(mean: ArrayLike, variance: ArrayLike) -> Array:
    """Variance of sigmoid(z) for z ~ N(mean, variance), by Gauss–Hermite quadrature with 32 nodes.

    This is how a Gaussian-process head's doubt about the log-odds becomes doubt about the probability.

    Args:
        mean, variance: of any one shape.
    """
    m, s = np.asarray(mean, dtype=np.float64), np.sqrt(np.asarray(variance, dtype=np.float64))
    weight = NODE_WEIGHTS / NODE_WEIGHTS.sum()
    p = expit(m[..., None] + s[..., None] * NODES)
    centre = p @ weight
    return np.asarray(((p - centre[..., None]) ** 2) @ weight)


def of_gaussians(
    mean: ArrayLike, variance: ArrayLike, *, factor: float = np.pi / 8, members: bool = False
) -> Uncertainty:
    """The uncertainty of one or several Gaussian-process heads.

    A member's probability is p_m = sigmoid(m/√(1 + λσ²)), the mean-field approximation of E[sigmoid(z)]. Its own
    epistemic part is Var sigmoid(z) (:func:`within_gaussian`), cut at p_m(1 − p_m); several members add Var p_m.

    Args:
        mean, variance: (n, M) of each member's log-odds.
        factor: λ.
        members: whether to give each member's probability.

    Raises:
        ValueError: as :func:`of_members`.
    """
    m, v = np.asarray(mean, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    p = expit(m / np.sqrt(1 + factor * v))
    within = np.minimum(within_gaussian(m, v), p * (1 - p))
    found = of_members(p, within=within, members=members)
    return found._replace(logit_variance=v.mean(axis=1) + m.var(axis=1))
