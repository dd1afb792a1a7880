"""Scorers that are linear in counts of n-grams: logit P(positive) = x·coef + intercept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from comoderate.errors import ComoderateError
from comoderate.models.scorer import Scorer
from comoderate.models.text import TOKEN, normalise_all


class LinearTextScorer(Scorer):
    """Shared by the linear baselines: vocabulary, features, prediction and what is saved.

    Attributes:
        terms_: one list of n-grams for each analyser, in the order of the columns.
        coef_: (n_features,) change of the log-odds for a unit of each feature.
        intercept_: log-odds of a text without any known n-gram.
    """

    terms_: list[list[str]]
    coef_: NDArray[np.float64]
    intercept_: float

    def _analysers(self) -> list[dict[str, Any]]:
        """Settings of a ``CountVectorizer`` for each kind of n-gram."""
        raise NotFittedError("the scorer has no analysers")  # pragma: no cover

    def _features(self, counts: list[sparse.csr_array]) -> sparse.csr_array:
        """(n, n_features) features from the counts of each kind of n-gram."""
        return sparse.csr_array(sparse.hstack(counts, format="csr"))

    def predict_proba(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) probability that each text is positive.

        Args:
            texts: (n,) texts; () gives an empty array.

        Raises:
            ValueError: where a text is not a string.
            NotFittedError: before :meth:`fit`.
        """
        if not hasattr(self, "coef_"):
            raise NotFittedError(f"{type(self).__name__} must be fitted before it can score")
        forms = normalise_all(texts)
        if not forms:
            return np.zeros(0)
        return np.asarray(expit(self._features(self._counts(forms)) @ self.coef_ + self.intercept_))

    def _counts(self, forms: list[str]) -> list[sparse.csr_array]:
        made = (vectoriser(settings, terms) for settings, terms in zip(self._analysers(), self.terms_))
        return [sparse.csr_array(one.transform(forms)) for one in made]

    def _learn_counts(self, forms: list[str], min_count: int) -> list[sparse.csr_array]:
        counts = []
        self.terms_ = []
        for settings in self._analysers():
            terms, matrix = learn_terms(settings, forms, min_count)
            self.terms_.append(terms)
            counts.append(matrix)
        if not self.terms_[0]:
            raise ComoderateError("the posts to train on hold no words", do="check which column holds the text")
        return counts

    def _state(self) -> dict[str, Any]:
        terms = ["\n".join(one) for one in self.terms_]
        return {"terms": terms, "coef": self.coef_, "intercept": float(self.intercept_)}

    def _restore(self, state: dict[str, Any]) -> None:
        self.terms_ = [one.split("\n") if one else [] for one in state["terms"]]
        self.coef_, self.intercept_ = state["coef"], state["intercept"]


def vectoriser(settings: dict[str, Any], terms: list[str] | None = None) -> CountVectorizer:
    """A counter of n-grams in normalised texts; with ``terms``, of those only, in that order."""
    vocabulary = None if terms is None else {term: column for column, term in enumerate(terms)}
    tokens = {} if "analyzer" in settings else {"token_pattern": TOKEN}
    return CountVectorizer(lowercase=False, dtype=np.float64, vocabulary=vocabulary, **tokens, **settings)


def learn_terms(settings: dict[str, Any], forms: list[str], min_count: int) -> tuple[list[str], sparse.csr_array]:
    """The n-grams that at least ``min_count`` texts hold, sorted, and their counts (n, n_terms).

    Where no n-gram is that frequent all are kept: a handful of texts still trains a model.
    """
    counter = vectoriser(settings)
    try:
        counts = sparse.csr_array(counter.fit_transform(forms))
    except ValueError:  # scikit-learn's way to say that no text holds a token
        return [], sparse.csr_array((len(forms), 0), dtype=np.float64)
    terms = counter.get_feature_names_out()
    held = np.bincount(counts.indices, minlength=len(terms))
    keep = np.flatnonzero(held >= min_count)
    if keep.size == 0:
        keep = np.arange(len(terms))
    return terms[keep].tolist(), sparse.csr_array(counts[:, keep])
