"""Intervals for few items and rare categories: a few invented items that keep an interval from being too sure.

The linearised interval fails as Wald's interval of a share does: with few items in a category, chance often makes all
of them agree, and the interval nearly closes. As Agresti and Coull (1998), *The American Statistician* 52:119, do for
shares, the interval is made after adding, for every category, one item on which all raters choose it and (but for the
commonest) one on which a single rater does and the others choose the commonest. The value and its standard error stay
those of the data. In simulation with 50 items and a class of 5 to 8 %, coverage of nominal .95 rises from .64–.84 to
.93–.99; with 500 items nothing changes. See docs/agreement.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEW_ITEMS = 10
FEW_IN_ALL, RARE = 100, 0.1


def invented_counts(rows: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of counts of the invented items; numbers of ratings are the data's mean, at least 2, so not whole.

    Args:
        rows: (n_patterns, q), each with a rating.
        weight: (n_patterns,) total weight of each.
    """
    ratings = rows.sum(axis=1)
    n = max(float(weight @ ratings / weight.sum()), 2.0)
    q = rows.shape[1]
    commonest = int((weight @ (rows / ratings[:, None])).argmax())
    unanimous, split = n * np.eye(q), np.eye(q)
    split[:, commonest] += n - 1
    return np.vstack([unanimous, np.delete(split, commonest, axis=0)])


def doubt(rows: NDArray[np.float64], items: NDArray[np.float64]) -> str | None:
    """Why an interval is rough: a category that occurs on few items, or is rare among few.

    Args:
        rows: (n_patterns, q) counts.
        items: (n_patterns,) number of items with each pattern.
    """
    n = float(items.sum())
    on_items = items @ (rows > 0)
    share = items @ (rows / rows.sum(axis=1, keepdims=True)) / n
    rare = (on_items > 0) & ((on_items < FEW_ITEMS) | ((share < RARE) & (n < FEW_IN_ALL)))
    if not rare.any():
        return None
    category = int(np.where(rare, on_items, np.inf).argmin())
    return f"the interval is rough: category {category} was chosen on only {int(on_items[category])} of {int(n)} items"
