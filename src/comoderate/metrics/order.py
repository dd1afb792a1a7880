"""Sorted once, weighted often: ranks of positives among negatives, and the order of review with its ties."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comoderate.metrics.inputs import Array, Codes, Mask, as_weights, ratio


class ClassWeights(NamedTuple):
    """Weights of positives and negatives by falling score, and their running sums with a leading zero."""

    positive: Array
    negative: Array
    hits: Array
    false: Array


class ClassRanks:
    """Where each positive stands among the negatives and among the positives, from the highest score down.

    Attributes:
        positives, negatives: indices of the posts of each class, by falling score.
        above, reach: for each positive, how many negatives score strictly higher, and at least as high.
        first, last: for each positive, the range in ``positives`` of those tied with it (``last`` exclusive).
    """

    def __init__(self, positive: Mask, score: Array) -> None:
        self.positives, high = _descending(np.flatnonzero(positive), score)
        self.negatives, low = _descending(np.flatnonzero(~positive), score)
        self.above = np.searchsorted(low, high, side="left")
        self.reach = np.searchsorted(low, high, side="right")
        self.first = np.searchsorted(high, high, side="left")
        self.last = np.searchsorted(high, high, side="right")

    def weigh(self, positive: Array, negative: Array) -> ClassWeights:
        """Weights in the order of ``positives`` and ``negatives``, with their running sums."""
        return ClassWeights(positive, negative, running_sum(positive), running_sum(negative))


def running_sum(values: NDArray[Any]) -> Array:
    """Cumulative sums with a leading zero."""
    out = np.empty(len(values) + 1)
    out[0] = 0.0
    np.cumsum(values, out=out[1:])
    return out


def _descending(index: Codes, score: Array) -> tuple[Codes, Array]:
    """``index`` by falling score, and the negated scores, which then rise."""
    negated = -score[index]
    order = np.argsort(negated)
    return index[order], negated[order]


class ReviewOrder:
    """Review scores as dense codes: code 0 is reviewed first, tied posts share a code.

    Attributes:
        code: (n,) int64 code of each post.
        size: number of distinct review scores.
    """

    def __init__(self, review_score: Array) -> None:
        order = np.argsort(-review_score)
        ranked = review_score[order]
        fresh = np.empty(len(ranked), dtype=np.int64)
        fresh[:1] = 0
        np.not_equal(ranked[1:], ranked[:-1], out=fresh[1:], casting="unsafe")
        np.cumsum(fresh, out=fresh)
        self.code: Codes = np.empty_like(fresh)
        self.code[order] = fresh
        self.size = int(fresh[-1]) + 1 if len(fresh) else 0

    def totals(self, weight: Array) -> Array:
        """Cumulative weight by code, with a leading zero: shape (size + 1,)."""
        return running_sum(np.bincount(self.code, weights=weight, minlength=self.size))

    def totals_of(self, chosen: Mask | Codes, weight: Array) -> Array:
        """As :meth:`totals`, over the chosen posts alone."""
        return running_sum(np.bincount(self.code[chosen], weights=weight[chosen], minlength=self.size))


class Boundary:
    """Where the queue ends for each review fraction: all codes below ``code`` and a ``share`` of ``code`` itself.

    Attributes:
        capacity: (f,) weight that is reviewed.
        code: (f,) code of the posts at the boundary.
        share: (f,) share of them that is reviewed, in [0, 1].
    """

    def __init__(self, totals: Array, capacity: Array) -> None:
        capacity = np.where(capacity >= totals[-1] * (1.0 - 1e-12), totals[-1], capacity)
        self.capacity: Array = capacity
        self.code = np.clip(np.searchsorted(totals, capacity, side="left") - 1, 0, max(len(totals) - 2, 0))
        inside = capacity - totals[self.code]
        width = totals[np.minimum(self.code + 1, len(totals) - 1)] - totals[self.code]
        self.share: Array = np.clip(np.nan_to_num(ratio(inside, width), nan=0.0), 0.0, 1.0)

    def left(self, code: Codes, at: int) -> Array:
        """Share of each post that stays unreviewed at the fraction numbered ``at``, for posts of these codes."""
        remaining: Array = (code > self.code[at]).astype(np.float64)
        remaining[code == self.code[at]] = 1.0 - self.share[at]
        return remaining

    def within(self, totals: Array) -> Array:
        """The reviewed part of cumulative ``totals`` by code (of errors, of positives, …) at each fraction."""
        start = totals[self.code]
        stop = totals[np.minimum(self.code + 1, len(totals) - 1)]
        reviewed: Array = np.where(self.share < 1.0, start + self.share * (stop - start), stop)
        return reviewed


def capacity(weight: Array, review_fraction: Array) -> Array:
    """The weight that moderators can read: ⌊α·Σw + 1e-9⌋ where all weights are whole, else α·Σw."""
    wanted = review_fraction * weight.sum()
    if np.all(weight == np.floor(weight)):
        return np.asarray(np.floor(wanted + 1e-9))
    return np.asarray(wanted)


def reviewed_share(review_score: Array, *, review_fraction: float, sample_weight: Array | None = None) -> Array:
    """Share of each post that is reviewed: 1 above the boundary, 0 below, the split of the tied ones on it.

    Args:
        review_score: (n,) larger is reviewed first.
        review_fraction: share of the weight that moderators can read.
        sample_weight: (n,) weights; none is 1 each.

    Source: the tie rule is the expectation over random order of tied posts.
    """
    order = ReviewOrder(np.asarray(review_score, dtype=np.float64))
    weight = as_weights(sample_weight, len(order.code))
    edge = Boundary(order.totals(weight), capacity(weight, np.array([review_fraction])))
    return np.asarray(1.0 - edge.left(order.code, 0))
