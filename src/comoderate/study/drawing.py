"""Drawing a sample: candidates and their strata in, drawn posts with inclusion probabilities out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from comoderate.corpus import top_k
from comoderate.errors import ComoderateError
from comoderate.sampling import allocate, poisson_pps, second_phase, union_inclusion

ALL = "all"
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


def strata_totals(candidates: pd.DataFrame, totals: pd.Series | None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """For each stratum of the candidates the world's total N and the number in hand.

    Args:
        candidates: with a column ``stratum``.
        totals: N by stratum, or None where everything is in hand.

    Raises:
        ComoderateError: a stratum without a total, or with a total below the number in hand.
    """
    table = candidates.groupby("stratum", sort=True).size().rename("in_hand").to_frame()
    if totals is None:
        return table.assign(N=table["in_hand"]), ()
    if list(table.index) == [ALL]:
        return table.assign(N=int(totals.sum())), ()
    absent = table.index.difference(totals.index)
    if len(absent):
        raise ComoderateError(
            f"there are posts of {absent[0]} but no total for that day",
            where=totals.attrs.get("where", "totals"),
            do="add a row for every day",
        )
    table["N"] = totals.reindex(table.index)
    small = table[table["N"] < table["in_hand"]]
    if len(small):
        day, row = small.index[0], small.iloc[0]
        raise ComoderateError(
            f"the total of {day} is {row['N']}, less than the {row['in_hand']} posts in hand",
            where=totals.attrs.get("where", "totals"),
            do="totals must count at least the posts in hand",
        )
    empty = totals.index.difference(table.index)
    lost = int(totals.reindex(empty).sum())
    if not lost:
        return table, ()
    text = f"{len(empty)} days with {lost} posts in the totals have none in hand; estimates do not speak of them"
    return table, (text,)


def draw_census(candidates: pd.DataFrame) -> Draw:
    """Every candidate, with ``pi`` = 1."""
    posts = candidates.sort_values(["u", "post_id"]).assign(phase="census", pi=1.0)
    counts = candidates.groupby("stratum", sort=True).size()
    strata = pd.DataFrame({"stratum": counts.index, "N": counts.array, "in_hand": counts.array, "drawn": counts.array})
    return Draw(posts[list(SAMPLE)], strata.assign(phase="census")[list(STRATA)], ())


def draw_base(
    candidates: pd.DataFrame,
    size: int,
    totals: pd.Series | None,
    enrich: int | None = None,
    *,
    earlier: pd.Series | None = None,
) -> Draw:
    """A sample in proportion to the strata's totals, and an enrichment by a classifier (Delisle et al. 2019).

    Args:
        candidates: post_id, stratum, u, cluster; with ``enrich`` also ``positive`` (bool).
        size: posts to draw before enrichment.
        totals: N by stratum where less is in hand.
        enrich: how many of the classifier's positives to add, or None.
        earlier: posts that an earlier, smaller base sample took from each stratum; all of them are drawn again.

    Returns:
        ``pi`` is exact for the union of both phases: b/N for a negative, [b + f(c − b)]/N for a positive, with b
        drawn of c in hand of N, and f the share taken of the positives that the base sample left.
    """
    table, warnings = strata_totals(candidates, totals)
    floors = np.minimum(table["in_hand"], 1) if size >= len(table) else None
    if earlier is not None and floors is not None:
        kept = np.minimum(earlier.reindex(table.index).fillna(0), table["in_hand"])
        floors = np.maximum(floors, kept) if np.maximum(floors, kept).sum() <= size else floors
    table["base"] = allocate(table["N"], size, caps=table["in_hand"], floors=floors)
    if floors is None:
        warnings = (*warnings, f"{size} posts are fewer than the {len(table)} strata; some strata are not drawn from")
    if size > len(candidates):
        warnings = (*warnings, f"{size} posts were asked for and {len(candidates)} are in hand; all were drawn")
    base = top_k(candidates, table["base"].to_dict())
    rate, phases = pd.Series(0.0, table.index), [base.assign(phase="base")]
    strata = [table.reset_index().rename(columns={"base": "drawn"}).assign(phase="base")]
    if enrich is not None:
        left = candidates[candidates["positive"] & ~candidates["post_id"].isin(base["post_id"])]
        extra = left.groupby("stratum").size().reindex(table.index, fill_value=0)
        quota = pd.Series(allocate(extra, min(enrich, len(left)), caps=extra), table.index)
        rate = (quota / extra.where(extra > 0)).fillna(0.0)
        phases.append(top_k(left, quota.to_dict()).assign(phase="enrich"))
        strata.append(
            table.reset_index()[["stratum", "N"]].assign(in_hand=extra.array, drawn=quota.array, phase="enrich")
        )
        if enrich > len(left):
            text = f"{enrich} posts were to be added by enrichment, and the scorer calls only {len(left)} more positive"
            warnings = (*warnings, text)
    negative, positive = union_inclusion(table["N"], table["in_hand"], table["base"], rate)
    drawn = pd.concat(phases).merge(candidates, on="post_id", how="left", suffixes=("", "_candidate"))
    at = table.index.get_indexer(pd.Index(drawn["stratum"]))
    called = drawn["positive"].to_numpy(dtype=bool) if enrich is not None else np.zeros(len(drawn), dtype=bool)
    drawn["pi"] = np.where(called, positive[at], negative[at])
    drawn = drawn.sort_values(["u", "post_id"], ignore_index=True)
    return Draw(drawn[list(SAMPLE)], pd.concat(strata)[list(STRATA)].reset_index(drop=True), warnings)


def draw_poisson(candidates: pd.DataFrame, size: int, *, least: float, totals: pd.Series | None) -> Draw:
    """Each post by itself, with a chance in proportion to its size (views, or a score).

    Args:
        candidates: post_id, stratum, u, cluster and ``amount``, 0 or more.
        size: expected number of posts.
        least: the smallest chance, as a share of the average one.
        totals: N by stratum where less is in hand; a post's chance of being in hand is counted.
    """
    table, warnings = strata_totals(candidates, totals)
    expected = min(size, len(candidates))
    chance = poisson_pps(candidates["amount"], expected, least=least * expected / len(candidates))
    at = table.index.get_indexer(pd.Index(candidates["stratum"]))
    collected = (table["in_hand"] / table["N"]).to_numpy()[at]
    drawn = candidates.assign(pi=chance * collected, phase="poisson")[candidates["u"].to_numpy() < chance]
    drawn = drawn.sort_values(["u", "post_id"], ignore_index=True)
    counts = drawn.groupby("stratum").size().reindex(table.index, fill_value=0)
    strata = table.reset_index().assign(drawn=counts.to_numpy(), phase="poisson")
    return Draw(drawn[list(SAMPLE)], strata[list(STRATA)], warnings)


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
    warnings = () if size <= len(parent) else (f"{size} posts were asked for and {len(parent)} can be drawn",)
    drawn = drawn.sort_values(["u", "post_id"], ignore_index=True)
    return Draw(drawn[list(SAMPLE)], strata.assign(phase="second")[list(STRATA)], warnings)
