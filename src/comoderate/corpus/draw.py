"""Drawing: the smallest stored random numbers of every stratum, the same posts on every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate.corpus.engine import evaluated_once

if TYPE_CHECKING:
    import ibis

Quota = Mapping[Any, int]
SLACK = 6.0
"""Standard deviations of a binomial count that a cut leaves above its quota."""


def top_k(
    table: ibis.Table | pd.DataFrame,
    quota: Quota,
    *,
    order: str = "u",
    by: str | Sequence[str] = "stratum",
    exclude: Sequence[str] | None = None,
    also: Sequence[str] = (),
    spans: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Draw the ``quota[stratum]`` posts with the smallest ``order`` in every stratum.

    The draw depends on the values alone: not on the engine, the order of rows or the number of threads. Ties are
    broken by ``post_id``, compared byte by byte. Posts without an ``order`` or a stratum are never drawn, nor those of
    a stratum without a quota; a stratum with fewer posts than its quota gives all.

    On an engine, posts are cut at a bound on ``order`` that is expected to leave hardly more than the quota and only
    those are ranked, so that nothing large is sorted; a stratum where the bound was too tight is ranked whole.

    Args:
        table: a lazy Ibis table (DuckDB or Spark) or a pandas frame, with ``post_id``, ``order`` and ``by``. Joins in
            it, with scores say, are made once.
        quota: stratum → number of posts; keys are tuples if ``by`` names several columns.
        order: the stored random number, for which the cut is sharpest, or any other number.
        by: the column or columns of the stratum.
        exclude: ids that may not be drawn: an earlier phase.
        also: other columns of the table to give back.
        spans: what :func:`strata_spans` gave for this table, where it is known already; saves a pass.

    Returns:
        A pandas frame ``post_id, *by, order, *also``, sorted by stratum, then in the order of drawing.

    Raises:
        ValueError: a negative or fractional quota, or keys that do not fit ``by``.
    """
    by = [by] if isinstance(by, str) else list(by)
    wanted, columns = quota_frame(quota, by), ["post_id", *by, order, *also]
    if isinstance(table, pd.DataFrame):
        drawn = rank_frame(table[columns], wanted, order, by, exclude)
    else:
        with evaluated_once(table.select(*columns)) as posts:
            drawn = _draw(eligible(posts, order, exclude), wanted, order, by, spans)
    return in_order(drawn, [*by, order])[columns]


