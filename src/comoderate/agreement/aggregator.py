"""What every way from annotations to labels shares: scikit-learn's manners and the names of what is fitted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.agreement.annotations import Annotations, check_annotations
from comoderate.agreement.vote import ABSTAIN


class Aggregator(ABC):
    """Turns annotations into labels.

    Attributes:
        labels_: (n_items,) codes of categories, -1 where there is no label.
        probas_: (n_items, n_categories) probabilities of the true category, rows NaN where nothing is known.
        skills_: (n_raters,) chance that a rater's answer is right, NaN for raters without annotations.
        prior_: (n_categories,) share of each category among the items, weighted.
    """

    labels_: NDArray[np.int64]
    probas_: NDArray[np.float64]
    skills_: NDArray[np.float64]
    prior_: NDArray[np.float64]

    def fit(
        self,
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
    ) -> Self:
        """Learns labels and skills from annotations.

        Args:
            item, rater, answer: (n_annotations,) codes from 0, a row an annotation.
            cohort: (n_annotations,) codes of the raters' cohorts; one cohort by default.
            sample_weight: (n_items,) weights of items, so that shares and skills are those of the population.
            truth: (n_items,) labels that are known for certain, -1 elsewhere; they stay as they are.
            n_items, n_raters, n_categories: sizes; just enough by default.

        Returns:
            self, fitted.

        Raises:
            ValueError: for bad codes, weights or options, or a rater in two cohorts.
        """
        data = check_annotations(
            item,
            rater,
            answer,
            cohort=cohort,
            sample_weight=sample_weight,
            truth=truth,
            n_items=n_items,
            n_raters=n_raters,
            n_categories=n_categories,
        )
        self._fit(data)
        return self

    def fit_predict(self, item: ArrayLike, rater: ArrayLike, answer: ArrayLike, **options: Any) -> NDArray[np.int64]:
        """As :meth:`fit`; gives ``labels_``."""
        return self.fit(item, rater, answer, **options).labels_

    @abstractmethod
    def _fit(self, data: Annotations) -> None:
        """Sets everything that is fitted."""


def known(probas: NDArray[np.float64], truth: NDArray[np.int64]) -> NDArray[np.float64]:
    """Probabilities with the rows of known labels put to certainty, in place."""
    rows = np.flatnonzero(truth >= 0)
    if rows.size == 0:
        return probas
    probas[rows] = 0.0
    probas[rows, truth[rows]] = 1.0
    return probas


def labels_of(probas: NDArray[np.float64], *, ordinal: bool) -> NDArray[np.int64]:
    """The likeliest category, or for ordinal ones the median, which errs by the fewest steps; -1 for NaN rows.

    Args:
        probas: (n_items, n_categories).
        ordinal: take the median.
    """
    filled = np.nan_to_num(probas, nan=0.0)
    if ordinal:
        best = (np.cumsum(filled, axis=1) >= 0.5 - 1e-12).argmax(axis=1)
    else:
        best = filled.argmax(axis=1)
    return np.where(np.isnan(probas).any(axis=1), ABSTAIN, best).astype(np.int64)
