"""Two ways to keep a classifier from leaning on listed words: weights that part words from labels, and a product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from comoderate.models.lexicon import Lexicon

Array = NDArray[np.float64]


class Reweighed(NamedTuple):
    """Training data under which the groups tell nothing of the label.

    Attributes:
        y: (n,) labels; hard ones as they were.
        weight: (n,) weights.
    """

    y: Array
    weight: Array


def reweigh(groups: ArrayLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Reweighed:
    """Weights under which no group tells anything of the label: w · P(group) P(label) / P(group, label).

    The weight of each group stays what it was. A soft label counts as two weighted posts, whose factors change both
    its weight and the label. Where a group has one class only, nothing changes.

    Source: Kamiran and Calders (2012), Data preprocessing techniques for classification without discrimination,
    section 4.3.

    Args:
        groups: (n,) the group of each post: whether it names an identity, which one, its dialect.
        y: (n,) labels in [0, 1].
        sample_weight: (n,) weights to begin with.

    Raises:
        ValueError: arrays of different lengths.
    """
    codes, names = pd.factorize(np.asarray(groups, dtype=object), use_na_sentinel=False)
    labels = np.asarray(y, dtype=np.float64)
    weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if not len(codes) == len(labels) == len(weight):
        raise ValueError(f"groups, y and weights have lengths {len(codes)}, {len(labels)} and {len(weight)}")
    share = float(weight @ labels / weight.sum())
    size = np.bincount(codes, weight, minlength=len(names))
    positive = np.bincount(codes, weight * labels, minlength=len(names))
    both = (positive > 0) & (positive < size)
    own = np.where(both, positive / np.where(size > 0, size, 1.0), share)
    if share in {0.0, 1.0}:
        return Reweighed(labels, weight)
    kept = np.where(both, share, own)
    as_positive = weight * labels * (kept / own)[codes]
    as_negative = weight * (1 - labels) * ((1 - kept) / (1 - own))[codes]
    total = as_positive + as_negative
    return Reweighed(np.where(total > 0, as_positive / np.where(total > 0, total, 1.0), labels), total)


def lexicon_offset(
    texts: Sequence[str], y: ArrayLike, *, words: Sequence[str], sample_weight: ArrayLike | None = None, most: int = 3
) -> Array:
    """How far listed words alone move the log-odds: what a product with a lexicon model adds while it trains.

    The lexicon model is the share of positives among texts with 0, 1, … and ``most`` or more listed words, each
    smoothed by one text of the overall share. Training sees logit = own logit + offset, so the network learns what
    the words do not explain; prediction leaves the offset out. The overall log-odds are taken off, so that the
    network keeps the base rate.

    Source: Clark, Yatskar and Zettlemoyer (2019), Don't take the easy way out, section 3.2 (bias product).

    Args:
        texts: (n,) texts.
        y: (n,) labels in [0, 1].
        words: the list.
        sample_weight: (n,) weights.
        most: more words than this count as this many.

    Returns:
        (n,) offsets in log-odds.

    Raises:
        ValueError: where a text is not a string.
        ComoderateError: as :class:`Lexicon`.
    """
    labels = np.asarray(y, dtype=np.float64)
    weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    level = np.minimum(Lexicon(words=words).hits(texts), most).astype(np.int64)
    share = float(weight @ labels / weight.sum())
    size = np.bincount(level, weight, minlength=most + 1)
    own = (np.bincount(level, weight * labels, minlength=most + 1) + share) / (size + 1)
    return np.asarray((np.log(own / (1 - own)) - np.log(share / (1 - share)))[level])


def names_any(texts: Sequence[str], words: Sequence[str]) -> NDArray[np.bool_]:
    """(n,) whether each text holds one of the words: the groups of :func:`reweigh` that a list of words makes.

    Raises:
        ValueError, ComoderateError: as :func:`lexicon_offset`.
    """
    return np.asarray(Lexicon(words=words).hits(texts) > 0)
