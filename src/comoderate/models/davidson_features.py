"""The features of Davidson et al. with logistic regression: n-grams of stems, readability, and marks of tweets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from comoderate.models.linear import LinearTextScorer
from comoderate.models.text import TOKEN, normalise_all
from comoderate.models.tfidf_logistic import idf_of, tfidf
from comoderate.models.training import check_training, split_soft

SURFACE = (
    "reading_ease", "grade_level", "syllables", "syllables_a_word", "characters", "words", "different_words",
    "handles", "hashtags", "links", "has_handle", "has_hashtag", "has_link", "retweet",
)  # fmt: skip
_TOKEN = re.compile(TOKEN)
_VOWELS = re.compile(r"[aeiouy]+")
_MARKS = {"@user", "httplink", "rt"}
_SUFFIX = re.compile(r"(?<=\w{3})(?:ings?|edly|ed|ies|es|s|ly|ers?|ness|ment)$")


class DavidsonFeatures(LinearTextScorer):
    """Logistic regression on TF-IDF of runs of one to three stems and fourteen marks of the text's surface.

    The marks are the Flesch reading ease and the Flesch–Kincaid grade with one sentence a text, as the paper has them,
    counts of syllables, characters, words and different words, and counts and presence of handles, hashtags, links
    and repeats, each scaled to mean 0 and variance 1. Stems are cut by a short list of English suffixes. Two of the
    paper's features are left out, for both need models from elsewhere: tags of parts of speech and the VADER
    sentiment.

    Source: Davidson et al. (2017), Automated hate speech detection and the problem of offensive language, section 3.

    Args:
        word_ngrams: shortest and longest run of stems.
        c: inverse strength of the L2 penalty, > 0.
        min_count: a run must stand in as many texts.
        class_weight: "balanced" as published, or None for probabilities that fit the training posts.
        random_state: nothing is random here; taken so that all scorers are made alike.
    """

    kind: ClassVar[str] = "davidson_features"

    def __init__(
        self,
        *,
        word_ngrams: tuple[int, int] = (1, 3),
        c: float = 2.0,
        min_count: int = 5,
        class_weight: str | None = None,
        random_state: int | None = None,
    ) -> None:
        self.word_ngrams = word_ngrams
        self.c = c
        self.min_count = min_count
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, texts: Sequence[str], y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from texts and labels.

        Args:
            texts: (n,) texts.
            y: (n,) in {0, 1}, or soft labels in [0, 1].
            sample_weight: (n,) weights >= 0, scaled to mean 1; they enter the loss only.

        Raises:
            ValueError: as :func:`check_training`.
            ComoderateError: labels of one class only, or no words.
        """
        labels, weight = check_training(texts, y, sample_weight)
        forms = normalise_all(texts)
        (counts,) = self._learn_counts([stemmed(form) for form in forms], self.min_count)
        marks = surface(forms)
        self.idf_ = idf_of(counts)
        self.mean_ = marks.mean(axis=0)
        spread = marks.std(axis=0)
        self.spread_ = np.where(spread > 1e-9, spread, 1.0)
        rows = split_soft(labels, weight)
        model = LogisticRegression(C=self.c, solver="liblinear", class_weight=self.class_weight, random_state=0)
        features = self._features([counts, sparse.csr_array(marks)])
        model.fit(features[rows.row], rows.label, sample_weight=rows.weight)
        self.coef_, self.intercept_ = model.coef_[0], float(model.intercept_[0])
        return self

    def _counts(self, forms: list[str]) -> list[sparse.csr_array]:
        return [*super()._counts([stemmed(form) for form in forms]), sparse.csr_array(surface(forms))]

    def _features(self, counts: list[sparse.csr_array]) -> sparse.csr_array:
        runs, marks = counts
        scaled = (marks.toarray() - self.mean_) / self.spread_
        return super()._features([tfidf(runs, self.idf_), sparse.csr_array(scaled)])

    def _analysers(self) -> list[dict[str, Any]]:
        return [{"ngram_range": tuple(self.word_ngrams)}]

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "idf": self.idf_, "mean": self.mean_, "spread": self.spread_}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self.idf_, self.mean_, self.spread_ = state["idf"], state["mean"], state["spread"]


def stemmed(form: str) -> str:
    """A normalised text with each word cut to its stem."""
    return " ".join(word if word in _MARKS else _SUFFIX.sub("", word) for word in _TOKEN.findall(form))


def surface(forms: Sequence[str]) -> NDArray[np.float64]:
    """(n, 14) marks of normalised texts, named by :data:`SURFACE`."""
    return np.array([_marks(form) for form in forms], dtype=np.float64).reshape(len(forms), len(SURFACE))


def _marks(form: str) -> list[float]:
    tokens = _TOKEN.findall(form)
    words = [token for token in tokens if token not in _MARKS]
    syllables = sum(max(1, len(_VOWELS.findall(word))) for word in words)
    n = max(1, len(words))
    handles, links, hashtags = tokens.count("@user"), tokens.count("httplink"), form.count("#")
    ease = 206.835 - 1.015 * len(words) - 84.6 * syllables / n
    grade = 0.39 * len(words) + 11.8 * syllables / n - 15.59
    counts = [handles, hashtags, links]
    return [
        ease, grade, syllables, syllables / n, len(form), len(words), len(set(words)),
        *counts, *(float(count > 0) for count in counts), float(tokens[:1] == ["rt"]),
    ]  # fmt: skip
