"""Two review strategies compared on real moderators: one queue that holds posts of both, with known probabilities.

Each strategy would have moderators read its K first posts. Posts that both want are read. Of the others, the i-th that
only the first wants and the i-th that only the second wants form a pair, and a coin with a known chance decides which
of the two is read. So the queue still holds K posts, nobody can tell whose a post is, and a post that was read stands
for 1 / chance posts of the lists that want it: the mean of anything over a list is a weighted mean over its posts that
were read (Hájek 1971), and the difference of two lists counts what they share on both sides, where it cancels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from comoderate.metrics import Estimate
from comoderate.review import rank
from comoderate.sampling import hajek_mean
from comoderate.sampling.ratios import difference, ratio
from comoderate.study.estimating import FEW

Floats = NDArray[np.float64]
ARMS = ("first", "second", "both")
MEASURES = ("efficiency", "overturned", "seconds", "mended_per_hour")
COLUMNS = ("measure", "strategy", "posts")
"""Before the fields of an Estimate; ``strategy`` is a name, or ``difference`` (first less second)."""


class Interleaved(NamedTuple):
    """The posts that are read, in order.

    Attributes:
        post: (m,) index of the post.
        rank_first, rank_second: (m,) its place in each strategy's own list, from 1; NaN where it is not in it.
        chance: (m,) probability with which the post was to be read.
        arm: (m,) which lists hold it: ``first``, ``second`` or ``both``.
    """

    post: NDArray[np.int64]
    rank_first: Floats
    rank_second: Floats
    chance: Floats
    arm: NDArray[np.str_]


def interleave(
    first: ArrayLike, second: ArrayLike, *, capacity: int, share: float, tie_breaker: ArrayLike, coin: ArrayLike
) -> Interleaved:
    """Choose which posts of two strategies are read.

    Args:
        first, second: (n,) review scores, the largest read first.
        capacity: K, how many posts are read.
        share: chance, strictly between 0 and 1, with which the first strategy's post of a pair is read.
        tie_breaker, coin: (n,) uniform numbers in [0, 1) by post, each of a purpose of its own.

    Raises:
        ValueError: unequal lengths, or a share that is no chance.
    """
    if not 0.0 < share < 1.0:
        raise ValueError("share must lie strictly between 0 and 1")
    lists = [rank(score, tie_breaker=tie_breaker)[:capacity] for score in (first, second)]
    size = len(np.asarray(first))
    places = np.full((2, size), np.nan)
    for place, order in zip(places, lists, strict=True):
        place[order] = np.arange(1, len(order) + 1)
    shared = ~np.isnan(places).any(axis=0)
    own_first, own_second = (order[~shared[order]] for order in lists)
    heads = np.asarray(coin, dtype=np.float64)[own_first] < share
    drawn = np.where(heads, own_first, own_second)
    post = np.concatenate([np.flatnonzero(shared), drawn]).astype(np.int64)
    arm = np.concatenate([np.full(int(shared.sum()), "both"), np.where(heads, "first", "second")])
    chance = np.select([arm == "both", arm == "first"], [1.0, share], 1.0 - share)
    order = np.lexsort((np.asarray(tie_breaker, dtype=np.float64)[post], np.fmin(*places[:, post])))
    return Interleaved(post[order], places[0, post[order]], places[1, post[order]], chance[order], arm[order])


def depth(rank_first: ArrayLike, rank_second: ArrayLike, decided: ArrayLike) -> int:
    """How far down both lists everything that was to be read has been decided.

    Args:
        rank_first, rank_second: (m,) places of the chosen posts, NaN where a list does not hold them.
        decided: (m,) whether the post was decided on, or has left the queue for good.
    """
    places = np.fmin(np.asarray(rank_first, dtype=np.float64), np.asarray(rank_second, dtype=np.float64))
    waiting = places[~np.asarray(decided, dtype=bool)]
    reached = waiting.min() - 1 if len(waiting) else np.nanmax([*places, 0.0])
    return int(reached)


def compare(decided: pd.DataFrame, *, names: tuple[str, str], depth: int, level: float = 0.95) -> pd.DataFrame:
    """What each strategy brought, and by how much they differ, on streams like the one that was read.

    Args:
        decided: a row a post that was decided on: rank_first, rank_second, chance, wrong (1 where the decision was not
            that of the scorer, 0 where it was), overturned (1 where a later reading changed the first decision, 0 where
            it stood, NaN where there was one reading), seconds (NaN where unknown).
        names: of the two strategies.
        depth: only posts so far down either list count, as :func:`depth` gives.
        level: nominal coverage.

    Returns:
        measure, strategy, posts, an Estimate's fields: ``efficiency`` (share of posts on which the scorer was wrong),
        ``overturned`` (share of twice-read decisions that did not stand), ``seconds`` (mean a post), each for both
        strategies and their difference; ``mended_per_hour`` (mistakes of the scorer mended in an hour's reading) for
        both.
    """
    inside = [decided[name].to_numpy(dtype=np.float64) <= depth for name in ("rank_first", "rank_second")]
    weight = np.where(inside[0] | inside[1], 1.0 / decided["chance"].to_numpy(dtype=np.float64), 0.0)
    rows: list[dict[str, Any]] = []
    for measure, column in (("efficiency", "wrong"), ("overturned", "overturned"), ("seconds", "seconds")):
        y = decided[column].to_numpy(dtype=np.float64)
        known = np.where(np.isnan(y), 0.0, weight)
        filled = np.nan_to_num(y)
        kind = "wald" if measure == "seconds" else "logit"
        single = [_possible(hajek_mean(filled, known * mine, interval=kind, level=level)) for mine in inside]
        rows += [_row(measure, name, found) for name, found in zip(names, single, strict=True)]
        apart = _apart(filled, known, inside, level)
        rows.append(_row(measure, "difference", apart if measure == "seconds" else _guarded(apart, *single)))
    wrong, seconds = decided["wrong"].to_numpy(dtype=np.float64), decided["seconds"].to_numpy(dtype=np.float64)
    timed = np.where(np.isnan(seconds) | np.isnan(wrong), 0.0, weight)
    for name, mine in zip(names, inside, strict=True):
        hours = np.nan_to_num(seconds) / 3600.0
        rows.append(_row("mended_per_hour", name, ratio(np.nan_to_num(wrong), hours, timed * mine, level=level)))
    return pd.DataFrame(rows)


def _apart(y: Floats, weight: Floats, inside: list[NDArray[np.bool_]], level: float) -> Estimate:
    if not any((weight > 0)[mine & ~other].any() for mine, other in (inside, inside[::-1])):
        return Estimate.undefined("both read the same posts", level=level, method="difference of domains")
    return difference(y, weight, inside[0], inside[1], level=level)


def _possible(found: Estimate) -> Estimate:
    """The interval of a share or a time, cut off at 0: nothing true lies below."""
    return replace(found, low=max(found.low, 0.0))  # NaN stays, for it comes first


def _guarded(apart: Estimate, first: Estimate, second: Estimate) -> Estimate:
    """The difference of two shares; on few posts, or where no variance was seen, with the interval of Newcombe (1998).

    It is made of the single intervals, which allow for what few posts cannot show; it takes the lists for independent,
    which is on the safe side where they share posts.
    """
    if np.isnan(apart.value) or (apart.n >= FEW and apart.se > 0):
        return apart
    low = apart.value - np.hypot(first.value - first.low, second.high - second.value)
    high = apart.value + np.hypot(first.high - first.value, second.value - second.low)
    about: dict[str, Any] = {"low": max(low, -1.0), "high": min(high, 1.0), "method": "difference, Newcombe interval"}
    return replace(apart, **about, se=np.nan, reason=f"fewer than {FEW} posts, or all alike: a cautious interval")


def _row(measure: str, strategy: str, found: Estimate) -> dict[str, Any]:
    return {"measure": measure, "strategy": strategy, "posts": found.n, **found.as_dict()}
