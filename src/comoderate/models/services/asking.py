"""Asking a service for many texts: in batches, several at once, until each text has an answer or an error."""

from __future__ import annotations

import hashlib
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple, Protocol

from comoderate.errors import CannotScoreError
from comoderate.models.services.cache import Stored
from comoderate.models.services.client import Client, Reply
from comoderate.models.services.pace import Pace, backoff
from comoderate.models.services.paths import NonsenseError
from comoderate.models.services.purse import Purse
from comoderate.models.services.spec import Service

AGAIN = ("failed", "nonsense")
BROKE = "the budget is spent"
KEPT = "what was answered is kept, and the next run goes on from there"
_LONG = 200


class Job(NamedTuple):
    """Some texts that go into one request.

    Attributes:
        key: names the request.
        texts: digests.
        tries: how often these texts were sent together before.
    """

    key: str
    texts: tuple[bytes, ...]
    tries: int = 0


class Book(Protocol):
    """Where a round of asking writes: :class:`~comoderate.models.services.cache.Cache`, or what takes its place."""

    epoch: int

    def sending(self, key: str, texts: Sequence[bytes]) -> None:
        """A request is about to be sent."""

    def under_way(self) -> Iterator[tuple[str, list[bytes]]]:
        """Requests of a run that was killed."""

    def finish(self, key: str, found: Mapping[bytes, Stored]) -> None:
        """A request has ended, with these answers."""

    @property
    def charge(self) -> Callable[[int, int], None]:
        """Takes texts and requests that the service may charge for."""


