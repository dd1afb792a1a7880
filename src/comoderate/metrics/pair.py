"""A classifier and a review score on labelled posts, sorted once and evaluated for any weights.

Source: Kivlichan, Lin, Liu and Vasserman (2021), Measuring and improving model-moderator collaboration using
uncertainty estimation, section 4, in the exact limit: reviewed posts get their true label. Posts tied at the end of
the queue are split.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.decisions import Confusion
from comoderate.metrics.inputs import Array, as_labels, as_probabilities, as_threshold, as_vector
from comoderate.metrics.order import Boundary, ClassRanks, ReviewOrder, capacity
from comoderate.metrics.ranking import roc_area


class ReviewCounts(NamedTuple):
    """Weights behind the metrics at each review fraction: arrays of shape (f,), or floats for one fraction.

    The four cells of a review at a fraction: wrong and right decisions of the classifier, reviewed and left.
    """

    wrong_reviewed: Array
    right_reviewed: Array
    wrong_left: Array
    right_left: Array


class Areas(NamedTuple):
    """Areas under the ROC and the precision–recall curve, arrays of shape (f,)."""

    roc: Array
    precision: Array


class Reviewed(NamedTuple):
    """Weights (n,), their cumulative sums by review code, and the ends of the queue."""

    weight: Array
    totals: Array
    edge: Boundary


class Pair:
    """A classifier and a review score on labelled posts, checked and sorted once, evaluated for any weights.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        review_score: (n,) real numbers, larger is reviewed first.
        threshold: a post is predicted positive where p > threshold.
    """

    def __init__(
        self, y_true: ArrayLike, y_proba: ArrayLike, review_score: ArrayLike, *, threshold: float = 0.5
    ) -> None:
        self.positive = as_labels(y_true)
        self.proba = as_probabilities(y_proba, size=len(self.positive))
        self.order = ReviewOrder(as_vector(review_score, "review_score", size=len(self.positive)))
        self.predicted = self.proba > as_threshold(threshold)
        self.wrong = self.predicted != self.positive

    def rank(self) -> Pair:
        """Sort the classes by probability as well, which the areas need."""
        self.ranks = ClassRanks(self.positive, self.proba)
        self.positive_code = self.order.code[self.ranks.positives]
        self.negative_code = self.order.code[self.ranks.negatives]
        return self

    def weigh(self, weight: Array, fractions: Array) -> Reviewed:
        """The ends of the queue at each fraction for these weights (n,)."""
        totals = self.order.totals(weight)
        return Reviewed(weight, totals, Boundary(totals, capacity(weight, fractions)))

    def counts(self, at: Reviewed) -> ReviewCounts:
        """The four cells at each fraction."""
        errors = self.order.totals_of(self.wrong, at.weight)
        wrong, read = at.edge.within(errors), at.edge.within(at.totals)
        left = errors[-1] - wrong
        return ReviewCounts(wrong, np.maximum(read - wrong, 0.0), left, np.maximum(at.totals[-1] - read - left, 0.0))

    def areas(self, at: Reviewed, *, roc: bool, precision: Callable[..., float] | None) -> Areas:
        """OC-AUROC and OC-AUPRC at each fraction; NaN for those not asked for."""
        positive, negative = at.weight[self.ranks.positives], at.weight[self.ranks.negatives]
        yes, no = positive.sum(), negative.sum()
        out = Areas(np.full(len(at.edge.code), np.nan), np.full(len(at.edge.code), np.nan))
        for i in range(len(out.roc)):
            p = positive * at.edge.left(self.positive_code, i)
            n = negative * at.edge.left(self.negative_code, i)
            left = self.ranks.weigh(p, n)
            if roc and yes > 0 and no > 0:
                disordered = left.hits[-1] * left.false[-1] - roc_area(self.ranks, left)
                out.roc[i] = 1.0 - disordered / (yes * no)
            if precision is not None and yes > 0:
                out.precision[i] = precision(self.ranks, left, head=max(yes - left.hits[-1], 0.0)) / yes
        return out

    def confusion(self, at: Reviewed) -> list[Confusion]:
        """The confusion of the pair at each fraction: reviewed posts count as decided rightly."""
        kinds = (self.positive & self.predicted, ~self.positive & self.predicted, self.positive & ~self.predicted)
        hit, false, miss = (self.order.totals_of(kind, at.weight) for kind in kinds)
        caught, cleared = at.edge.within(miss), at.edge.within(false)
        total = at.totals[-1]
        tp, fp, fn = hit[-1] + caught, false[-1] - cleared, miss[-1] - caught
        return [
            Confusion(*cells) for cells in zip(tp.tolist(), fp.tolist(), fn.tolist(), (total - tp - fp - fn).tolist())
        ]
