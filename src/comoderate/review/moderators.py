"""Moderators who err: how often they are right, how they tire, several of them on a post, and the pair's metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, expit, logit

from comoderate.metrics.inputs import Array, as_fractions, as_vector, as_weights, like_fractions, ratio
from comoderate.metrics.order import reviewed_share
from comoderate.metrics.pair import Pair
from comoderate.metrics.ranking import auroc_of_scores, average_precision_of_scores
from comoderate.review.doubt import share_read
from comoderate.review.queue import rank


@dataclass(frozen=True)
class Moderators:
    """How a moderator's answer depends on the truth.

    Attributes:
        sensitivity: P(says abusive | abusive), rested.
        specificity: P(says not abusive | not abusive), rested.
        fatigue: how much the log odds of being right fall from the start of a shift to its end.
        shift: posts that one moderator reads in a shift.
        readings: moderators who read each post; the majority decides, half of an even split counting for each side.
    """

    sensitivity: float = 1.0
    specificity: float = 1.0
    fatigue: float = 0.0
    shift: int = 500
    readings: int = 1

    def __post_init__(self) -> None:
        if not (0.0 <= self.sensitivity <= 1.0 and 0.0 <= self.specificity <= 1.0):
            raise ValueError("sensitivity and specificity must lie in [0, 1]")
        if self.fatigue < 0.0 or self.shift < 1 or self.readings < 1:
            raise ValueError("fatigue must not be negative; shift and readings must be at least 1")

    @classmethod
    def from_confusion(cls, counts: ArrayLike, **settings: Any) -> Moderators:
        """Moderators from a table of counts or probabilities (2, 2): rows the truth (not abusive, abusive), columns
        the answer, such as volunteers against experts, or a rater's skills by Dawid and Skene.
        """
        table = np.asarray(counts, dtype=np.float64)
        if table.shape != (2, 2) or np.isnan(table).any() or table.min() < 0.0 or (table.sum(axis=1) <= 0.0).any():
            raise ValueError("a confusion matrix must be two rows of two counts, each with a positive sum")
        shares = table / table.sum(axis=1, keepdims=True)
        return cls(sensitivity=float(shares[1, 1]), specificity=float(shares[0, 0]), **settings)

    def right(self, positive: ArrayLike, place: ArrayLike, *, twice: ArrayLike | None = None) -> Array:
        """P(the decision on a post is right), shape (n,).

        Args:
            positive: (n,) labels.
            place: (n,) how many readings came before it.
            twice: (n,) which posts go to two moderators and, where these differ, to a third: right as often as the
                majority of three. The others have ``readings``.
        """
        truth, before = np.asarray(positive, dtype=bool), np.asarray(place, dtype=np.float64)
        once = np.where(truth, self.sensitivity, self.specificity)
        if self.fatigue > 0.0:
            tired = self.fatigue * (before % self.shift) / self.shift
            sure = (once == 1.0) | (once == 0.0)
            once = np.where(sure, once, expit(logit(np.where(sure, 0.5, once)) - tired))
        usual = majority(once, self.readings)
        return usual if twice is None else np.where(np.asarray(twice, dtype=bool), majority(once, 3), usual)


def majority(once: Array, readings: int) -> Array:
    """P(most of ``readings`` independent answers are right), an even split counting half, shape (n,)."""
    if readings == 1:
        return once
    more = bdtrc(readings // 2, readings, once)
    if readings % 2:
        return np.asarray(more)
    even = bdtrc(readings // 2 - 1, readings, once) - more
    return np.asarray(more + even / 2.0)


class Judged(NamedTuple):
    """Posts after fallible review, each as up to three weighted copies.

    Attributes:
        positive: (m,) labels.
        score: (m,) infinity where judged abusive, minus infinity where judged not, else the probability.
        weight: (m,) weights; the copies of a post add up to its weight.
    """

    positive: Array
    score: Array
    weight: Array


def judged(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: float,
    moderators: Moderators,
    readings: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Judged:
    """Posts after review by moderators who err, in expectation over their answers.

    Args:
        y_true, y_proba, review_score: (n,) as in the metrics of the pair.
        review_fraction: share of the weight that is reviewed; readings a post of the stream where ``readings`` is
            given.
        moderators: who reads; posts are read by falling review score, which is when they tire.
        readings: (n,) 1, or 2 where a post goes to two moderators (and to a third where these differ, which the
            capacity does not count).
        sample_weight: (n,) weights.
    """
    pair = Pair(y_true, y_proba, review_score)
    weight = as_weights(sample_weight, len(pair.proba))
    score = np.asarray(review_score, dtype=np.float64)
    times = np.ones(len(score)) if readings is None else as_vector(readings, "readings", size=len(score))
    if readings is not None:
        review_fraction = float(share_read(score, times, review_fraction=review_fraction, sample_weight=weight)[0])
    share = reviewed_share(score, review_fraction=review_fraction, sample_weight=weight)
    place, order = np.empty(len(score)), rank(score)
    place[order] = np.cumsum(times[order]) - times[order]
    right = moderators.right(pair.positive, place, twice=times > 1.0)
    says_yes = np.where(pair.positive, right, 1.0 - right)
    return Judged(
        np.tile(pair.positive, 3),
        np.concatenate([np.full(len(score), np.inf), np.full(len(score), -np.inf), pair.proba]),
        np.concatenate([weight * share * says_yes, weight * share * (1.0 - says_yes), weight * (1.0 - share)]),
    )


def _over_fractions(of: Callable[[Judged], float]) -> Callable[..., Any]:
    def value(review_fraction: ArrayLike, *arrays: ArrayLike, **options: Any) -> Any:
        fractions = as_fractions(review_fraction)
        values = [of(judged(*arrays, review_fraction=float(at), **options)) for at in fractions]
        return like_fractions(np.array(values), review_fraction)

    return value


def collaborative_accuracy(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    moderators: Moderators,
    threshold: float = 0.5,
    readings: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Expected accuracy of the pair with moderators who err: OC-Acc without the oracle.

    Args:
        y_true, y_proba, review_score, review_fraction, threshold, sample_weight: as in
            :func:`comoderate.metrics.oracle_collaborative_accuracy`, which it equals for moderators who are never
            wrong.
        moderators: who reads.
        readings: as in :func:`judged`.

    Returns:
        A float, or an array (f,) where ``review_fraction`` is one.
    """

    def of(posts: Judged) -> float:
        right = (posts.score > threshold) == posts.positive
        return float(ratio(posts.weight @ right, posts.weight.sum()))

    return _over_fractions(of)(
        review_fraction,
        y_true,
        y_proba,
        review_score,
        moderators=moderators,
        readings=readings,
        sample_weight=sample_weight,
    )


