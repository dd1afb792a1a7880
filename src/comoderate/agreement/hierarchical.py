"""Dawid and Skene with raters that resemble their cohort."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from comoderate.agreement.annotations import Annotations
from comoderate.agreement.dawid_skene import DawidSkene, expectation_maximisation, rows_to_one

STEPS_ALONE, ALONE = 10, 0.5
STRENGTHS = np.geomspace(0.5, 512.0, 21)


class HierarchicalDawidSkene(DawidSkene):
    """A rater's confusion matrix is shrunk towards that of the rater's cohort, the more the fewer the annotations.

    Row t of a rater's matrix has a Dirichlet prior of s · (row t of the cohort's matrix): someone with ten posts is
    judged mostly as a member of the cohort, someone with a thousand mostly by their own answers. s is chosen for
    each cohort at every step as the one of 21 steps from 0.5 to 512 under which the cohort's answers are likeliest
    (Dirichlet-multinomial), or is given. After Paun et al. (2018), *Comparing Bayesian Models of Annotation*, TACL 6.

    Args:
        strength: s for all cohorts; None to choose it.
        **options: as :class:`DawidSkene`.

    Attributes:
        cohort_confusion_: (n_cohorts, truth, answer).
        strengths_: (n_cohorts,) the s used.
    """

    cohort_confusion_: NDArray[np.float64]
    strengths_: NDArray[np.float64]

    def __init__(
        self,
        *,
        strength: float | None = None,
        n_iter: int = 100,
        tol: float = 1e-6,
        smoothing: float = 0.01,
        ordinal: bool = False,
        anchors: tuple[int, ...] = (),
        anchor_strength: float = 20.0,
        anchor_accuracy: float = 0.95,
    ) -> None:
        super().__init__(
            n_iter=n_iter,
            tol=tol,
            smoothing=smoothing,
            ordinal=ordinal,
            anchors=anchors,
            anchor_strength=anchor_strength,
            anchor_accuracy=anchor_accuracy,
        )
        self.strength = strength

    def _start(self, data: Annotations, trust: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where a few steps without cohorts lead: starting from votes, all raters would look alike, and stay so."""

        def alone(votes: NDArray[np.float64]) -> NDArray[np.float64]:
            return rows_to_one(votes + trust + ALONE)

        start = super()._start(data, trust)
        found = expectation_maximisation(data, alone, start, n_iter=STEPS_ALONE, tol=self.tol)
        return np.nan_to_num(found.probas, nan=0.0)

    def _matrices(
        self, votes: NDArray[np.float64], trust: NDArray[np.float64], data: Annotations
    ) -> NDArray[np.float64]:
        pooled = np.full((data.n_cohorts, *votes.shape[1:]), self.smoothing)
        np.add.at(pooled, data.cohort, votes + trust)
        self.cohort_confusion_ = rows_to_one(pooled)
        if self.strength is None:
            chosen = [_strength(votes[data.cohort == c], matrix) for c, matrix in enumerate(self.cohort_confusion_)]
            self.strengths_ = np.array(chosen)
        else:
            self.strengths_ = np.full(data.n_cohorts, float(self.strength))
        prior = self.strengths_[:, None, None] * self.cohort_confusion_
        return rows_to_one(votes + trust + prior[data.cohort])


def _strength(votes: NDArray[np.float64], matrix: NDArray[np.float64]) -> float:
    """The s under which the raters' expected votes (n, truth, answer) are likeliest."""
    total = votes.sum(axis=2)
    likelihood = []
    for s in STRENGTHS:
        prior = s * matrix
        rows = float((gammaln(s) - gammaln(s + total)).sum())
        likelihood.append(rows + float((gammaln(prior + votes) - gammaln(prior)).sum()))
    return float(STRENGTHS[int(np.argmax(likelihood))])
