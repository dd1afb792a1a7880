"""Annotations as aggregation takes them: checked codes of item, rater, answer and cohort."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from comoderate.agreement.counts import check_codes, check_weight, counts_from_annotations


@dataclass(frozen=True, slots=True)
class Annotations:
    """Checked annotations.

    Attributes:
        item, rater, answer: (n_annotations,) codes.
        cohort: (n_raters,) the cohort of each rater; 0 for raters without annotations.
        weight: (n_items,) weights of items.
        truth: (n_items,) known labels, -1 where unknown.
        n_items, n_raters, n_categories, n_cohorts: sizes.
    """

    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    answer: NDArray[np.int64]
    cohort: NDArray[np.int64]
    weight: NDArray[np.float64]
    truth: NDArray[np.int64]
    n_items: int
    n_raters: int
    n_categories: int
    n_cohorts: int

    def counts(self) -> NDArray[np.float64]:
        """(n_items, n_categories) votes."""
        return counts_from_annotations(self.item, self.answer, n_items=self.n_items, n_categories=self.n_categories)

    def counts_of(self, cohorts: tuple[int, ...]) -> NDArray[np.float64]:
        """(n_items, n_categories) votes of raters of these cohorts."""
        mine = np.isin(self.cohort[self.rater], cohorts).astype(np.float64)
        return counts_from_annotations(
            self.item, self.answer, n_items=self.n_items, n_categories=self.n_categories, weight=mine
        )

    def incidence(self) -> sparse.csr_array:
        """(n_items, n_raters · n_categories) how often a rater gave an item an answer."""
        column = self.rater * self.n_categories + self.answer
        shape = (self.n_items, self.n_raters * self.n_categories)
        return sparse.csr_array((np.ones(self.item.size), (self.item, column)), shape=shape)


def check_annotations(
    item: ArrayLike,
    rater: ArrayLike,
    answer: ArrayLike,
    *,
    cohort: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    truth: ArrayLike | None = None,
    n_items: int | None = None,
    n_raters: int | None = None,
    n_categories: int | None = None,
) -> Annotations:
    """Checks and sizes annotations.

    Args:
        item, rater, answer: (n_annotations,) codes from 0. Raters must be known: votes without raters have none.
        cohort: (n_annotations,) codes of the cohort that the rater belongs to; one cohort by default.
        sample_weight: (n_items,) weights of items; 1 by default.
        truth: (n_items,) codes of labels that are known, -1 elsewhere.
        n_items, n_raters, n_categories: sizes; just enough by default.

    Returns:
        Annotations.

    Raises:
        ValueError: for bad codes or sizes, or a rater in two cohorts.
    """
    items = check_codes(item, "item")
    raters = check_codes(rater, "rater", size=items.size)
    answers = check_codes(answer, "answer", size=items.size)
    known = None if truth is None else np.asarray(truth).astype(np.int64)
    label_size = -1 if known is None or known.size == 0 else int(known.max())
    sizes = (
        _size(items, n_items, "item"),
        _size(raters, n_raters, "rater"),
        _size(np.append(answers, max(label_size, 0)), n_categories, "answer"),
    )
    if known is not None and known.shape != (sizes[0],):
        raise ValueError(f"truth must have shape ({sizes[0]},); got {known.shape}")
    weight = check_weight(sample_weight, sizes[0])
    cohorts = np.zeros(items.size, dtype=np.int64) if cohort is None else check_codes(cohort, "cohort", size=items.size)
    of_rater = np.zeros(sizes[1], dtype=np.int64)
    of_rater[raters] = cohorts
    if not np.array_equal(of_rater[raters], cohorts):
        raise ValueError(f"rater {int(raters[of_rater[raters] != cohorts][0])} belongs to two cohorts")
    return Annotations(
        item=items,
        rater=raters,
        answer=answers,
        cohort=of_rater,
        weight=np.ones(sizes[0]) if weight is None else weight,
        truth=np.full(sizes[0], -1, dtype=np.int64) if known is None else known,
        n_items=sizes[0],
        n_raters=sizes[1],
        n_categories=sizes[2],
        n_cohorts=int(of_rater.max(initial=0)) + 1,
    )


def _size(codes: NDArray[np.int64], wanted: int | None, name: str) -> int:
    """Number of codes: as given, or just enough."""
    needed = int(codes.max(initial=-1)) + 1
    if wanted is not None and needed > wanted:
        raise ValueError(f"{name} holds code {needed - 1}, but there are only {wanted}")
    return needed if wanted is None else wanted
