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

    Returns:
        A pandas frame ``post_id, *by, order``, sorted by stratum, then in the order of drawing.

    Raises:
        ValueError: a negative or fractional quota, or keys that do not fit ``by``.
    """
    by = [by] if isinstance(by, str) else list(by)
    wanted = _quota_frame(quota, by)
    if isinstance(table, pd.DataFrame):
        drawn = _rank_frame(table, wanted, order, by, exclude)
    else:
        with evaluated_once(table.select("post_id", *by, order)) as posts:
            drawn = _draw(_eligible(posts, order, exclude), wanted, order, by)
    return drawn.sort_values([*by, order, "post_id"], ignore_index=True)[["post_id", *by, order]]


def _quota_frame(quota: Quota, by: list[str]) -> pd.DataFrame:
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


def _rank_frame(
    frame: pd.DataFrame, wanted: pd.DataFrame, order: str, by: list[str], exclude: Sequence[str] | None
) -> pd.DataFrame:
    """The draw from a pandas frame."""
    frame = frame[["post_id", *by, order]].dropna()
    if exclude is not None:
        frame = frame[~frame["post_id"].isin(exclude)]
    frame = frame.merge(wanted, on=by).sort_values([order, "post_id"])
    return frame[frame.groupby(by).cumcount() < frame["quota"]]


def _draw(posts: ibis.Table, wanted: pd.DataFrame, order: str, by: list[str]) -> pd.DataFrame:
    """The draw on an engine: count, cut, rank; rank whole what was cut too short."""
    cuts = wanted if wanted.empty else _cuts(posts, wanted, order, by)
    if cuts.empty:
        return pd.DataFrame(columns=pd.Index(["post_id", *by, order]))
    drawn = _ranked(posts, cuts, order, by)
    got = cuts[by].merge(drawn.groupby(by).size().rename("got").reset_index(), on=by, how="left")["got"].fillna(0)
    short = cuts[(got < cuts["quota"]).to_numpy()]
    if short.empty:
        return drawn
    whole = _ranked(posts, short.assign(cut=short["high"]), order, by)
    rest = drawn.merge(short[by], on=by, how="left", indicator=True)
    return pd.concat([drawn[(rest["_merge"] == "left_only").to_numpy()], whole], ignore_index=True)


def _eligible(posts: ibis.Table, order: str, exclude: Sequence[str] | None) -> ibis.Table:
    """The posts that may be drawn."""
    import ibis

    posts = posts.filter(posts[order].notnull())
    if posts[order].type().is_floating():
        posts = posts.filter(~posts[order].isnan())
    if exclude is None or not len(exclude):
        return posts
    return posts.anti_join(ibis.memtable(pd.DataFrame({"post_id": list(exclude)})), "post_id")


def _cuts(posts: ibis.Table, wanted: pd.DataFrame, order: str, by: list[str]) -> pd.DataFrame:
    """``*by, quota, high, cut``: quotas capped by what is there, and a bound that should leave just over the quota.

    Were ``order`` uniform between its extremes, the number of posts below the bound would be binomial with a mean of
    ``SLACK`` of its standard deviations over the quota.
    """
    value = posts[order]
    there: pd.DataFrame = posts.group_by(by).aggregate(N=posts.count(), low=value.min(), high=value.max()).execute()
    cuts = wanted.merge(there.dropna(subset=by), on=by)
    cuts["quota"] = np.minimum(cuts["quota"], cuts["N"])
    low, high = cuts["low"].to_numpy(np.float64), cuts["high"].to_numpy(np.float64)
    mean = cuts["quota"] + SLACK * np.sqrt(cuts["quota"]) + SLACK**2
    cut = np.where(mean >= cuts["N"], high, low + (high - low) * mean / cuts["N"])
    cuts["cut"] = np.where(np.isnan(cut), high, cut)
    return cuts[[*by, "quota", "high", "cut"]]


def _ranked(posts: ibis.Table, cuts: pd.DataFrame, order: str, by: list[str]) -> pd.DataFrame:
    """The first ``quota`` posts of every stratum among those up to its ``cut``."""
    import ibis

    bounds = ibis.memtable(cuts[[*by, "quota", "cut"]])
    most = float(cuts["cut"].max())
    # An engine may read a literal's last digits otherwise; the exact bound of each stratum is compared below.
    below = posts.filter(posts[order] <= most + 1e-9 * abs(most)).join(bounds, by)
    below = below.filter(below[order] <= below["cut"])
    window = ibis.window(group_by=by, order_by=[below[order], below["post_id"]])
    ranked = below.mutate(place=ibis.row_number().over(window))
    drawn: pd.DataFrame = ranked.filter(ranked["place"] < ranked["quota"])["post_id", *by, order].execute()
    return drawn
