"""Both phases of an enriched sample from one pass: a base sample, and posts that a classifier flags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from comoderate.corpus.draw import (
    Quota,
    below,
    eligible,
    in_order,
    is_short,
    make_cuts,
    quota_frame,
    rank_frame,
    ranked,
    strata_spans,
    top_k,
)
from comoderate.corpus.engine import evaluated_once

if TYPE_CHECKING:
    import ibis

More = Callable[[pd.Series], Quota]
"""From the number of flagged posts that the base sample left in every stratum to how many to add."""


class Phases(NamedTuple):
    """A base sample and its enrichment.

    Attributes:
        base: post_id, *by, order, flag, and what else was asked for; sorted by stratum, then in the order of drawing.
        extra: the same of the flagged posts that were added.
        left: how many flagged posts the base sample left in every stratum that has any.
    """

    base: pd.DataFrame
    extra: pd.DataFrame
    left: pd.Series


def top_k_enriched(
    table: ibis.Table | pd.DataFrame,
    quota: Quota,
    more: More,
    *,
    flag: str = "called",
    order: str = "u",
    by: str | Sequence[str] = "stratum",
    also: Sequence[str] = (),
    spans: pd.DataFrame | None = None,
) -> Phases:
    """Draw a base sample, and then from the flagged posts that it left; the posts are those of two :func:`top_k`.

    On an engine the posts are gone through once: what a base sample may reach, and what is flagged, is kept in a
    temporary table, and both phases are drawn from that. Where the flag comes from a join with scores, that join is
    made once. In a stratum the base sample takes the smallest numbers, so the flagged posts that it leaves are those
    after it in the same order.

    Args:
        table: as for :func:`top_k`, with ``flag``.
        quota: of the base sample.
        more: says how many to add of what was left, stratum by stratum.
        flag: a column of truth values; a missing one is false.
        order, by, also, spans: as for :func:`top_k`.

    Raises:
        ValueError: as :func:`top_k`.
    """
    by = [by] if isinstance(by, str) else list(by)
    wanted, columns = quota_frame(quota, by), ["post_id", *by, order, flag, *also]
    if isinstance(table, pd.DataFrame):
        found = _from_frame(table[columns], wanted, more, flag, order, by)
    else:
        posts = eligible(table.select(*columns), order, None)
        posts = posts.filter(*(posts[key].notnull() for key in by))
        posts = posts.mutate(**{flag: posts[flag].fill_null(False)})
        spans = strata_spans(table, order=order, by=by) if spans is None else spans
        found = _from_engine(posts, make_cuts(spans, wanted, by), more, flag, order, by)
    return Phases(in_order(found.base, [*by, order]), in_order(found.extra, [*by, order]), found.left)


def _from_frame(frame: pd.DataFrame, wanted: pd.DataFrame, more: More, flag: str, order: str, by: list[str]) -> Phases:
    """Both phases from a pandas frame."""
    frame = frame.assign(**{flag: frame[flag].eq(True)})
    base = rank_frame(frame, wanted, order, by, None)[frame.columns]
    rest = frame[frame[flag] & ~frame["post_id"].isin(base["post_id"])].dropna(subset=[*by, order])
    left = rest.groupby(by).size() if len(by) > 1 else rest.groupby(by[0]).size()
    return Phases(base, rank_frame(rest, quota_frame(more(left), by), order, by, None)[frame.columns], left)


def _from_engine(posts: ibis.Table, cuts: pd.DataFrame, more: More, flag: str, order: str, by: list[str]) -> Phases:
    """Both phases from one pass over ``posts``; from a second one where a stratum's bound was too tight."""
    with evaluated_once(_within_reach(posts, cuts, flag, order, by), always=True) as pool:
        base = ranked(pool, cuts, order, by)
        short = is_short(base, cuts, by).to_numpy()
        if not short.any():
            return _enriched(pool.filter(pool[flag]), base, more, flag, order, by)
    return _from_engine(posts, cuts.assign(cut=np.where(short, cuts["high"], cuts["cut"])), more, flag, order, by)


def _enriched(flagged: ibis.Table, base: pd.DataFrame, more: More, flag: str, order: str, by: list[str]) -> Phases:
    """The enrichment from the flagged posts, after those of the base sample."""
    taken = base[base[flag].astype(bool)]
    spans = strata_spans(flagged, order=order, by=by)
    keys = by if len(by) > 1 else by[0]
    every = spans.set_index(keys)["N"].astype("int64")
    held = taken.groupby(keys).size().reindex(every.index, fill_value=0)
    wanted = quota_frame(more(every - held), by).set_index(keys)["quota"]
    reach = (wanted + held.reindex(wanted.index, fill_value=0)).to_dict()
    others = base.columns.drop(["post_id", *by, order])
    drawn = top_k(flagged, reach, order=order, by=by, also=list(others), spans=spans)
    return Phases(base, drawn[~drawn["post_id"].isin(taken["post_id"])], every - held)


def _within_reach(posts: ibis.Table, cuts: pd.DataFrame, flag: str, order: str, by: list[str]) -> ibis.Table:
    """The flagged posts, and those up to their stratum's bound."""
    import ibis

    columns = posts.columns
    most, width = cuts["cut"].max(), (cuts["high"] - cuts["low"]).replace(0, 1)
    needed = float((cuts["N"] * (cuts["cut"] - cuts["low"]) / width).sum())
    read = float((cuts["N"] * ((most - cuts["low"]) / width).clip(upper=1)).sum())
    if cuts.empty:
        return posts.filter(posts[flag])
    if read <= 2 * needed:
        return posts.filter(posts[flag] | below(posts[order], float(most)))
    # A small stratum is drawn nearly whole: its bound would let all of the large ones in.
    joined = posts.left_join(ibis.memtable(cuts[[*by, "cut"]]), by)
    return joined.filter(joined[flag] | (joined[order] <= joined["cut"])).select(*columns)
