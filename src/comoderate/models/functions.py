"""Classifiers that are there already, as scorers: a Python function, or a Hugging Face text classifier."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from comoderate.errors import ComoderateError
from comoderate.models.batch import errors_where
from comoderate.models.services.scorer import Answers
from comoderate.models.services.spec import CANARIES
from comoderate.models.store import file_digest

GROUP = "comoderate.scorers"
"""The entry points by which an installed package offers functions to studies."""

Function = Callable[[Sequence[str]], Any]


class Predictor(Protocol):
    """What gives probabilities of texts, or errors."""

    def predict(self, texts: Sequence[str]) -> Answers:
        """Probabilities of (n,) texts, or errors."""


class Versioned(Predictor, Protocol):
    """One that knows when it is another."""

    def version(self) -> str:
        """Ten hex digits that change when the scorer does."""


class FunctionScorer:
    """A Python function as a scorer.

    Args:
        function: takes a list of n texts, gives n probabilities; NaN where it has none.
        name: for messages.
    """

    def __init__(self, function: Function, *, name: str = "function") -> None:
        self.function, self.name = function, name

    def predict(self, texts: Sequence[str]) -> Answers:
        """Probabilities of (n,) texts; a NaN becomes an error of that text.

        Raises:
            ComoderateError: the function gives something else than n numbers in [0, 1].
        """
        if not len(texts):
            return Answers(np.zeros(0), np.zeros(0, dtype=object))
        given = self.function(list(texts))
        try:
            proba = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            raise ComoderateError(f"{self.name} does not give numbers: {problem}", do=_GIVE) from problem
        if proba.shape != (len(texts),):
            raise ComoderateError(f"{self.name} gives shape {proba.shape} for {len(texts)} texts", do=_GIVE)
        outside = ~np.isnan(proba) & ~((proba >= 0) & (proba <= 1))
        if outside.any():
            raise ComoderateError(f"{self.name} gives {proba[outside][0]}", do="probabilities lie in [0, 1]")
        return Answers(proba, errors_where(np.isnan(proba), f"{self.name} gave no probability"))

    def version(self) -> str:
        """Ten hex digits over the function's probabilities for some invented texts, to three digits."""
        return _digest([f"{value:.3f}" for value in self.predict(CANARIES).proba])


_GIVE = "give one probability for each text"


def installed_function(name: str) -> Function:
    """The function that an installed package offers under the entry points of :data:`GROUP`.

    A study's file names functions, it does not say where their code is: nothing runs that was not installed.

    Raises:
        ComoderateError: no package offers it.
    """
    offered = {point.name: point for point in entry_points(group=GROUP)}
    if name not in offered:
        listed = ", ".join(sorted(offered)) or "none"
        raise ComoderateError(
            f"no function is given for scorer {name!r}",
            do=f"from Python: Study.open(…, functions={{{name!r}: function}}); installed packages offer: {listed}",
        )
    found: Function = offered[name].load()
    return found


class PipelineScorer:
    """A Hugging Face text classifier on this machine.

    Weights are read from safetensors only, and a folder's own code is never run.

    Args:
        model: a folder, or a name on the hub.
        label: the label that means positive; of several, separated by commas, the probabilities are added.
        batch_size: texts at once.
        max_length: tokens of a text that are read.
        revision: of a model on the hub; name a commit to be sure that it stays the same.
    """

    def __init__(
        self, *, model: str, label: str, batch_size: int = 32, max_length: int = 256, revision: str = "main"
    ) -> None:
        self.model, self.label, self.batch_size, self.max_length = model, label, batch_size, max_length
        self.revision = revision
        self._pipeline: Any = None

    def predict(self, texts: Sequence[str]) -> Answers:
        """Probabilities of (n,) texts.

        Raises:
            ComoderateError: ``comoderate[models]`` is missing, the model cannot be loaded, or has no such label.
        """
        pipeline = self._loaded()
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        proba = np.full(len(texts), np.nan)
        wanted = {label.strip() for label in self.label.split(",")}
        for start in range(0, len(order), self.batch_size):
            some = order[start : start + self.batch_size]
            answers = pipeline([texts[at] for at in some], batch_size=len(some), truncation=True,
                               max_length=self.max_length, top_k=None)  # fmt: skip
            for at, scores in zip(some, answers, strict=True):
                proba[at] = min(1.0, sum(one["score"] for one in scores if one["label"] in wanted))
        return Answers(proba, np.full(len(texts), None, dtype=object))

    def version(self) -> str:
        """Ten hex digits over the model's files (on the hub: its name and revision), and how it is read."""
        own = [self.label, str(self.max_length)]
        folder = Path(self.model)
        if folder.is_dir():
            files = sorted(file for file in folder.rglob("*") if file.is_file())
            return _digest([*own, *(f"{file.relative_to(folder)} {file_digest(file)}" for file in files)])
        return _digest([*own, self.model, self.revision])

    def _loaded(self) -> Any:
        if self._pipeline is None:
            for package in ("torch", "transformers"):
                if find_spec(package) is None:
                    raise ComoderateError(f"kind = 'pipeline' needs {package}", do="install comoderate[models]")
            self._pipeline = self._load()
            self._check_labels(self._pipeline.model.config)
        return self._pipeline

    def _load(self) -> Any:
        from transformers import pipeline

        try:
            return pipeline(
                "text-classification", model=self.model, revision=self.revision, trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )  # fmt: skip
        except (OSError, ValueError) as error:
            problem = (str(error).splitlines() or ["?"])[0]
            raise ComoderateError(f"the model cannot be loaded: {problem}", where=self.model) from None

    def _check_labels(self, config: Any) -> None:
        known = set(config.id2label.values())
        missing = {label.strip() for label in self.label.split(",")} - known
        if missing:
            raise ComoderateError(
                f"the model has no label {min(missing)!r}", where=self.model, do=f"it has: {', '.join(sorted(known))}"
            )


def _digest(parts: Sequence[str]) -> str:
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=5).hexdigest()
