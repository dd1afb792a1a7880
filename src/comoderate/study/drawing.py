"""Drawing a sample: candidates and their strata in, drawn posts with inclusion probabilities out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.corpus import Candidates, in_order, top_k
from comoderate.corpus.candidates import ALL
from comoderate.errors import ComoderateError
from comoderate.sampling import allocate, pps_rule, second_phase, union_inclusion

__all__ = [
    "ALL", "SAMPLE", "STRATA", "Draw", "draw_base", "draw_census", "draw_poisson", "draw_second", "strata_totals",
]  # fmt: skip

SAMPLE = ("post_id", "phase", "stratum", "cluster", "pi")
STRATA = ("phase", "stratum", "N", "in_hand", "drawn")


class Draw(NamedTuple):
    """A drawn sample.

    Attributes:
        posts: post_id, phase, stratum, cluster, pi; in random order.
        strata: phase, stratum, N, in_hand, drawn.
        warnings: what to know about it.
    """

    posts: pd.DataFrame
    strata: pd.DataFrame
    warnings: tuple[str, ...]


def strata_totals(counts: pd.Series, totals: pd.Series | None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """For each stratum of the candidates the world's total N and the number in hand.

    Args:
        counts: candidates by stratum, in the order of the strata.
        totals: N by stratum, or None where everything is in hand.

    Raises:
        ComoderateError: a stratum without a total, or with a total below the number in hand.
    """
    table = counts.rename("in_hand").rename_axis("stratum").to_frame()
    if totals is None:
        return table.assign(N=table["in_hand"]), ()
    if list(table.index) == [ALL]:
        return _at_least_in_hand(table.assign(N=int(totals.sum())), totals), ()
    absent = table.index.difference(totals.index)
    if len(absent):
        raise ComoderateError(
            f"there are posts of {absent[0]} but no total for that day",
            where=totals.attrs.get("where", "totals"),
            do="add a row for every day",
        )
    table["N"] = totals.reindex(table.index)
    _at_least_in_hand(table, totals)
    empty = totals.index.difference(table.index)
    lost = int(totals.reindex(empty).sum())
    if not lost:
        return table, ()
    text = f"{len(empty)} days with {lost} posts in the totals have none in hand; estimates do not speak of them"
    return table, (text,)


def _at_least_in_hand(table: pd.DataFrame, totals: pd.Series) -> pd.DataFrame:
    """The table itself, where no total is below the number in hand."""
    small = table[table["N"] < table["in_hand"]]
    if len(small):
        day, row = small.index[0], small.iloc[0]
        which = "the sum of the totals is" if day == ALL else f"the total of {day} is"
        raise ComoderateError(
            f"{which} {row['N']}, less than the {row['in_hand']} posts in hand",
            where=totals.attrs.get("where", "totals"),
            do="totals must count at least the posts in hand",
        )
    return table


def draw_census(candidates: Candidates) -> Draw:
    """Every candidate, with ``pi`` = 1."""
    posts = in_order(candidates.all(), ["u"]).assign(phase="census", pi=1.0)
    counts = posts.groupby("stratum", sort=True).size()
    strata = pd.DataFrame({"stratum": counts.index, "N": counts.array, "in_hand": counts.array, "drawn": counts.array})
    return Draw(posts[list(SAMPLE)], strata.assign(phase="census")[list(STRATA)], ())


def draw_base(
    candidates: Candidates,
    size: int,
    totals: pd.Series | None,
    enrich: int | None = None,
    *,
    flagged: Candidates | None = None,
    earlier: pd.DataFrame | None = None,
) -> Draw:
    """A sample in proportion to the strata's totals, and an enrichment by a classifier (Delisle et al. 2019).

    Args:
        candidates: the posts that may be drawn.
        size: posts to draw before enrichment.
        totals: N by stratum where less is in hand.
        enrich: how many of the classifier's positives to add; None for all of them, a census.
        flagged: the candidates with a column ``called``, which says what the classifier calls positive; None for no
            enrichment.
        earlier: the strata (:data:`STRATA`) of an earlier, smaller draw; all that either of its phases took is drawn
            again, as long as the same posts are in hand and flagged.

    Returns:
        ``pi`` is exact for the union of both phases: b/N for a negative, [b + f(c − b)]/N for a positive, with b
        drawn of c in hand of N, and f the share taken of the positives that the base sample left.
    """
    spans = candidates.spans()
    table, warnings = strata_totals(spans.set_index("stratum")["N"], totals)
    table["base"], doubts = _base_sizes(table, size, earlier)
    warnings = (*warnings, *doubts)
    strata = [table.reset_index().rename(columns={"base": "drawn"}).assign(phase="base")]
    rate = pd.Series(0.0, table.index)
    if flagged is None:
        drawn = candidates.draw(table["base"].to_dict(), spans=spans).assign(phase="base", called=False)
    else:
        share_out = partial(_share_out, enrich=enrich, earlier=_phase(earlier, "enrich"))
        found = flagged.draw_enriched(table["base"].to_dict(), share_out, spans=spans)
        left = found.left.reindex(table.index, fill_value=0)
        added = found.extra.groupby("stratum").size().reindex(table.index, fill_value=0)
        rate = (added / left.where(left > 0)).fillna(0.0)
        drawn = _stacked([found.base.assign(phase="base"), found.extra.assign(phase="enrich")])
        strata.append(
            table.reset_index()[["stratum", "N"]].assign(in_hand=left.array, drawn=added.array, phase="enrich")
        )
        if enrich is not None and enrich > left.sum():
            text = (
                f"{enrich} posts were to be added by enrichment, and the scorer calls only {left.sum()} more positive"
            )
            warnings = (*warnings, text)
    negative, positive = union_inclusion(table["N"], table["in_hand"], table["base"], rate)
    at = table.index.get_indexer(pd.Index(drawn["stratum"]))
    drawn["pi"] = np.where(drawn["called"].to_numpy(dtype=bool), positive[at], negative[at])
    return Draw(_as_sample(drawn), pd.concat(strata)[list(STRATA)].reset_index(drop=True), warnings)


def _phase(earlier: pd.DataFrame | None, name: str) -> pd.DataFrame | None:
    """The rows of one phase of an earlier draw, by stratum; None where it had none."""
    mine = None if earlier is None else earlier[earlier["phase"] == name].set_index("stratum")
    return None if mine is None or mine.empty else mine


def _base_sizes(
    table: pd.DataFrame, size: int, earlier: pd.DataFrame | None
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """How many posts the base sample takes of each stratum, and what to know about that."""
    in_hand, doubts = int(table["in_hand"].sum()), []
    floors = np.minimum(table["in_hand"], 1) if size >= len(table) else None
    if size < len(table):
        doubts.append(f"{size:,} posts are fewer than the {len(table):,} strata; some strata are not drawn from")
    if size > in_hand:
        doubts.append(f"{size:,} posts were asked for and {in_hand:,} are in hand; all were drawn")
    before = _phase(earlier, "base")
    if before is not None:
        kept = np.minimum(before["drawn"].reindex(table.index).fillna(0), table["in_hand"])
        kept = kept if floors is None else np.maximum(floors, kept)
        floors = kept if kept.sum() <= size else floors
    return allocate(table["N"], size, caps=table["in_hand"], floors=floors), tuple(doubts)


def _share_out(left: pd.Series, *, enrich: int | None, earlier: pd.DataFrame | None = None) -> Mapping[Any, int]:
    """How many of the positives that the base sample left to add in each stratum; all where ``enrich`` is None.

    Of what an earlier enrichment took (``drawn`` of ``in_hand`` positives), a base sample that has grown takes some;
    the others are taken again.
    """
    if enrich is None:
        return left.to_dict()
    size, floors = min(enrich, int(left.sum())), None
    if earlier is not None:
        drawn, there = (earlier[name].reindex(left.index).fillna(0) for name in ("drawn", "in_hand"))
        kept = np.clip(drawn - np.maximum(there - left, 0), 0, left)
        floors = kept if kept.sum() <= size else None
    return dict(zip(left.index, allocate(left, size, caps=left, floors=floors), strict=True))


def _stacked(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Frames of the same columns on end; pandas' own way looks at every missing cluster by itself."""
    full = [part for part in parts if len(part)] or parts[:1]
    return pd.DataFrame({name: np.concatenate([part[name].to_numpy() for part in full]) for name in parts[0].columns})


