"""Multinomial naive Bayes on counts of word n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from comoderate.models.linear import LinearTextScorer
from comoderate.models.text import normalise_all
from comoderate.models.training import check_training


class NaiveBayes(LinearTextScorer):
    """Multinomial naive Bayes: words are drawn independently from one of two vocabularies.

    With n_tc the weighted count of n-gram t in class c and a smoothing of α,
    P(t|c) = (n_tc + α) / (Σ_t n_tc + α V), and the log-odds of a text are
    log P(1)/P(0) + Σ_t count_t log P(t|1)/P(t|0). A soft label counts for both classes in its proportion.
    Ranks well and trains in a second; its probabilities are too sure of themselves, so calibrate them.

    Source: McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification.

    Args:
        word_ngrams: shortest and longest run of words that counts as a term.
        alpha: smoothing, > 0.
        min_count: a term must stand in as many texts.
        random_state: nothing is random here; taken so that all scorers are made alike.
    """

    kind: ClassVar[str] = "naive_bayes"

    def __init__(
        self,
        *,
        word_ngrams: tuple[int, int] = (1, 2),
        alpha: float = 0.2,
        min_count: int = 2,
        random_state: int | None = None,
    ) -> None:
        self.word_ngrams = word_ngrams
        self.alpha = alpha
        self.min_count = min_count
        self.random_state = random_state

    def fit(self, texts: Sequence[str], y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from texts and labels.

        Args:
            texts: (n,) texts.
            y: (n,) in {0, 1}, or soft labels in [0, 1].
            sample_weight: (n,) weights >= 0, scaled to mean 1.

        Raises:
            ValueError: as :func:`check_training`.
            ComoderateError: labels of one class only, or no words.
        """
        labels, weight = check_training(texts, y, sample_weight)
        (counts,) = self._learn_counts(normalise_all(texts), self.min_count)
        positive, negative = weight * labels, weight * (1.0 - labels)
        self.coef_ = self._log_rate(counts, positive) - self._log_rate(counts, negative)
        self.intercept_ = float(np.log(positive.sum()) - np.log(negative.sum()))
        return self

    def _log_rate(self, counts: sparse.csr_array, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        smoothed = counts.T @ weight + self.alpha
        return np.asarray(np.log(smoothed) - np.log(smoothed.sum()))

    def _analysers(self) -> list[dict[str, Any]]:
        return [{"ngram_range": tuple(self.word_ngrams)}]
