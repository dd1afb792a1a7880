"""The majority as an aggregator."""

from __future__ import annotations

import numpy as np

from comoderate.agreement.aggregator import Aggregator, known
from comoderate.agreement.annotations import Annotations
from comoderate.agreement.vote import TIES, Ties, majority_vote, soft_labels


class Majority(Aggregator):
    """The category with most votes; ``probas_`` are the shares of votes, ``skills_`` how often a rater is with it.

    Args:
        ties: what to do with a tie; see :func:`majority_vote`.
        positive: codes of positive categories, for the ties ``positive`` and ``negative``.
        experts: codes of the cohorts that settle ties, for ``ties="expert"``.
    """

    def __init__(
        self, *, ties: Ties = "abstain", positive: tuple[int, ...] | None = None, experts: tuple[int, ...] = ()
    ) -> None:
        self.ties, self.positive, self.experts = ties, positive, experts

    def _fit(self, data: Annotations) -> None:
        if self.ties not in TIES:
            raise ValueError(f"ties must be one of {', '.join(TIES)}; got {self.ties!r}")
        if self.ties == "expert" and not self.experts:
            raise ValueError("ties='expert' needs the codes of the experts' cohorts")
        counts = data.counts()
        experts = data.counts_of(self.experts) if self.ties == "expert" else None
        label = majority_vote(counts, ties=self.ties, positive=self.positive, expert_counts=experts)
        self.labels_ = np.where(data.truth >= 0, data.truth, label)
        self.probas_ = known(soft_labels(counts), data.truth)
        rated = ~np.isnan(self.probas_).any(axis=1) & (data.weight > 0)
        total = data.weight[rated].sum()
        shares = data.weight[rated] @ self.probas_[rated]
        self.prior_ = shares / total if total > 0 else np.full(data.n_categories, np.nan)
        self.skills_ = _share_right(data, self.labels_)


def _share_right(
    data: Annotations, label: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """(n_raters,) weighted share of a rater's answers that are the label, among items with a label."""
    weight = np.where(label[data.item] >= 0, data.weight[data.item], 0.0)
    right = np.bincount(data.rater, weights=weight * (data.answer == label[data.item]), minlength=data.n_raters)
    total = np.bincount(data.rater, weights=weight, minlength=data.n_raters)
    share = np.full(data.n_raters, np.nan)
    np.divide(right, total, out=share, where=total > 0)
    return share
