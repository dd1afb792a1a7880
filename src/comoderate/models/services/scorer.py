"""A prediction service as a scorer: answers from the cache where they are, else from the service."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from comoderate.errors import CannotScoreError
from comoderate.models.services.asking import KEPT, Asking
from comoderate.models.services.cache import Cache, Stored, text_digest
from comoderate.models.services.client import Client
from comoderate.models.services.pace import Pace
from comoderate.models.services.paths import NonsenseError
from comoderate.models.services.purse import Purse
from comoderate.models.services.spec import Service


class Answers(NamedTuple):
    """What a scorer that may fail says of texts.

    Attributes:
        proba: (n,) probabilities of being positive; NaN where there is none.
        error: (n,) why there is none, in words; None where there is one.
    """

    proba: NDArray[np.float64]
    error: NDArray[np.object_]


class Counts(NamedTuple):
    """What scoring took so far, in this run.

    Attributes:
        texts: texts that were to be scored, repetitions included.
        cached: of those, answered from the cache.
        sent: different texts that were sent.
        errors: texts without a probability, repetitions included.
        spent: what the service may have charged for all runs together.
    """

    texts: int = 0
    cached: int = 0
    sent: int = 0
    errors: int = 0
    spent: float = 0.0


class ServiceScorer:
    """Scores texts by a service. Use it in a ``with`` block.

    Args:
        service: the service.
        folder: where caches are kept; services that are asked in the same way share one, however their answers are
            read.
        environment: where ``${NAME}`` in headers and address is looked up.
        progress: called with the number of texts answered so far.

    Attributes:
        counts: what it took.
    """

    def __init__(
        self,
        service: Service,
        folder: Path,
        *,
        environment: Mapping[str, str] = os.environ,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.service, self.environment, self.progress = service, environment, progress
        self._stopped = threading.Event()
        self._pace = Pace(service.requests_per_second, sleep=self._stopped.wait)
        self._client: Client | None = None
        self._cache = Cache(folder / f"{service.identity}.db")
        self._purse = Purse(service.budget, service.cost(*self._cache.charged()))
        self.counts = Counts(spent=self._purse.spent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close connections and cache."""
        if self._client is not None:
            self._client.close()
        self._cache.close()

    def predict(self, texts: Sequence[str]) -> Answers:
        """The probabilities of texts; those that are not in the cache are sent to the service.

        Args:
            texts: (n,) texts.

        Raises:
            CannotScoreError: the budget is spent, or the service is out of order or refuses us; what it answered so
                far is kept.
            ComoderateError: an environment variable is not set.
        """
        names = [text_digest(text) for text in texts]
        different = dict(zip(names, texts, strict=True))
        known = self._cache.find(different)
        missing = {name: text for name, text in different.items() if name not in known}
        failed: dict[bytes, str] = {}
        if missing:
            failed = self._ask(missing)
            known |= self._cache.find(missing)
        found = {name: self._read(known[name].part, known[name].error) for name in known}
        found |= {name: (float("nan"), problem) for name, problem in failed.items() if name not in found}
        answers = Answers(
            np.array([found[name][0] for name in names], dtype=np.float64),
            np.array([found[name][1] for name in names], dtype=object),
        )
        self._count(answers, cached=sum(name not in missing for name in names), sent=len(missing))
        return answers

    def _count(self, answers: Answers, *, cached: int, sent: int) -> None:
        n = len(answers.proba)
        errors = int(np.isnan(answers.proba).sum())
        old = self.counts
        self.counts = Counts(
            old.texts + n, old.cached + cached, old.sent + sent, old.errors + errors, self._purse.spent
        )

    def _read(self, part: Any, error: str | None) -> tuple[float, str | None]:
        if error is not None:
            return float("nan"), error
        try:
            return self.service.read(part), None
        except NonsenseError as problem:
            return float("nan"), str(problem)

    def _ask(self, texts: Mapping[bytes, str]) -> dict[bytes, str]:
        return Asking(
            self.service, self._connected(), self._cache, pace=self._pace, purse=self._purse, stopped=self._stopped,
            progress=self.progress,
        ).ask(texts)  # fmt: skip

    def _connected(self) -> Client:
        if self._client is None:
            self._client = Client(self.service, self.environment)
        return self._client

    def version(self, *, rescore: bool) -> str:
        """Ten hex digits that change when the service, its settings here, or its answers on the canaries change.

        Args:
            rescore: ask for the canaries now; where an answer moved by more than the tolerance, what the cache holds
                counts for nothing any more. Else the version that the last such call gave.

        Raises:
            CannotScoreError: as :meth:`predict`.
            ComoderateError: an environment variable is not set.
        """
        if rescore and self.service.canaries:
            self._rescore()
        parts = self._cache.canaries()
        known = [self._read(parts.get(text), None)[0] for text in self.service.canaries if text in parts]
        named = json.dumps([self.service.identity, self.service.reading, self._cache.epoch, known])
        return hashlib.blake2b(named.encode(), digest_size=5).hexdigest()

    def _rescore(self) -> None:
        now, before = self._canaries(), self._cache.canaries()
        shared = [text for text in now if text in before]
        moved = [abs(self._proba(now[text]) - self._proba(before[text])) for text in shared]
        if any(not one <= self.service.canary_tolerance for one in moved):
            self._cache.begin_epoch(now)
        else:
            self._cache.add_canaries(now)

    def _proba(self, part: Any) -> float:
        return self._read(part, None)[0]

    def _canaries(self) -> dict[str, Any]:
        """The service's answers on the canaries now, past the cache."""
        aside = _Aside(self._cache)
        asking = Asking(
            self.service, self._connected(), aside, pace=self._pace, purse=self._purse, stopped=self._stopped
        )
        named = {text_digest(text): text for text in dict.fromkeys(self.service.canaries)}
        failed = asking.ask(named) | {name: str(one.error) for name, one in aside.found.items() if one.error}
        if failed:
            raise CannotScoreError(
                f"the service {self.service.host} has no answer for a canary ({next(iter(failed.values()))})",
                do=f"check canaries; {KEPT}",
            )
        return {named[name]: one.part for name, one in aside.found.items()}


class _Aside:
    """In place of a cache, for the canaries: answers are held in memory only; what is charged is stored."""

    def __init__(self, cache: Cache) -> None:
        self.found: dict[bytes, Stored] = {}
        self.epoch = secrets.randbits(62)  # canaries' requests are never those of an earlier run
        self.charge = cache.charge

    def sending(self, key: str, texts: Sequence[bytes]) -> None:
        """Nothing to note: a canary that was not answered is asked again."""

    def under_way(self) -> Iterator[tuple[str, list[bytes]]]:
        """Nothing is."""
        return iter(())

    def finish(self, key: str, found: Mapping[bytes, Stored]) -> None:
        """Hold the answers."""
        self.found |= found