def in_order(drawn: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Posts sorted by these columns, ties by ``post_id``, with a new index; ids are compared only where there are."""
    keys = list(columns)
    tied = drawn.duplicated(keys).any()
    return drawn.sort_values([*keys, "post_id"] if tied else keys, ignore_index=True)


def strata_spans(table: ibis.Table, *, order: str = "u", by: Sequence[str] = ("stratum",)) -> pd.DataFrame:
    """Of every stratum the number of posts with an ``order``, and its extremes, by one pass: ``*by, N, low, high``."""
    posts, keys = eligible(table.select(*by, order), order, None), list(by)
    posts = posts.filter(*(posts[key].notnull() for key in keys))
    value = posts[order]
    found: pd.DataFrame = posts.group_by(keys).aggregate(N=posts.count(), low=value.min(), high=value.max()).execute()
    return found.sort_values(keys, ignore_index=True)


def quota_frame(quota: Quota, by: list[str]) -> pd.DataFrame:
    """``*by, quota``, a row a stratum with a positive quota."""
    keys = [key if len(by) > 1 else (key,) for key in quota]
    if any(not isinstance(key, tuple) or len(key) != len(by) for key in keys):
        raise ValueError(f"the keys of quota are not tuples of {by}")
    frame = pd.DataFrame(keys, columns=pd.Index(by))
    sizes = np.array(list(quota.values()), dtype=np.float64)
    if not (np.isfinite(sizes).all() and (sizes >= 0).all() and (sizes == np.floor(sizes)).all()):
        raise ValueError("a quota is negative or not a whole number")
    frame["quota"] = sizes.astype(np.int64)
    return frame[frame["quota"] > 0].reset_index(drop=True)


def rank_frame(
    frame: pd.DataFrame, wanted: pd.DataFrame, order: str, by: list[str], exclude: Sequence[str] | None
) -> pd.DataFrame:
    """The draw from a pandas frame."""
    frame = frame.dropna(subset=[*by, order])
    if exclude is not None:
        frame = frame[~frame["post_id"].isin(exclude)]
    frame = frame.merge(wanted, on=by).sort_values([order, "post_id"])
    return frame[frame.groupby(by).cumcount() < frame["quota"]]


def _draw(
    posts: ibis.Table, wanted: pd.DataFrame, order: str, by: list[str], spans: pd.DataFrame | None
) -> pd.DataFrame:
    """The draw on an engine: count, cut, rank; rank whole what was cut too short."""
    if wanted.empty:
        return pd.DataFrame(columns=pd.Index(posts.columns))
    cuts = make_cuts(strata_spans(posts, order=order, by=by) if spans is None else spans, wanted, by)
    drawn = ranked(posts, cuts, order, by)
    short = cuts[is_short(drawn, cuts, by)]
    if short.empty:
        return drawn
    whole = ranked(posts, short.assign(cut=short["high"]), order, by)
    rest = drawn.merge(short[by], on=by, how="left", indicator=True)
    return pd.concat([drawn[(rest["_merge"] == "left_only").to_numpy()], whole], ignore_index=True)


def is_short(drawn: pd.DataFrame, cuts: pd.DataFrame, by: list[str]) -> pd.Series:
    """Whether a stratum's bound left fewer posts than its quota; a row a row of ``cuts``."""
    sizes = drawn.groupby(by).size().rename("got").reset_index()
    got = cuts[by].merge(sizes, on=by, how="left")["got"].fillna(0)
    return pd.Series((got < cuts["quota"].to_numpy()).to_numpy(), cuts.index)


def eligible(posts: ibis.Table, order: str, exclude: Sequence[str] | None) -> ibis.Table:
    """The posts that may be drawn."""
    import ibis

    posts = posts.filter(posts[order].notnull())
    if posts[order].type().is_floating():
        posts = posts.filter(~posts[order].isnan())
    if exclude is None or not len(exclude):
        return posts
    return posts.anti_join(ibis.memtable(pd.DataFrame({"post_id": list(exclude)})), "post_id")


def make_cuts(spans: pd.DataFrame, wanted: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """``*by, quota, N, low, high, cut``: quotas capped by what is there, a bound that should leave just over the quota.

    Were the numbers uniform between their extremes, the number of posts below the bound would be binomial with a mean
    of ``SLACK`` of its standard deviations over the quota.
    """
    cuts = wanted.merge(spans, on=by)
    cuts["quota"] = np.minimum(cuts["quota"], cuts["N"])
    low, high = cuts["low"].to_numpy(np.float64), cuts["high"].to_numpy(np.float64)
    mean = cuts["quota"] + SLACK * np.sqrt(cuts["quota"]) + SLACK**2
    cut = np.where(mean >= cuts["N"], high, low + (high - low) * mean / cuts["N"])
    cuts["cut"] = np.where(np.isnan(cut), high, cut)
    return cuts[[*by, "quota", "N", "low", "high", "cut"]]


def below(value: ibis.Value, bound: float) -> ibis.Value:
    """Whether a number is at most ``bound``, or hardly more: an engine may read a literal's last digits otherwise."""
    found: ibis.Value = value <= bound + 1e-9 * abs(bound)
    return found


def ranked(posts: ibis.Table, cuts: pd.DataFrame, order: str, by: list[str]) -> pd.DataFrame:
    """The first ``quota`` posts of every stratum among those up to its ``cut``, with all columns of ``posts``."""
    import ibis

    columns = posts.columns
    if cuts.empty:
        return pd.DataFrame(columns=pd.Index(columns))
    bounds = ibis.memtable(cuts[[*by, "quota", "cut"]])
    near = posts.filter(below(posts[order], float(cuts["cut"].max()))).join(bounds, by)
    near = near.filter(near[order] <= near["cut"])
    window = ibis.window(group_by=by, order_by=[near[order], near["post_id"]])
    placed = near.mutate(place=ibis.row_number().over(window))
    drawn: pd.DataFrame = placed.filter(placed["place"] < placed["quota"]).select(*columns).execute()
    return drawn
