"""From review scores to a queue, with a slice of it kept random so that something unbiased can be measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Codes, Mask, as_vector


def rank(review_score: ArrayLike, *, tie_breaker: ArrayLike | None = None) -> Codes:
    """Indices of the posts in order of review: the largest score first.

    Args:
        review_score: (n,) real numbers.
        tie_breaker: (n,) numbers by which tied posts are ordered, smallest first (a stored uniform number makes the
            order random and repeatable); none keeps the given order.

    Returns:
        (n,) int64 indices.
    """
    score = as_vector(review_score, "review_score")
    if tie_breaker is None:
        return np.argsort(-score, kind="stable")
    return np.lexsort((as_vector(tie_breaker, "tie_breaker", size=len(score)), -score))


class Queue(NamedTuple):
    """Posts in the order in which moderators read them.

    Attributes:
        post: (c,) indices of the posts.
        is_audit: (c,) whether the post was drawn at random from the whole stream.
        pi: (c,) inclusion probability of audit posts; NaN for the others, which are no sample.
        readings: (c,) how many moderators read each post.
    """

    post: Codes
    is_audit: Mask
    pi: Array
    readings: Codes


def within(wanted: Codes, capacity: int) -> Codes:
    """Readings that posts in order get of a ``capacity``: what each wants while it lasts, then what is left, then 0."""
    return np.asarray(np.clip(capacity - (np.cumsum(wanted) - wanted), 0, wanted), dtype=np.int64)


def with_audit(
    order: ArrayLike, u: ArrayLike, *, capacity: int, audit_share: float = 0.05, readings: ArrayLike | None = None
) -> Queue:
    """A queue for ``capacity`` readings, a share of it random posts of the whole stream.

    The audit takes the posts with the smallest ``u``, ⌈audit_share · capacity⌉ of them, whether or not they are also
    at the top of the order; so each post of the stream has pi = m / n. They are spread evenly through the queue by
    rising ``u``: where reading stops early, the first j audit posts are a random sample of size j. How many they are
    does not depend on how often they are read, so that ``pi`` stays exact: each has one reading for certain, and more
    while the capacity lasts.

    Args:
        order: (n,) indices in order of review, as :func:`rank` gives.
        u: (n,) uniform numbers in [0, 1) of a purpose of their own, by post (not by rank).
        capacity: number of readings; of posts, where each is read once.
        audit_share: share of the capacity in [0, 1] that is random.
        readings: (n,) how many moderators should read each post, at least 1; 1 each where not given.

    Raises:
        ValueError: where ``order`` is no permutation, ``capacity`` negative, ``audit_share`` outside [0, 1] or a number
            of readings below 1.
    """
    ranked = np.asarray(order, dtype=np.int64)
    uniform = as_vector(u, "u", size=len(ranked))
    if not np.array_equal(np.sort(ranked), np.arange(len(ranked))):
        raise ValueError("order must hold every index from 0 to n - 1 once")
    if capacity < 0 or not 0.0 <= audit_share <= 1.0:
        raise ValueError("capacity must not be negative and audit_share must lie in [0, 1]")
    wanted = np.ones(len(ranked), dtype=np.int64) if readings is None else np.asarray(readings, dtype=np.int64)
    if wanted.shape != ranked.shape or wanted.min(initial=1) < 1:
        raise ValueError("readings must hold a number of at least 1 for each post")
    drawn = min(int(np.ceil(audit_share * min(int(capacity), len(ranked)) - 1e-9)), len(ranked))
    audit = np.argsort(uniform, kind="stable")[:drawn]
    chosen = np.zeros(len(ranked), dtype=bool)
    chosen[audit] = True
    random = 1 + within(wanted[audit] - 1, capacity - drawn)
    others = ranked[~chosen[ranked]]
    given = within(wanted[others], capacity - int(random.sum()))
    read = others[given > 0]
    size = drawn + len(read)
    is_audit = np.zeros(size, dtype=bool)
    is_audit[(np.arange(drawn) * size) // max(drawn, 1)] = True
    index, times = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    index[is_audit], index[~is_audit] = audit, read
    times[is_audit], times[~is_audit] = random, given[given > 0]
    return Queue(index, is_audit, np.where(is_audit, drawn / max(len(ranked), 1), np.nan), times)
