"""What reviewed posts can tell of the stream: the audit slice, which is a sample, and the queue, which is not."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics import Estimate, effective_size, wilson
from comoderate.metrics.inputs import Array, as_labels, as_vector

NO_SAMPLE = "posts of a queue were chosen by their scores: their share says nothing of the stream"


class Apart(NamedTuple):
    """The share of positive posts in the audit slice, an estimate for the stream, and in the queue, which is none."""

    audit: Estimate
    queue: Estimate


def shares_apart(y_true: ArrayLike, is_audit: ArrayLike, pi: ArrayLike, *, level: float = 0.95) -> Apart:
    """Share of positives among reviewed posts, from the audit slice and from the queue, never mixed.

    The audit is weighted by 1 / pi, so that days with different audits may be put together; its interval is Wilson's
    at the effective sample size.

    Args:
        y_true: (n,) labels in {0, 1} of reviewed posts.
        is_audit: (n,) whether the post was drawn at random from the whole stream.
        pi: (n,) inclusion probability of audit posts; not looked at for the others.
        level: nominal coverage.

    Returns:
        Two estimates; that of the queue has no interval and a reason that says why.
    """
    y = as_labels(y_true)
    audit = np.asarray(is_audit, dtype=bool)
    if audit.shape != y.shape or np.shape(pi) != y.shape:
        raise ValueError(f"y_true, is_audit and pi differ in shape: {y.shape}, {audit.shape}, {np.shape(pi)}")
    chance = as_vector(np.asarray(pi, dtype=np.float64)[audit], "pi of audit posts")
    if len(chance) and not (chance.min() > 0.0 and chance.max() <= 1.0):
        raise ValueError("pi of audit posts must lie in (0, 1]")
    queue = y[~audit]
    method = "share of the queue"
    if len(queue):
        queued = Estimate(float(queue.mean()), level=level, method=method, n=len(queue), reason=NO_SAMPLE)
    else:
        queued = Estimate.undefined("no post was reviewed by its score", level=level, method=method)
    return Apart(_weighted_share(y[audit].astype(np.float64), 1.0 / chance, level), queued)


def _weighted_share(y: Array, weight: Array, level: float) -> Estimate:
    method = "audit slice, weighted, Wilson interval"
    if not len(y):
        return Estimate.undefined("no audit post was reviewed", level=level, method=method)
    share, size = float(np.average(y, weights=weight)), effective_size(weight)
    low, high = wilson(share, size, level)
    return Estimate(share, math.sqrt(share * (1 - share) / size), low, high, level, method, len(y), size)