def _as_sample(drawn: pd.DataFrame) -> pd.DataFrame:
    """The drawn posts in random order; no cluster is None."""
    drawn = in_order(drawn, ["u"])[list(SAMPLE)]
    drawn["cluster"] = drawn["cluster"].astype(object).where(drawn["cluster"].notna(), None)
    return drawn


def draw_poisson(candidates: Candidates, size: int, *, least: float, totals: pd.Series | None) -> Draw:
    """Each post by itself, with a chance in proportion to its size (views, or a score).

    Args:
        candidates: with ``amount``, 0 or more.
        size: expected number of posts.
        least: the smallest chance, as a share of the average one.
        totals: N by stratum where less is in hand; a post's chance of being in hand is counted.
    """
    table, warnings = strata_totals(candidates.counts(), totals)
    amounts = candidates.amounts()
    expected = min(size, len(amounts))
    rule = pps_rule(amounts, expected, least=least * expected / len(amounts))
    most = float(rule(amounts[-1:])[0])
    del amounts
    drawn = candidates.below(rule.factor, rule.least, limit=rule.limit, most=most)
    drawn["pi"] = rule(drawn["amount"])
    drawn = drawn[drawn["u"] < drawn["pi"]].reset_index(drop=True)
    at = table.index.get_indexer(pd.Index(drawn["stratum"]))
    drawn["pi"] *= (table["in_hand"] / table["N"]).to_numpy()[at]
    counts = drawn.groupby("stratum").size().reindex(table.index, fill_value=0)
    strata = table.reset_index().assign(drawn=counts.to_numpy(), phase="poisson")
    return Draw(_as_sample(drawn.assign(phase="poisson")), strata[list(STRATA)], warnings)


def draw_second(parent: pd.DataFrame, size: int) -> Draw:
    """A second phase: posts of another sample, each of a stratum with the same chance.

    Args:
        parent: the eligible posts of the first sample (post_id, cluster, pi), with a column ``stratum`` of the second
            phase's own and a column ``u`` of its own purpose.
        size: how many to draw, shared out equally among the strata; what one lacks the others give.
    """
    counts = parent.groupby("stratum", sort=True).size()
    quota = pd.Series(allocate(np.ones(len(counts)), min(size, len(parent)), caps=counts), counts.index)
    drawn = top_k(parent, quota.to_dict())[["post_id"]].merge(parent, on="post_id", how="left").assign(phase="second")
    drawn["pi"] = second_phase(drawn["pi"], (quota / counts).reindex(drawn["stratum"]).to_numpy())
    strata = pd.DataFrame({"stratum": counts.index, "N": counts.array, "in_hand": counts.array, "drawn": quota.array})
    warnings = () if size <= len(parent) else (f"{size:,} posts were asked for and {len(parent):,} can be drawn",)
    drawn = in_order(drawn, ["u"])
    return Draw(drawn[list(SAMPLE)], strata.assign(phase="second")[list(STRATA)], warnings)
