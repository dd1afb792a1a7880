"""What review buys, by strategy and review fraction; and the queue itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate import metrics, review
from comoderate.study.evaluating import Evaluation

Floats = NDArray[np.float64]
STRATEGIES = ("toxicity", "uncertainty")


def review_curves(
    evaluation: Evaluation,
    proba: Floats,
    *,
    fractions: Iterable[float],
    threshold: float,
    scores: Mapping[str, Floats] | None = None,
) -> Iterator[dict[str, Any]]:
    """Rows strategy, review_fraction, metric, the fields of an Estimate (Kivlichan et al. 2021).

    Args:
        evaluation: labelled posts with their weights; a review fraction is a share of weight, so of the real stream.
        proba: (n,) probabilities of its posts.
        fractions: shares of the stream that moderators can read.
        threshold: a post above it counts as predicted positive.
        scores: (n,) review scores by strategy; by default those of the paper's two.
    """
    shares = np.asarray(list(fractions))
    if scores is None:
        known = review.strategies()
        scores = {name: known[name].score(proba) for name in STRATEGIES}
    for name, score in scores.items():
        found = evaluation.estimate(
            metrics.collaboration_curves, evaluation.y, proba, score, review_fraction=shares, threshold=threshold
        )
        rows = product(metrics.CollaborationCurves._fields, shares.tolist())
        for (metric, fraction), estimate in zip(rows, found, strict=True):
            yield {"strategy": name, "review_fraction": fraction, "metric": metric, **estimate.as_dict()}


def build_queue(
    scores: pd.DataFrame,
    u: Floats,
    *,
    strategy: str | review.Strategy,
    capacity: int,
    audit_share: float,
    target: str,
    extras: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """The posts to review, in order: rank, post_id, target, proba, review_score, reason, pi, source.

    Args:
        scores: post_id, proba of the whole stream.
        u: (n,) uniform numbers of the audit's own purpose.
        strategy: what orders the queue, itself or its name.
        capacity: how many posts moderators can read.
        audit_share: share of the capacity for random posts of the whole stream; their ``pi`` is known, the others'
            is NaN, for a queue is no sample.
        target: the target's name.
        extras: what the strategy needs besides the probabilities, by name.
    """
    chosen = review.strategies()[strategy] if isinstance(strategy, str) else strategy
    proba = scores["proba"].to_numpy(dtype=np.float64)
    score = chosen.score(proba, **(extras or {}))
    queue = review.with_audit(
        review.rank(score, tie_breaker=u), u, capacity=min(capacity, len(scores)), audit_share=audit_share
    )
    at = queue[0]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(at) + 1),
            "post_id": scores["post_id"].to_numpy()[at],
            "target": target,
            "proba": proba[at],
            "review_score": score[at],
            "reason": np.where(queue.is_audit, "drawn at random, to measure the whole stream", chosen.explain()),
            "pi": queue.pi,
            "source": np.where(queue.is_audit, "audit", "queue"),
        }
    )