class Asking:
    """One round of asking.

    Args:
        service: what is asked.
        client: sends requests.
        cache: keeps answers as they come.
        pace: spaces requests.
        purse: pays for them.
        stopped: set where the work is to end.
        progress: called with the number of texts that have got an answer or an error so far.
    """

    def __init__(
        self,
        service: Service,
        client: Client,
        cache: Book,
        *,
        pace: Pace,
        purse: Purse,
        stopped: threading.Event,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.service, self.client, self.cache, self.pace, self.purse = service, client, cache, pace, purse
        self.stopped, self.progress = stopped, progress or (lambda _: None)
        self.failed: dict[bytes, str] = {}
        self.done = 0
        self._failures = 0
        self._chance = random.Random()

    def ask(self, texts: Mapping[bytes, str]) -> dict[bytes, str]:
        """Ask for texts until all have an answer or an error in the cache, or failed.

        Args:
            texts: digest → text, none of them in the cache.

        Returns:
            Why texts failed that are worth asking for again another day, by digest.

        Raises:
            CannotScoreError: the budget is spent, or the service is out of order or refuses us.
        """
        waiting = deque(self._jobs(texts))
        running: dict[Future[list[Reply]], Job] = {}
        problem: CannotScoreError | None = None
        with ThreadPoolExecutor(self.service.concurrency, thread_name_prefix="service") as pool:
            try:
                while running or (waiting and problem is None):
                    while waiting and problem is None and len(running) < self.service.concurrency:
                        job = waiting.popleft()
                        running[self._submit(pool, job, texts)] = job
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        problem = self._settle(running[future], future.result(), texts, waiting) or problem
                        del running[future]  # only now: Ctrl-C may come while its answers are being stored
            except BaseException:
                self.stopped.set()
                self._save(running, texts)
                raise
        if problem is not None:
            raise problem
        return self.failed

    def _jobs(self, texts: Mapping[bytes, str]) -> Iterator[Job]:
        """First the requests that a killed run had under way, just as they were; then the other texts."""
        left = dict.fromkeys(texts)
        for key, old in self.cache.under_way():
            if all(text in left for text in old):
                yield Job(key, tuple(old))
                for text in old:
                    del left[text]
        names = list(left)
        for start in range(0, len(names), self.service.batch_size):
            yield self._job(names[start : start + self.service.batch_size])

    def _job(self, texts: Sequence[bytes], tries: int = 0) -> Job:
        named = f"{self.service.identity} {self.cache.epoch} {tries}".encode() + b"".join(texts)
        return Job(hashlib.blake2b(named, digest_size=16).hexdigest(), tuple(texts), tries)

    def _submit(self, pool: ThreadPoolExecutor, job: Job, texts: Mapping[bytes, str]) -> Future[list[Reply]]:
        self.cache.sending(job.key, job.texts)
        return pool.submit(self._try, [texts[one] for one in job.texts], job.key)

    def _try(self, texts: list[str], key: str) -> list[Reply]:
        """In a thread: send a request until it is answered, rejected, or has failed too often; all its replies.

        It keeps its key until nonsense was the answer twice: a service that knows the key may give the same for ever.
        """
        cost = self.service.cost(len(texts), 1)
        replies: list[Reply] = []
        for attempt in range(self.service.retries + 1):
            self.pace.wait()
            if self.stopped.is_set():
                return [*replies, Reply("failed", problem="stopped")]
            if not self.purse.take(cost):
                return [*replies, Reply("refused", problem=BROKE)]
            garbled = sum(reply.outcome == "nonsense" for reply in replies) // 2
            replies.append(self.client.ask(texts, key=f"{key}-{garbled}" if garbled else key))
            if not replies[-1].billed:
                self.purse.give_back(cost)
            if replies[-1].outcome not in AGAIN:
                break
            self._hold(replies[-1], attempt)
        return replies

    def _hold(self, reply: Reply, attempt: int) -> None:
        """Wait after a failure: as long as the service asks, and then everyone; else this thread, a random time."""
        if reply.wait is not None:
            self.pace.pause(reply.wait)
        elif attempt < self.service.retries:
            self.stopped.wait(backoff(attempt, longest=self.service.longest_wait, chance=self._chance))

    def _settle(
        self, job: Job, replies: Sequence[Reply], texts: Mapping[bytes, str], waiting: deque[Job]
    ) -> CannotScoreError | None:
        """Store what came back; queue what must be asked again; what to say where it is time to give up."""
        billed = sum(reply.billed for reply in replies)
        self.cache.charge(billed * len(job.texts), billed)
        reply = replies[-1]
        if reply.outcome == "answered":
            self._failures = 0
            self._keep(job, reply.parts, texts, waiting)
            return None
        if self.stopped.is_set():
            return None
        if reply.outcome == "refused":
            return self._broke() if reply.problem == BROKE else self._refused(reply)
        if len(job.texts) > 1:
            self._halve(job, waiting)
        else:
            rejected = {job.texts[0]: Stored(None, reply.problem)} if reply.outcome == "rejected" else {}
            self.cache.finish(job.key, rejected)
            self._count(job.texts, {} if rejected else {job.texts[0]: reply.problem})
        self._failures = self._failures + 1 if reply.outcome in AGAIN else 0
        if self._failures >= self.service.patience:
            return self._give_up(f"is out of order ({reply.problem})", "try again later")
        return None

    def _refused(self, reply: Reply) -> CannotScoreError:
        return self._give_up(f"refuses the request ({reply.problem})", "check url and headers")

    def _broke(self) -> CannotScoreError:
        return CannotScoreError(
            f"the budget of {self.service.budget:g} for {self.service.host} does not cover the next request "
            f"(up to {self.purse.spent:g} may have been charged)",
            do=f"raise budget and run the command again; {KEPT}",
        )

    def _give_up(self, what: str, do: str) -> CannotScoreError:
        self.stopped.set()
        return CannotScoreError(f"the service {self.service.host} {what}", do=f"{do}; {KEPT}")

    def _halve(self, job: Job, waiting: deque[Job]) -> None:
        """Ask for the two halves: one text may be what the service stumbles over."""
        self.cache.finish(job.key, {})
        middle = (len(job.texts) + 1) // 2
        waiting.extendleft([self._job(job.texts[middle:]), self._job(job.texts[:middle])])

    def _keep(self, job: Job, parts: Sequence[Any], texts: Mapping[bytes, str], waiting: deque[Job]) -> None:
        """Store the answers that make sense; ask again for the others, until that was done too often."""
        good: dict[bytes, Stored] = {}
        bad: dict[bytes, str] = {}
        for text, part in zip(job.texts, parts, strict=True):
            try:
                self.service.read(part)
                good[text] = Stored(without_text(part, texts[text]), None)
            except NonsenseError as error:
                bad[text] = str(error)
        self.cache.finish(job.key, good)
        if bad and job.tries < self.service.retries:
            waiting.append(self._job(list(bad), job.tries + 1))
            bad = {}
        self._count(list(good), bad)

    def _count(self, done: Sequence[bytes], failed: Mapping[bytes, str]) -> None:
        self.failed |= failed
        self.done += len(set(done) | set(failed))
        self.progress(self.done)

    def _save(self, running: Mapping[Future[list[Reply]], Job], texts: Mapping[bytes, str]) -> None:
        """Take in what is still under way when the work is stopped: it may have been paid for."""
        for future in wait(running, timeout=self.service.timeout).done:
            self._settle(running[future], future.result(), texts, deque())


def without_text(part: Any, text: str) -> Any:
    """An answer without any repetition of the text it is about, and without other long texts."""
    if isinstance(part, dict):
        return {name: without_text(value, text) for name, value in part.items()}
    if isinstance(part, list):
        return [without_text(value, text) for value in part]
    if isinstance(part, str) and (len(part) > _LONG or (text and text in part)):
        return None
    return part
