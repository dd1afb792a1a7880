"""Folds that keep an author, a thread and near-duplicates together, for every annotated post."""

from __future__ import annotations

import numpy as np
import pandas as pd

from comoderate.models.folds import components, group_folds
from comoderate.models.near_duplicates import duplicate_groups


def fold_table(posts: pd.DataFrame, *, n_folds: int, seed: int) -> pd.DataFrame:
    """The fold of each post: post_id, group, fold.

    Args:
        posts: annotated posts with post_id and, where the study has them, text, author, thread.
        n_folds: how many folds.
        seed: the study's seed.

    Returns:
        ``group`` is the smallest post id of the posts that are kept together; the fold follows from it alone.
    """
    ids = posts["post_id"].astype(str)
    keys = [posts[name].to_numpy(dtype=object) for name in ("author", "thread") if name in posts]
    if "text" in posts and posts["text"].notna().any():
        keys.append(duplicate_groups(posts["text"].fillna("").tolist()))
    code = components(*keys) if keys else np.arange(len(posts))
    group = ids.groupby(code).transform("min")
    fold = group_folds(group.tolist(), n_folds=n_folds, seed=seed)
    return pd.DataFrame({"post_id": ids, "group": group, "fold": fold})


def largest_share(folds: pd.DataFrame) -> float:
    """The share of posts in the largest group; far above one fold's share means that folds cannot be even."""
    return float(folds["group"].value_counts(normalize=True).iloc[0]) if len(folds) else 0.0
