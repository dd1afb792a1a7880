"""Strategies that choose a set: what a post is worth depends on which others are read.

Both take the best posts in batches and weigh the rest again. Nothing but calibrated probabilities q is needed; pairs
and precisions are taken in expectation, with labels independent given the scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comoderate.metrics.inputs import Array, Mask, as_probabilities, ratio
from comoderate.review.extras import calibrated_of, weight_of

Gain = Callable[[Array, Array], Array]


class Ladder:
    """Posts by falling probability, with sums over those above and below each, ties at one place.

    Args:
        score: (n,) probabilities that order the posts.
    """

    def __init__(self, score: Array) -> None:
        self.order = np.argsort(-score, kind="stable")
        ranked = score[self.order]
        self.starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]])) if len(ranked) else self.order
        step = np.zeros(len(ranked), dtype=np.int64)
        step[self.starts] = 1
        self.place = np.empty_like(step)
        self.place[self.order] = np.cumsum(step) - 1

    def by_place(self, values: Array) -> Array:
        """Sums of ``values`` (n,) at each distinct probability, from the highest down."""
        return np.asarray(np.bincount(self.place, weights=values, minlength=len(self.starts)), dtype=np.float64)


def greedy_order(gain: Gain, weight: Array, *, batches: int, finest: float) -> Array:
    """Review scores (n,) of a set built greedily: the best batch first, then the best of the rest weighed again.

    Batches grow geometrically from a share ``finest`` of the weight, so that small capacities are resolved as well as
    large ones. The sets are nested: the order serves every capacity. Posts of equal gain stay tied.

    Args:
        gain: the worth of each post given which are left (a float mask) and the weights.
        weight: (n,) weights.
        batches: how many times the posts are weighed.
        finest: share of the weight in the first batch.
    """
    left: Mask = np.ones(len(weight), dtype=bool)
    out = np.zeros(len(weight))
    ends = np.geomspace(finest, 1.0, batches) * weight.sum()
    taken = 0.0
    for level, end in enumerate(ends):
        if end <= taken and level < batches - 1:
            continue
        index = np.flatnonzero(left)
        worth = gain(left.astype(np.float64), weight)[index]
        chosen = _best(worth, weight[index], end - taken) if level < batches - 1 else np.ones(len(index), dtype=bool)
        picked = index[chosen]
        low, high = worth.min(initial=0.0), worth.max(initial=0.0)
        out[picked] = -level + np.nan_to_num(ratio(worth[chosen] - low, 2.0 * (high - low)))
        left[picked] = False
        taken += float(weight[picked].sum())
        if not left.any():
            break
    return out


def _best(worth: Array, weight: Array, room: float) -> Mask:
    """The posts of largest worth that weigh ``room`` or just more, with all those tied with the last."""
    if (weight == weight[0]).all():
        count = int(np.clip(np.ceil(room / weight[0] - 1e-9) if weight[0] > 0 else 1, 1, len(worth)))
        return np.asarray(worth >= np.partition(worth, len(worth) - count)[len(worth) - count])
    order = np.argsort(-worth)
    last = min(int(np.searchsorted(np.cumsum(weight[order]), room)), len(order) - 1)
    return np.asarray(worth >= worth[order[last]])


def auroc_gain(ladder: Ladder, q: Array, left: Array, weight: Array) -> Array:
    """Expected weight of misordered pairs that reading each post puts right, shape (n,).

    q Σ_{above} (1 − q_j) + (1 − q) Σ_{below} q_j over the posts that are ``left``, ties counting half.
    """
    negative, positive = ladder.by_place(weight * left * (1.0 - q)), ladder.by_place(weight * left * q)
    above = np.cumsum(negative) - negative / 2.0
    below = positive.sum() - np.cumsum(positive) + positive / 2.0
    return np.asarray(q * above[ladder.place] + (1.0 - q) * below[ladder.place])


def average_precision_gain(ladder: Ladder, q: Array, left: Array, weight: Array) -> Array:
    """Expected growth of Σ over positives of their precision when each post is read, shape (n,).

    See :class:`ExpectedAveragePrecisionGain`; one mean weight stands for the post itself.
    """
    mass, unit = weight * left, float(weight.mean())
    positive, negative = ladder.by_place(mass * q), ladder.by_place(mass * (1.0 - q))
    read = float((weight * (1.0 - left)) @ q)
    hits = (read + np.cumsum(positive))[ladder.place] + unit * (1.0 - q)
    false = np.maximum(np.cumsum(negative)[ladder.place] - unit * (1.0 - q), 0.0)
    size = hits + false
    ahead = ladder.by_place(mass * q * false / (size * (size + unit)))
    behind = mass * q * hits / (size * np.maximum(size - unit, unit))
    below = ladder.by_place(behind)
    passed = (np.cumsum(ahead) - ahead)[ladder.place]
    freed = (below.sum() - np.cumsum(below) + below)[ladder.place] - behind
    return np.asarray(q * (unit * false / size + passed * unit) + (1.0 - q) * unit * freed)


@dataclass(frozen=True)
class ExpectedAurocGain:
    """The posts whose reading puts most misordered pairs right.

    A pair of a positive i below a negative j stays wrong only if neither is read. So a post is worth
    q Σ_{above} (1 − q_j) + (1 − q) Σ_{below} q_j over the unread posts, ties counting half.

    Extras: ``calibrated`` (n,), ``sample_weight`` (n,).

    Attributes:
        batches: how often the posts are weighed again.
        finest: share of the posts in the first batch.
    """

    batches: int = 25
    finest: float = 0.002
    name: str = "expected_auroc_gain"

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Scores whose order is that of the greedy choice, shape (n,)."""
        return _greedy(auroc_gain, as_probabilities(y_proba), extras, self.batches, self.finest)

    def explain(self) -> str:
        """Why a post is read."""
        return "likely ranked on the wrong side of many others"


