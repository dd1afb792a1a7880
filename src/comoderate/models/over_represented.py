"""Words that occur most disproportionately in one class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comoderate.models.linear import learn_terms

Array = NDArray[np.float64]


def over_represented(
    forms: list[str], y: Array, *, most: int, sample_weight: Array | None = None, min_count: int = 3
) -> Sequence[str]:
    """The words that the positive class uses more than the negative, the surest first.

    Words are ordered by the z-score of their log-odds ratio, (log o₁ − log o₀) / √(1/n₁ + 1/n₀), where n counts the
    word in a class with half an occurrence added and o is n against all other words of the class. A plain ratio would
    put words first that occur once.

    Source: Monroe, Colaresi and Quinn (2008), Fightin' words, section 3.3.

    Args:
        forms: (n,) normalised texts.
        y: (n,) labels in [0, 1]; a soft label counts for both classes.
        most: how many words at most; only those with a positive score are given.
        sample_weight: (n,) weights.
        min_count: a word must stand in as many texts.
    """
    terms, counts = learn_terms({"ngram_range": (1, 1)}, forms, min_count)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    first, second = (counts.T @ (weight * share) + 0.5 for share in (y, 1 - y))
    ratio = _log_odds(first) - _log_odds(second)
    score = ratio / np.sqrt(1 / first + 1 / second)
    order = np.argsort(-score, kind="stable")[:most]
    return [terms[place] for place in order if score[place] > 0]


def _log_odds(count: Array) -> Array:
    return np.asarray(np.log(count) - np.log(count.sum() - count + 1e-12))
