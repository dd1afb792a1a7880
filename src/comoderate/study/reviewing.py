"""What review buys, by strategy and review fraction; and the queue itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate import metrics, review
from comoderate.study.evaluating import Evaluation
from comoderate.study.experiment import interleave

Floats = NDArray[np.float64]
STRATEGIES = ("toxicity", "uncertainty")
AUDIT_REASON = "drawn at random, to measure the whole stream"


def review_curves(
    evaluation: Evaluation,
    proba: Floats,
    *,
    fractions: Iterable[float],
    threshold: float,
    scores: Mapping[str, Floats] | None = None,
    readings: Floats | None = None,
) -> Iterator[dict[str, Any]]:
    """Rows strategy, review_fraction, posts_read, metric, the fields of an Estimate, band_low, band_high.

    An interval holds at its review fraction alone; the band holds at all of them at once (Kivlichan et al. 2021 have
    neither).

    Args:
        evaluation: labelled posts with their weights; a review fraction is a share of weight, so of the real stream.
        proba: (n,) probabilities of its posts.
        fractions: readings a post of the stream; ``posts_read`` is the share of posts that they are enough for.
        threshold: a post above it counts as predicted positive.
        scores: (n,) review scores by strategy; by default those of the paper's two.
        readings: (n,) how often each post is read; once where not given, so that both shares are one.
    """
    shares = np.asarray(list(fractions))
    if scores is None:
        known = review.strategies()
        scores = {name: known[name].score(proba) for name in STRATEGIES}
    for name, score in scores.items():
        read = shares
        if readings is not None:
            read = review.share_read(score, readings, review_fraction=shares, sample_weight=evaluation.weight)
        curves = metrics.estimate_curves(
            evaluation.y, proba, score, review_fraction=read, threshold=threshold, sample_weight=evaluation.weight,
            replicates=evaluation.replicates, level=evaluation.level,
        )  # fmt: skip
        for metric, found in curves.intervals.items():
            for fraction, part, one, band in zip(shares, read, found, curves.bands[metric], strict=True):
                ends = {"band_low": band.low, "band_high": band.high}
                place = {"review_fraction": float(fraction), "posts_read": float(part)}
                yield {"strategy": name, **place, "metric": metric, **one.as_dict(), **ends}


def build_queue(
    scores: pd.DataFrame,
    u: Floats,
    *,
    strategy: str | review.Strategy,
    capacity: int,
    audit_share: float,
    target: str,
    extras: Mapping[str, Any] | None = None,
    readings: Floats | None = None,
) -> pd.DataFrame:
    """The posts to review, in order: rank, post_id, target, proba, review_score, reason, pi, source, readings.

    Args:
        scores: post_id, proba of the whole stream.
        u: (n,) uniform numbers of the audit's own purpose.
        strategy: what orders the queue, itself or its name.
        capacity: how many readings moderators have time for.
        audit_share: share of the capacity for random posts of the whole stream; their ``pi`` is known, the others'
            is NaN, for a queue is no sample.
        target: the target's name.
        extras: what the strategy needs besides the probabilities, by name.
        readings: (n,) how many moderators read each post; one each where not given.
    """
    chosen = review.strategies()[strategy] if isinstance(strategy, str) else strategy
    proba = scores["proba"].to_numpy(dtype=np.float64)
    score = np.asarray(chosen.score(proba, **(extras or {})), dtype=np.float64)
    order = review.rank(score, tie_breaker=u)
    queue = review.with_audit(order, u, capacity=capacity, audit_share=audit_share, readings=readings)
    reason = np.full(len(scores), chosen.explain(), dtype=object)
    return _queue_frame(scores, queue, score, reason, target)


def build_experiment(
    scores: pd.DataFrame,
    u: Floats,
    coin: Floats,
    *,
    strategies: tuple[review.Strategy, review.Strategy],
    extras: Mapping[str, Any],
    share: float,
    capacity: int,
    audit_share: float,
    target: str,
) -> pd.DataFrame:
    """A queue in which two strategies are compared; see :mod:`comoderate.study.experiment`.

    Args:
        scores, u, capacity, audit_share, target, extras: as :func:`build_queue`. The audit is drawn first, from the
            whole stream; the strategies' lists are made of the rest.
        coin: (n,) uniform numbers of a purpose of their own.
        strategies: the two.
        share: chance with which the first one's post of a pair is read.

    Returns:
        The columns of a queue, and arm (``first``, ``second``, ``both``; None for the audit), rank_first, rank_second,
        chance. ``review_score`` is that of the strategy that wants the post, of the first where both do.
    """
    proba = scores["proba"].to_numpy(dtype=np.float64)
    values = [np.asarray(one.score(proba, **extras), dtype=np.float64) for one in strategies]
    size = min(capacity, len(scores))
    everyone = np.arange(len(scores))
    drawn = review.with_audit(everyone, u, capacity=size, audit_share=audit_share)
    audit = np.isin(everyone, drawn.post[drawn.is_audit])
    rest = np.flatnonzero(~audit)
    found = interleave(
        values[0][rest], values[1][rest], capacity=size - int(audit.sum()), share=share, tie_breaker=u[rest],
        coin=coin[rest],
    )  # fmt: skip
    wanted = rest[found.post]
    order = np.concatenate([wanted, np.setdiff1d(everyone, wanted)])
    queue = review.with_audit(order, u, capacity=size, audit_share=audit_share)
    second = np.isin(everyone, wanted[found.arm == "second"])
    reason = np.where(second, strategies[1].explain(), strategies[0].explain()).astype(object)
    frame = _queue_frame(scores, queue, np.where(second, values[1], values[0]), reason, target)
    own = pd.DataFrame(
        {"arm": found.arm, "rank_first": found.rank_first, "rank_second": found.rank_second, "chance": found.chance},
        index=scores["post_id"].to_numpy()[wanted],
    )
    return frame.join(own, on="post_id")


def _queue_frame(scores: pd.DataFrame, queue: review.Queue, score: Floats, reason: Any, target: str) -> pd.DataFrame:
    at = queue.post
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(at) + 1),
            "post_id": scores["post_id"].to_numpy()[at],
            "target": target,
            "proba": scores["proba"].to_numpy(dtype=np.float64)[at],
            "review_score": score[at],
            "reason": np.where(queue.is_audit, AUDIT_REASON, reason[at]),
            "pi": queue.pi,
            "source": np.where(queue.is_audit, "audit", "queue"),
            "readings": queue.readings,
        }
    )
