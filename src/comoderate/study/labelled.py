"""The one table where posts, samples and labels meet."""

from __future__ import annotations

import warnings as python_warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

from comoderate.sampling import respondent_weights
from comoderate.study.forgetting import is_tombstone
from comoderate.study.ratings import MEASURING, TRAINING

COLUMNS = (
    "post_id", "y", "y_soft", "n_ratings", "source", "phase", "stratum", "cluster", "pi", "weight", "fold",
)  # fmt: skip


class LabelWarning(UserWarning):
    """Something about labels or weights that a reader of the estimate should know."""


class Labelled(NamedTuple):
    """The table and what to know about it."""

    frame: pd.DataFrame
    warnings: tuple[str, ...]


def join(
    labels: pd.DataFrame,
    draws: pd.DataFrame | None,
    folds: pd.DataFrame,
    *,
    cohort: str,
    not_asked: pd.Index | None = None,
) -> Labelled:
    """Join labels, sample and folds.

    Args:
        labels: of one target, as ``agree`` wrote them.
        draws: the sample's rows, or None for all labelled posts, whatever their source.
        folds: post_id, fold.
        cohort: whose labels count.
        not_asked: posts that the cohort rated without being asked the target's question, a follow-up. They are no
            part of what an estimate speaks of, so no labelled post stands in for them.

    Returns:
        One row for each drawn post, labelled or not, with the columns :data:`COLUMNS`. ``y`` is NaN without a label.
        ``weight`` is 1/pi rebuilt for the posts really labelled, NaN for the others. Without a sample: one row for
        each labelled post, ``pi`` and ``weight`` NaN, for training only.
    """
    mine = labels[labels["cohort"] == cohort]
    if draws is None:
        frame = mine[mine["source"].isin(TRAINING)].assign(phase=None, stratum=None, cluster=None)
        frame = frame.assign(pi=np.nan, weight=np.nan)
        return Labelled(_with_folds(frame, folds), ())
    measuring = mine[mine["source"].isin(MEASURING)].drop(columns="cohort")
    frame = draws.merge(measuring, on="post_id", how="left")
    frame["n_ratings"] = frame["n_ratings"].fillna(0).astype("int64")
    cell = frame["stratum"].astype(str) + ", pi " + frame["pi"].map("{:.3g}".format)
    labelled = frame["y"].notna()
    outside = frame["post_id"].isin([] if not_asked is None else not_asked) & ~labelled
    found = respondent_weights(frame["pi"], cell, labelled | outside, stratum=frame["stratum"].astype(str))
    frame["weight"] = np.where(labelled, found.weight, np.nan)
    return Labelled(_with_folds(frame, folds), (*_missing(frame, outside), *found.warnings))


def _with_folds(frame: pd.DataFrame, folds: pd.DataFrame) -> pd.DataFrame:
    joined = frame.merge(folds[["post_id", "fold"]], on="post_id", how="left")
    joined["fold"] = joined["fold"].fillna(-1).astype("int64")
    return joined[list(COLUMNS)]


def _missing(frame: pd.DataFrame, outside: pd.Series) -> list[str]:
    tied = int((frame["y"].isna() & (frame["n_ratings"] > 0)).sum())
    gone = is_tombstone(frame["post_id"])
    silent = int(((frame["n_ratings"] == 0) & ~outside & ~gone).sum())
    text = []
    if gone.any():
        text.append(
            f"{int(gone.sum())} of {len(frame)} drawn posts were forgotten on request; labelled posts like them stand "
            "in for them"
        )
    if outside.any():
        text.append(
            f"{int(outside.sum())} of {len(frame)} drawn posts were rated without this follow-up being asked; the "
            "estimates speak of the posts on which it was"
        )
    if tied:
        text.append(f"{tied} of {len(frame)} drawn posts have ratings but no majority, and count as unlabelled")
    if silent:
        text.append(f"{silent} of {len(frame)} drawn posts have no rating; labelled posts like them stand in for them")
    return text


def warn(messages: tuple[str, ...]) -> None:
    """Say each message as a Python warning, for users of the Python API."""
    for message in messages:
        python_warnings.warn(message, LabelWarning, stacklevel=3)