def collaborative_auroc(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    moderators: Moderators,
    readings: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Expected AUROC of the pair with moderators who err, exact for independent answers; as
    :func:`collaborative_accuracy`.

    Posts judged alike are tied, whatever their truth.
    """
    return _over_fractions(lambda posts: float(auroc_of_scores(posts.positive > 0, posts.score)(posts.weight)))(
        review_fraction,
        y_true,
        y_proba,
        review_score,
        moderators=moderators,
        readings=readings,
        sample_weight=sample_weight,
    )


def collaborative_average_precision(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    review_score: ArrayLike,
    *,
    review_fraction: ArrayLike,
    moderators: Moderators,
    readings: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Average precision of the pair with moderators who err, from expected counts; as :func:`collaborative_accuracy`.

    The expectation of a ratio is taken as the ratio of expectations, which differs in small sets.
    """

    def of(posts: Judged) -> float:
        return float(average_precision_of_scores(posts.positive > 0, posts.score)(posts.weight))

    return _over_fractions(of)(
        review_fraction,
        y_true,
        y_proba,
        review_score,
        moderators=moderators,
        readings=readings,
        sample_weight=sample_weight,
    )


def simulate_answers(
    y_true: ArrayLike,
    order: ArrayLike,
    *,
    capacity: int,
    moderators: Moderators,
    random_state: int | np.random.Generator | None = None,
) -> Array:
    """One draw of what moderators decide: 1.0 or 0.0 for the posts they read, NaN for the others, shape (n,).

    Args:
        y_true: (n,) labels in {0, 1}.
        order: (n,) indices in order of review.
        capacity: number of posts read.
        moderators: who reads.
        random_state: a seed or generator.
    """
    truth = np.asarray(y_true, dtype=np.float64)
    read = np.asarray(order, dtype=np.int64)[:capacity]
    right = moderators.right(truth[read] == 1.0, np.arange(len(read)))
    wrong = np.random.default_rng(random_state).random(len(read)) >= right
    out = np.full(len(truth), np.nan)
    out[read] = np.where(wrong, 1.0 - truth[read], truth[read])
    return out
