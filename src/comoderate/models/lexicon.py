"""A list of words as a scorer: no training, no labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.errors import ComoderateError
from comoderate.models.linear import vectoriser
from comoderate.models.scorer import Scorer
from comoderate.models.text import normalise, normalise_all


class Lexicon(Scorer):
    """Scores a text by how many listed words it holds: P = 1 − (1 − per_hit)^hits.

    Each hit calls the text positive with probability ``per_hit``, independently (a noisy or): no hit scores 0, one
    hit ``per_hit``, and a second adds what the first left open. A word that occurs twice counts twice. Words match
    whole tokens, whatever their case; an entry of several words matches them in that order.

    Args:
        words: the list; required.
        per_hit: probability after one hit, in (0, 1).
        random_state: nothing is random here; taken so that all scorers are made alike.
    """

    kind: ClassVar[str] = "lexicon"
    learns: ClassVar[bool] = False

    def __init__(self, *, words: Sequence[str] = (), per_hit: float = 0.6, random_state: int | None = None) -> None:
        self.words = words
        self.per_hit = per_hit
        self.random_state = random_state

    def fit(self, texts: Sequence[str], y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Check the settings; texts, labels and weights are not looked at.

        Raises:
            ComoderateError: no words, a word without a letter or digit, ``per_hit`` outside (0, 1).
        """
        self._entries()
        return self

    def predict_proba(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) score of each text, in [0, 1).

        Raises:
            ValueError: where a text is not a string.
            ComoderateError: as :meth:`fit`.
        """
        return np.asarray(1.0 - (1.0 - self.per_hit) ** self.hits(texts))

    def hits(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) number of listed words in each text.

        Raises:
            ValueError, ComoderateError: as :meth:`predict_proba`.
        """
        entries, forms = self._entries(), normalise_all(texts)
        if not forms:
            return np.zeros(0)
        longest = max(entry.count(" ") for entry in entries) + 1
        found = vectoriser({"ngram_range": (1, longest)}, entries).transform(forms).sum(axis=1)
        return np.asarray(found, dtype=np.float64).ravel()

    def _entries(self) -> list[str]:
        """The words as the tokeniser sees them, sorted, each once."""
        if isinstance(self.words, str) or not len(self.words):
            raise ComoderateError("a lexicon scorer has no words", do='give it words = ["first", "second"]')
        if not 0 < self.per_hit < 1:
            raise ComoderateError(f"per_hit is {self.per_hit}", do="choose a number between 0 and 1")
        tokens = vectoriser({}).build_tokenizer()
        entries = {word: " ".join(tokens(normalise(word))) for word in self.words}
        for word, entry in entries.items():
            if not entry:
                raise ComoderateError(f"the lexicon's word {word!r} has no letter or digit", do="remove it")
        return sorted(set(entries.values()))

    def _state(self) -> dict[str, Any]:
        return {"words": self._entries()}

    def _restore(self, state: dict[str, Any]) -> None:
        """Nothing was learnt: the settings are the model."""
