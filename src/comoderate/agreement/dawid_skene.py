"""Dawid and Skene's model and its variants: who labelled matters, and is learnt with the labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp

from comoderate.agreement.aggregator import Aggregator, known, labels_of
from comoderate.agreement.annotations import Annotations
from comoderate.agreement.vote import soft_labels

FloatArray = NDArray[np.float64]
MStep = Callable[[FloatArray], FloatArray]


class DawidSkene(Aggregator):
    """Every rater has a confusion matrix; matrices, shares of categories and true labels are found by EM.

    P(labels | truth t) = Π over the item's annotations of π_r[t, answer]. Starts from the shares of votes. Dawid and
    Skene (1979), *Applied Statistics* 28:20, doi:10.2307/2346806. Raters of ``anchors`` (experts) are trusted from the
    start: their matrices have a prior worth ``anchor_strength`` answers a category of which ``anchor_accuracy`` are
    right, which also fixes which class is which where the crowd is bad.

    Args:
        n_iter: most iterations.
        tol: stop where the mean log likelihood of an item rises by less.
        smoothing: answers added to each cell of a matrix.
        ordinal: categories have an order: ``labels_`` are the medians of ``probas_``, not the modes.
        anchors: codes of cohorts that are trusted.
        anchor_strength: how many answers a category the trust is worth.
        anchor_accuracy: how often trusted raters are thought to be right.

    Attributes:
        confusion_: (n_raters, n_categories, n_categories), π_r[truth, answer].
        n_iter_: iterations made.
        log_likelihood_: mean log likelihood of an item before each step.
    """

    confusion_: FloatArray
    n_iter_: int
    log_likelihood_: list[float]

    def __init__(
        self,
        *,
        n_iter: int = 100,
        tol: float = 1e-6,
        smoothing: float = 0.01,
        ordinal: bool = False,
        anchors: tuple[int, ...] = (),
        anchor_strength: float = 20.0,
        anchor_accuracy: float = 0.95,
    ) -> None:
        self.n_iter, self.tol, self.smoothing, self.ordinal = n_iter, tol, smoothing, ordinal
        self.anchors, self.anchor_strength, self.anchor_accuracy = anchors, anchor_strength, anchor_accuracy

    def _fit(self, data: Annotations) -> None:
        if not (self.n_iter >= 1 and self.smoothing > 0 and 0 < self.anchor_accuracy < 1):
            raise ValueError("n_iter must be 1 or more, smoothing above 0, anchor_accuracy between 0 and 1")
        trust = self._trust(data)
        found = expectation_maximisation(
            data, lambda votes: self._matrices(votes, trust, data), n_iter=self.n_iter, tol=self.tol
        )
        self.probas_, self.prior_, self.confusion_ = found.probas, found.prior, found.confusion
        self.log_likelihood_, self.n_iter_ = found.log_likelihood, len(found.log_likelihood)
        self.labels_ = labels_of(self.probas_, ordinal=self.ordinal)
        skills = np.einsum("t,rtt->r", self.prior_, self.confusion_)
        self.skills_ = np.where(np.bincount(data.rater, minlength=data.n_raters) > 0, skills, np.nan)

    def _trust(self, data: Annotations) -> FloatArray:
        """(n_raters, truth, answer) prior answers of trusted raters, 0 for others."""
        q = data.n_categories
        matrix = np.full((q, q), (1 - self.anchor_accuracy) / max(q - 1, 1))
        np.fill_diagonal(matrix, self.anchor_accuracy)
        trusted = np.isin(data.cohort, self.anchors).astype(np.float64)
        return np.asarray(trusted[:, None, None] * matrix * self.anchor_strength)

    def _matrices(self, votes: FloatArray, trust: FloatArray, data: Annotations) -> FloatArray:
        """Confusion matrices (n_raters, truth, answer) from expected votes of the same shape."""
        return rows_to_one(votes + trust + self.smoothing)


class OneCoinDawidSkene(DawidSkene):
    """A rater has one skill: the chance to be right; a wrong answer is any other category alike.

    Far fewer numbers to learn than :class:`DawidSkene`: for raters with few annotations. Arguments and attributes as
    there; Zhang et al. (2014), *Spectral Methods Meet EM*, call it the one-coin model.
    """

    def _matrices(self, votes: FloatArray, trust: FloatArray, data: Annotations) -> FloatArray:
        votes = votes + trust + self.smoothing
        q = data.n_categories
        skill = np.einsum("rtt->r", votes) / votes.sum(axis=(1, 2))
        wrong = (1 - skill) / max(q - 1, 1)
        matrices = np.broadcast_to(wrong[:, None, None], votes.shape).copy()
        matrices[:, np.arange(q), np.arange(q)] = skill[:, None]
        return matrices


class EM(NamedTuple):
    """What expectation maximisation found."""

    probas: FloatArray
    prior: FloatArray
    confusion: FloatArray
    log_likelihood: list[float]


def expectation_maximisation(data: Annotations, m_step: MStep, *, n_iter: int, tol: float) -> EM:
    """Alternates between raters' matrices and items' probabilities.

    Args:
        data: the annotations.
        m_step: from expected votes (n_raters, truth, answer) to confusion matrices of the same shape.
        n_iter: most iterations.
        tol: stop where the mean log likelihood of an item rises by less.
    """
    votes = data.incidence()
    probas = known(soft_labels(data.counts()), data.truth)
    rated = ~np.isnan(probas).any(axis=1)
    probas[~rated] = 0.0
    weight = np.where(rated, data.weight, 0.0)
    if not weight.sum() > 0:
        raise ValueError("no item with a weight has an annotation or a known label")
    history: list[float] = []
    turned = votes.T.tocsr()
    for _ in range(n_iter):
        prior = _prior(weight, probas)
        confusion = m_step(_expected_votes(turned, weight, probas, data))
        logs = _joint(votes, prior, confusion, data)
        evidence = logsumexp(logs, axis=1)
        history.append(float(weight @ evidence / weight.sum()))
        probas = known(np.exp(logs - evidence[:, None]), data.truth)
        probas[~rated] = 0.0
        if len(history) > 1 and abs(history[-1] - history[-2]) < tol:
            break
    confusion = m_step(_expected_votes(turned, weight, probas, data))
    prior = _prior(weight, probas)
    probas[~rated] = np.nan
    return EM(probas, prior, confusion, history)


def _prior(weight: FloatArray, probas: FloatArray) -> FloatArray:
    """Shares of the categories, none of them quite 0."""
    share = weight @ probas + 1e-9
    return np.asarray(share / share.sum())


def _expected_votes(turned: sparse.csr_array, weight: FloatArray, probas: FloatArray, data: Annotations) -> FloatArray:
    """(n_raters, truth, answer) weighted votes expected under the probabilities."""
    flat = turned @ (weight[:, None] * probas)
    return np.asarray(flat).reshape(data.n_raters, data.n_categories, data.n_categories).transpose(0, 2, 1)


def _joint(votes: sparse.csr_array, prior: FloatArray, confusion: FloatArray, data: Annotations) -> FloatArray:
    """(n_items, truth) log P(truth, the item's annotations)."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(confusion, 1e-300)).transpose(0, 2, 1)
    flat = logs.reshape(data.n_raters * data.n_categories, data.n_categories)
    return np.asarray(votes @ flat) + np.log(prior)


def rows_to_one(votes: FloatArray) -> FloatArray:
    """Matrices with rows that sum to 1."""
    return np.asarray(votes / votes.sum(axis=-1, keepdims=True))
