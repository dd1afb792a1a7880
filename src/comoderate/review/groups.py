"""Who is read and who is left with the mistakes: load and residual error by group, and a strategy that evens it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Codes, as_probabilities, as_weights, ratio
from comoderate.metrics.order import Boundary, capacity
from comoderate.metrics.pair import Pair
from comoderate.metrics.prepared import Weighted, prepared_by
from comoderate.review.extras import error_probability, weight_of


class GroupReview(NamedTuple):
    """One value a group, in the sorted order of groups, arrays of shape (g,).

    Attributes:
        share: of the weight of all posts.
        load: share of the group's posts that is read.
        load_share: of all readings, those spent on the group.
        error_before: share of the group's posts that the classifier decides wrongly.
        error_after: share that is still wrong after review by an oracle.
        false_positive_after, false_negative_after: wrong after review among the group's negatives, and positives.
    """

    share: Array
    load: Array
    load_share: Array
    error_before: Array
    error_after: Array
    false_positive_after: Array
    false_negative_after: Array


def _codes(group: ArrayLike, size: int) -> tuple[Codes, int]:
    names = np.asarray(group)
    if names.shape != (size,):
        raise ValueError(f"group has shape {names.shape} where ({size},) is needed")
    levels, code = np.unique(names, return_inverse=True)
    return code, len(levels)


def _group_review(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    group: ArrayLike,
    *,
    review_fraction: float,
    threshold: float = 0.5,
) -> Weighted:
    pair = Pair(y_true, y_proba, review_score, threshold=threshold)
    code, size = _codes(group, len(pair.proba))

    def value(weight: Array) -> GroupReview:
        edge = Boundary(pair.order.totals(weight), capacity(weight, np.array([float(review_fraction)])))
        left: Array = edge.left(pair.order.code, 0)
        ones: Array = np.ones(len(code))

        def total(part: Array) -> Array:
            return np.asarray(np.bincount(code, weights=weight * part, minlength=size), dtype=np.float64)

        all_, read, positive = total(ones), total(ones - left), total(pair.positive * ones)
        wrong_left = pair.wrong * left
        return GroupReview(
            ratio(all_, all_.sum()),
            ratio(read, all_),
            ratio(read, read.sum()),
            ratio(total(pair.wrong * ones), all_),
            ratio(total(wrong_left), all_),
            ratio(total(wrong_left * ~pair.positive), all_ - positive),
            ratio(total(wrong_left * pair.positive), positive),
        )

    return value


@prepared_by(_group_review, undefined="needs posts of the group, and of the class for a rate of that class")
def group_review(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    group: ArrayLike,
    *,
    review_fraction: float,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
) -> GroupReview:
    """Review load and residual error of each group when one queue serves all.

    Args:
        y_true: (n,) labels in {0, 1}.
        y_proba: (n,) probabilities in [0, 1].
        review_score: (n,) larger is read first.
        group: (n,) any values that can be sorted; results are in that order, as ``numpy.unique`` gives it.
        review_fraction: share of the weight of all posts that is read.
        threshold: a post is predicted positive where p > threshold.
        sample_weight: (n,) weights.
    """
    prepared = _group_review(y_true, y_proba, review_score, group, review_fraction=review_fraction, threshold=threshold)
    values: GroupReview = prepared(as_weights(sample_weight, np.size(y_true)))
    return values


@dataclass(frozen=True)
class EvenErrors:
    """Reads next where the group with the largest expected residual error has its likeliest error.

    A group's residual error is the mean of P(wrong) over its posts, unread ones only counting. Each post's score is the
    residual of its group just before it would be read, so that one sort gives the greedy order.

    Extras: ``group`` (n,), ``calibrated`` (n,), ``threshold``, ``sample_weight`` (n,).
    """

    name: str = "even_errors"
    needs: ClassVar[tuple[str, ...]] = ("group",)

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Expected residual error of the post's group before it is read, shape (n,)."""
        p = as_probabilities(y_proba)
        if extras.get("group") is None:
            raise ValueError(f"strategy {self.name!r} needs group, one value a post")
        code, size = _codes(extras["group"], len(p))
        error, weight = error_probability(p, extras), weight_of(p, extras)
        order = np.lexsort((-error, code))
        lost = (weight * error)[order]
        starts = np.searchsorted(code[order], np.arange(size))
        running = np.cumsum(lost) - lost
        before = running - running[starts][code[order]] if len(p) else running
        mass, mistakes = (np.bincount(code, weights=part, minlength=size) for part in (weight, weight * error))
        out = np.empty(len(p))
        out[order] = np.nan_to_num(ratio(mistakes[code[order]] - before, mass[code[order]]))
        return out

    def explain(self) -> str:
        """Why a post is read."""
        return "the classifier's mistakes fall on posts of this kind"