@dataclass(frozen=True)
class ExpectedAveragePrecisionGain:
    """The posts whose reading adds most to the area under precision–recall.

    Read positives rank before all, read negatives leave the list. Given that the unread post j is positive, let
    A_j = H + 1 + Σ q and F_j = Σ (1 − q) over the other unread posts at or above it, H the expected positives read, and
    S = A + F; its precision is A/S. Reading post i is worth

        q_i [F_i/S_i + Σ_{j above} q_j F_j / (S_j (S_j + 1))] + (1 − q_i) Σ_{j at or below} q_j A_j / (S_j (S_j − 1)):

    if positive, it has precision 1 itself and moves ahead of the positives above it; if negative, those below lose a
    false positive.

    Extras: ``calibrated`` (n,), ``sample_weight`` (n,).

    Attributes:
        batches: how often the posts are weighed again.
        finest: share of the posts in the first batch.
    """

    batches: int = 40
    finest: float = 0.0005
    name: str = "expected_average_precision_gain"

    def score(self, y_proba: ArrayLike, **extras: Any) -> Array:
        """Scores whose order is that of the greedy choice, shape (n,)."""
        return _greedy(average_precision_gain, as_probabilities(y_proba), extras, self.batches, self.finest)

    def explain(self) -> str:
        """Why a post is read."""
        return "reading it cleans the top of the list most"


def _greedy(
    worth: Callable[[Ladder, Array, Array, Array], Array],
    p: Array,
    extras: dict[str, Any],
    batches: int,
    finest: float,
) -> Array:
    weight = weight_of(p, extras)
    if not weight.sum() > 0:
        return np.zeros(len(p))
    # Sorted by probability, sums over places read and write memory in order.
    order = np.argsort(-p, kind="stable")
    q, ladder, out = calibrated_of(p, extras)[order], Ladder(p[order]), np.empty(len(p))
    out[order] = greedy_order(lambda left, w: worth(ladder, q, left, w), weight[order], batches=batches, finest=finest)
    return out
