"""Logistic regression on TF-IDF of word and character n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from comoderate.models.linear import LinearTextScorer
from comoderate.models.text import normalise_all
from comoderate.models.training import check_training, split_soft


class TfidfLogistic(LinearTextScorer):
    """Logistic regression with an L2 penalty on TF-IDF features.

    A term that stands in d of n texts has idf log((1 + n)/(1 + d)) + 1; its feature is (1 + log count) · idf, and
    each kind of n-gram is scaled to length 1. Character n-grams stay within words and see through odd spellings.
    Trained by a trust-region Newton method (liblinear), which penalises the intercept too and needs no random
    numbers. Soft labels become two weighted rows.

    Source: Salton and Buckley (1988), Term-weighting approaches in automatic text retrieval.

    Args:
        word_ngrams: shortest and longest run of words.
        char_ngrams: shortest and longest run of characters within a word; None for words only.
        c: inverse strength of the penalty, > 0.
        min_count: a term must stand in as many texts.
        random_state: nothing is random here; taken so that all scorers are made alike.
    """

    kind: ClassVar[str] = "tfidf_logistic"

    def __init__(
        self,
        *,
        word_ngrams: tuple[int, int] = (1, 2),
        char_ngrams: tuple[int, int] | None = (4, 4),
        c: float = 2.0,
        min_count: int = 2,
        random_state: int | None = None,
    ) -> None:
        self.word_ngrams = word_ngrams
        self.char_ngrams = char_ngrams
        self.c = c
        self.min_count = min_count
        self.random_state = random_state

    def fit(self, texts: Sequence[str], y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from texts and labels.

        Args:
            texts: (n,) texts.
            y: (n,) in {0, 1}, or soft labels in [0, 1].
            sample_weight: (n,) weights >= 0, scaled to mean 1; they enter the loss, not the idf.

        Raises:
            ValueError: as :func:`check_training`.
            ComoderateError: labels of one class only, or no words.
        """
        labels, weight = check_training(texts, y, sample_weight)
        counts = self._learn_counts(normalise_all(texts), self.min_count)
        self.idf_ = [idf_of(one) for one in counts]
        rows = split_soft(labels, weight)
        model = LogisticRegression(C=self.c, solver="liblinear", random_state=0)
        model.fit(self._features(counts)[rows.row], rows.label, sample_weight=rows.weight)
        self.coef_, self.intercept_ = model.coef_[0], float(model.intercept_[0])
        return self

    def _features(self, counts: list[sparse.csr_array]) -> sparse.csr_array:
        return super()._features([tfidf(one, idf) for one, idf in zip(counts, self.idf_)])

    def _analysers(self) -> list[dict[str, Any]]:
        words = {"ngram_range": tuple(self.word_ngrams)}
        if self.char_ngrams is None:
            return [words]
        return [words, {"analyzer": "char_wb", "ngram_range": tuple(self.char_ngrams)}]

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "idf": self.idf_}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self.idf_ = state["idf"]


def idf_of(counts: sparse.csr_array) -> NDArray[np.float64]:
    """(n_terms,) log((1 + n)/(1 + d)) + 1 of terms that stand in d of n texts."""
    n, n_terms = counts.shape
    held = np.bincount(counts.indices, minlength=n_terms)
    return np.asarray(np.log((1 + n) / (1 + held)) + 1.0)


def tfidf(counts: sparse.csr_array, idf: NDArray[np.float64]) -> sparse.csr_array:
    """(n, n_terms) (1 + log count) · idf, each row of length 1."""
    scaled = counts.copy()
    scaled.data = (1.0 + np.log(scaled.data)) * idf[scaled.indices]
    return sparse.csr_array(normalize(scaled, copy=False))
