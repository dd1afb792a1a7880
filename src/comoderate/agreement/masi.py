"""Agreement where a question takes several answers: α with the MASI distance of sets, and κ of each answer."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.alpha import krippendorff_alpha_counts
from comoderate.agreement.counts import check_codes, counts_from_annotations
from comoderate.agreement.kappa import fleiss_kappa
from comoderate.metrics.estimate import Estimate


def masi_distance(sets: ArrayLike) -> NDArray[np.float64]:
    """Distances of sets: 1 − |A ∩ B| / |A ∪ B| · m.

    m is 1 for equal sets, 2/3 where one holds the other, 1/3 where they overlap, 0 where they have nothing in common;
    two empty sets are equal. Passonneau (2006), *Measuring Agreement on Set-valued Items*, LREC.

    Args:
        sets: (n, q) booleans, which of the q answers each set holds.

    Returns:
        (n, n) in [0, 1].

    Raises:
        ValueError: unless the sets are a table.
    """
    held = _sets(sets).astype(np.float64)
    size = held.sum(axis=1)
    both = held @ held.T
    either = size[:, None] + size[None, :] - both
    smaller = np.minimum(size[:, None], size[None, :])
    share = np.divide(both, either, out=np.ones_like(both), where=either > 0)
    monotone = np.where(both == 0, 0.0, np.where(both == smaller, 2 / 3, 1 / 3))
    monotone[both == either] = 1.0
    return np.asarray(1.0 - share * monotone)


def krippendorff_alpha_sets(
    item: ArrayLike,
    sets: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.95,
    replicates: int | Iterable[ArrayLike] | None = None,
    random_state: int | None = None,
) -> Estimate:
    """Krippendorff's α of sets of answers, with MASI's distance.

    Args:
        item: (n_annotations,) codes of items, of the annotations that were asked the question.
        sets: (n_annotations, q) booleans, the answers of each.
        sample_weight: (n_items,) weights of items; 1 by default.
        confidence, replicates, random_state: as :func:`krippendorff_alpha`.

    Returns:
        Estimate; NaN with a reason where no item has two annotations, or their sets are all equal.

    Raises:
        ValueError: for bad codes, sets or weights.
    """
    held = _sets(sets)
    codes = check_codes(item, "item", size=len(held))
    distinct, which = np.unique(held, axis=0, return_inverse=True)
    n_items = None if sample_weight is None else len(np.asarray(sample_weight))
    counts = counts_from_annotations(codes, which.reshape(-1), n_items=n_items, n_categories=max(len(distinct), 1))
    return krippendorff_alpha_counts(
        counts,
        distance=masi_distance(distinct) if len(distinct) else np.zeros((1, 1)),
        sample_weight=sample_weight,
        confidence=confidence,
        replicates=replicates,
        random_state=random_state,
    )


def fleiss_kappa_by_answer(
    item: ArrayLike,
    sets: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    replicates: int | None = None,
    random_state: int | None = None,
) -> list[Estimate]:
    """Fleiss' κ of "chose this answer or not" for each answer, over the annotations that were asked.

    Items that only one rater was asked about are left out altogether, so that chance is that of the same items.

    Args:
        item: (n_annotations,) codes of items, of the annotations that were asked the question.
        sets: (n_annotations, q) booleans, the answers of each.
        sample_weight: (n_items,) weights of items; 1 by default.
        level, replicates, random_state: as :func:`fleiss_kappa`.

    Returns:
        q estimates.

    Raises:
        ValueError: for bad codes, sets or weights.
    """
    held = _sets(sets)
    codes = check_codes(item, "item", size=len(held))
    n_items = None if sample_weight is None else len(np.asarray(sample_weight))
    found = []
    for answer in held.T:
        counts = counts_from_annotations(codes, answer.astype(np.int64), n_items=n_items, n_categories=2)
        counts[counts.sum(axis=1) < 2] = 0.0
        found.append(
            fleiss_kappa(
                counts, sample_weight=sample_weight, level=level, replicates=replicates, random_state=random_state
            )
        )
    return found


def _sets(sets: ArrayLike) -> NDArray[np.bool_]:
    """Sets as a table of booleans."""
    held = np.asarray(sets)
    if held.ndim != 2 or not np.isin(held, (0, 1)).all():
        raise ValueError(f"sets must be a table (n, q) of yes and no; got shape {held.shape}")
    return held.astype(bool)
