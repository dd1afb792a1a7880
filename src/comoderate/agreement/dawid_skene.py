"""Dawid and Skene's model and its variants: who labelled matters, and is learnt with the labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from comoderate.agreement.aggregator import Aggregator, known, labels_of
from comoderate.agreement.annotations import Annotations
from comoderate.agreement.vote import soft_labels

FloatArray = NDArray[np.float64]
MStep = Callable[[FloatArray], FloatArray]

FOLLOWERS = 0.05


class DawidSkene(Aggregator):
    """Every rater has a confusion matrix; matrices, shares of categories and true labels are found by EM.

    P(labels | truth t) = Π over the item's annotations of π_r[t, answer]. Starts from the shares of votes. Dawid and
    Skene (1979), *Applied Statistics* 28:20, doi:10.2307/2346806. Raters of ``anchors`` (experts) are trusted from the
    start: their matrices have a prior worth ``anchor_strength`` answers a category of which ``anchor_accuracy`` are
    right, and the others' first matrices are learnt mostly from the items that they rated, which fixes which class is
    which where the crowd is bad.

    Args:
        n_iter: most iterations.
        tol: stop where the mean log likelihood of an item rises by less.
        smoothing: answers added to each cell of a matrix; near 0 is maximum likelihood, 0.5 helps where raters have
            few posts.
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
            data,
            lambda votes: self._matrices(votes, trust, data),
            self._start(data, trust),
            n_iter=self.n_iter,
            tol=self.tol,
        )
        self.probas_, self.prior_, self.confusion_ = found.probas, found.prior, found.confusion
        self.log_likelihood_, self.n_iter_ = found.log_likelihood, len(found.log_likelihood)
        self.labels_ = labels_of(self.probas_, ordinal=self.ordinal)
        skills = np.einsum("t,rtt->r", self.prior_, self.confusion_)
        self.skills_ = np.where(np.bincount(data.rater, minlength=data.n_raters) > 0, skills, np.nan)

    def _start(self, data: Annotations, trust: FloatArray) -> FloatArray:
        """(n_items, n_categories) what the first matrices are learnt from: shares of votes, trusted raters' many times.

        Where there are such votes or known labels, items without them count 20 times less, so that the trusted decide
        which class is which.
        """
        lead = data.counts_of(self.anchors) * (self.anchor_strength - 1)
        probas = np.nan_to_num(known(soft_labels(data.counts() + lead), data.truth), nan=0.0)
        leading = (lead.sum(axis=1) > 0) | (data.truth >= 0)
        if leading.any():
            probas[~leading] *= FOLLOWERS
        return probas

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


BLOCK = 16_384


FOLLOWERS = 0.05


def expectation_maximisation(data: Annotations, m_step: MStep, start: FloatArray, *, n_iter: int, tol: float) -> EM:
    """Alternates between raters' matrices and items' probabilities.

    Items go through in blocks that fit the processor's cache.

    Args:
        data: the annotations.
        m_step: from expected votes (n_raters, truth, answer) to confusion matrices of the same shape.
        start: (n_items, n_categories) probabilities to start from, rows scaled by how far they are trusted; 0 where
            nothing is known.
        n_iter: most iterations.
        tol: stop where the mean log likelihood of an item rises by less.
    """
    unrated = np.flatnonzero(start.sum(axis=1) == 0)
    weight = data.weight.copy()
    weight[unrated] = 0.0
    total = float(weight.sum())
    if not total > 0:
        raise ValueError("no item with a weight has an annotation or a known label")
    votes = data.incidence()
    parts = [slice(first, first + BLOCK) for first in range(0, data.n_items, BLOCK)]
    blocks = [_Block(votes[part], weight[part], data.truth[part]) for part in parts]
    tally = _Tally.of(data, blocks, [start[part] for part in parts])
    history: list[float] = []
    for _ in range(n_iter):
        confusion, prior = m_step(tally.votes), tally.prior
        found = [block.posterior(confusion, prior) for block in blocks]
        history.append(sum(part.log_likelihood for part in found) / total)
        tally = _Tally.of(data, blocks, [part.probas for part in found])
        if len(history) > 1 and abs(history[-1] - history[-2]) < tol:
            break
    probas = np.concatenate([part.probas for part in found])
    probas[unrated] = np.nan
    return EM(probas, tally.prior, m_step(tally.votes), history)


class _Posterior(NamedTuple):
    """Probabilities of a block's items and the sum of their weighted log likelihoods."""

    probas: FloatArray
    log_likelihood: float


class _Block(NamedTuple):
    """Some items: their votes (items, raters · answers), weights and known labels."""

    votes: sparse.csr_array
    weight: FloatArray
    truth: NDArray[np.int64]

    def posterior(self, confusion: FloatArray, prior: FloatArray) -> _Posterior:
        """Probabilities of the true categories, given raters' matrices and shares of categories."""
        n_raters, q, _ = confusion.shape
        logs = np.log(np.maximum(confusion, 1e-300)).transpose(0, 2, 1).reshape(n_raters * q, q)
        joint = np.asarray(self.votes @ logs)
        for column, share in zip(joint.T, np.log(prior)):
            column += share
        probas, evidence = _normalised(joint)
        return _Posterior(known(probas, self.truth), float((self.weight * evidence).sum()))


class _Tally(NamedTuple):
    """Expected votes (n_raters, truth, answer) and shares of the categories."""

    votes: FloatArray
    prior: FloatArray

    @classmethod
    def of(cls, data: Annotations, blocks: list[_Block], probas: list[FloatArray]) -> _Tally:
        """Adds up the blocks; no share is quite 0."""
        q = data.n_categories
        flat, share = np.zeros((data.n_raters * q, q)), np.full(q, 1e-9)
        for block, own in zip(blocks, probas):
            weighted = own * block.weight[:, None]
            flat += block.votes.T @ weighted
            share += weighted.sum(axis=0)
        return cls(flat.reshape(data.n_raters, q, q).transpose(0, 2, 1), share / share.sum())


def _normalised(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Probabilities from their unnormalised logarithms, in place, and the log of each row's sum.

    Column by column: reductions along rows of a few numbers are what is slow here.
    """
    top = logs[:, 0].copy()
    for column in logs.T[1:]:
        np.maximum(top, column, out=top)
    for column in logs.T:
        column -= top
    np.exp(logs, out=logs)
    total = logs[:, 0].copy()
    for column in logs.T[1:]:
        total += column
    for column in logs.T:
        column /= total
    return logs, top + np.log(total)


def rows_to_one(votes: FloatArray) -> FloatArray:
    """Matrices with rows that sum to 1."""
    return np.asarray(votes / votes.sum(axis=-1, keepdims=True))
