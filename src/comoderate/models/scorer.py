"""What every scorer of ours is: scikit-learn's manners for texts, and a folder it can be saved to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from comoderate.models import store

STATE = "model.skops"


class Scorer(ABC, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Gives each text a probability of being positive.

    A subclass stores its settings in the constructor, learns in :meth:`fit`, and says in :meth:`_state` and
    :meth:`_restore` (or :meth:`_write` and :meth:`_read`, where it has files of its own) how it is kept.

    Attributes:
        kind: the name under which ``models.KINDS`` lists the class.
        learns: whether :meth:`fit` uses the labels; a scorer that doesn't has seen no fold.
    """

    kind: ClassVar[str]
    learns: ClassVar[bool] = True

    @abstractmethod
    def fit(self, texts: Sequence[str], y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from (n,) texts and (n,) labels in {0, 1} or soft labels in [0, 1]."""

    @abstractmethod
    def predict_proba(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) probability that each text is positive."""

    def save(self, folder: str | Path, *, card: dict[str, Any]) -> None:
        """Write the model to a folder, made where missing; a model that is there already is replaced.

        Args:
            folder: the model's folder.
            card: what the model was trained on, as JSON can hold it; :func:`read_card` gives it back.

        Raises:
            ComoderateError: where the card is not JSON.
        """
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        (path / store.MANIFEST).unlink(missing_ok=True)
        files = self._write(path)
        store.write_manifest(path, kind=self.kind, settings=self.get_params(deep=False), files=files, card=card)

    def _write(self, folder: Path) -> list[str]:
        store.write_state(folder / STATE, self._state())
        return [STATE]

    def _read(self, folder: Path) -> None:
        self._restore(store.read_state(folder / STATE))

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """What was learnt, as strings, numbers and arrays."""

    @abstractmethod
    def _restore(self, state: dict[str, Any]) -> None:
        """Take back what :meth:`_state` gave."""
