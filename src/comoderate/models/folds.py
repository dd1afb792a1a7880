"""Folds that keep together what belongs together: an author's posts, a thread, near-duplicates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components


def components(*keys: ArrayLike) -> NDArray[np.int64]:
    """Groups of posts that are joined, directly or through others, by a key they share.

    Two posts are joined where one of the key arrays gives both the same value: the same author, or the same
    thread, or the same near-duplicate text. The groups are the connected components of that relation.

    Args:
        keys: one or more arrays of shape (n,), of any type; None and NaN join nothing. Values of different arrays
            are never compared.

    Returns:
        (n,) group codes 0, 1, … in order of first appearance.

    Raises:
        ValueError: no array, or arrays of different lengths.
    """
    if not keys:
        raise ValueError("components needs at least one array of keys")
    coded = [pd.factorize(np.asarray(key, dtype=object), use_na_sentinel=True)[0] for key in keys]
    n = len(coded[0])
    if any(len(codes) != n for codes in coded):
        raise ValueError(f"arrays of keys must have one length, not {sorted({len(codes) for codes in coded})}")
    offsets = n + np.cumsum([0, *(codes.max(initial=-1) + 1 for codes in coded)])
    posts = np.concatenate([np.flatnonzero(codes >= 0) for codes in coded])
    nodes = np.concatenate([codes[codes >= 0] + offset for codes, offset in zip(coded, offsets)])
    graph = sparse.coo_array((np.ones(len(posts), dtype=np.int8), (posts, nodes)), shape=(offsets[-1], offsets[-1]))
    labels = connected_components(graph, directed=False)[1][:n]
    return pd.factorize(labels)[0].astype(np.int64)


def group_folds(group_ids: Iterable[str], *, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each post, from the name of its group alone.

    The fold is blake2b(seed, "fold", group) modulo ``n_folds``: the same whatever other posts there are, in
    whatever order, on every machine. Folds are therefore equal in expectation only.

    Args:
        group_ids: (n,) names of the groups, such as the smallest post id of each.
        n_folds: number of folds, at least 2.
        seed: the study's seed.

    Returns:
        (n,) folds from 0 to ``n_folds`` − 1.

    Raises:
        ValueError: fewer than two folds.
    """
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2, not {n_folds}")
    codes, groups = pd.factorize(np.asarray(list(group_ids), dtype=object), use_na_sentinel=False)
    folds = np.fromiter((_hash(seed, group) % n_folds for group in groups), dtype=np.int64, count=len(groups))
    return np.asarray(folds[codes], dtype=np.int64)


def _hash(seed: int, group: str) -> int:
    content = f"{seed}\x1ffold\x1f{group}".encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
