"""Members of an ensemble trained at the same time, each in a process of its own.

A process makes the same call for one member and leaves the finished member in the checkpoint folder, from where the
caller takes it as after a break. So the weights are those of training one by one (with as many threads), a kill costs
no more, and nothing but texts and numbers travels between processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

import torch

from comoderate.errors import ComoderateError
from comoderate.models.encoders.progress import Listener, Progress


class Call(NamedTuple):
    """A call of ``fit`` as another process repeats it.

    Attributes:
        kind: name of the scorer's class in :data:`comoderate.models.KINDS`.
        settings: of its constructor.
        given: texts, labels and all else that ``fit`` learns from.
        checkpoint: folder of the checkpoints.
        every: seconds between two.
    """

    kind: str
    settings: Mapping[str, Any]
    given: Mapping[str, Any]
    checkpoint: Path
    every: float


@contextmanager
def home(checkpoint: Path | None) -> Iterator[Path]:
    """The folder of the checkpoints; one for the time being where none was given."""
    if checkpoint is not None:
        yield checkpoint
        return
    with tempfile.TemporaryDirectory(prefix="comoderate-") as folder:
        yield Path(folder)


class Team:
    """The processes that train, and what they tell.

    Args:
        call: what each repeats.
        members: numbers of the members that are not finished.
        at_once: how many processes there may be.
        n_members: of the whole ensemble.
        steps: of one member.
        listener: is told of the progress of all.
    """

    def __init__(
        self, call: Call, members: Sequence[int], *, at_once: int, n_members: int, steps: int, listener: Listener | None
    ) -> None:
        self.call, self.waiting, self.at_once = call, list(members), at_once
        self.n_members, self.steps, self.listener = n_members, steps, listener
        self.done = {member: 0 if member in self.waiting else steps for member in range(n_members)}
        self.first: int | None = None
        self.began = time.monotonic()
        self.running: dict[Connection, tuple[int, Any]] = {}

    def train(self) -> None:
        """Train all members; however it ends, no process is left.

        Raises:
            ComoderateError: a process failed.
        """
        try:
            while self.waiting or self.running:
                while self.waiting and len(self.running) < self.at_once:
                    self._start(self.waiting.pop(0))
                for pipe in wait(list(self.running)):
                    assert isinstance(pipe, Connection)
                    self._hear(pipe)
        finally:
            for _, process in self.running.values():
                process.terminate()
                process.join()

    def _start(self, member: int) -> None:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe(duplex=False)
        threads = max(1, torch.get_num_threads() // self.at_once)
        process = context.Process(target=train_one, args=(self.call, member, threads, there), daemon=True)
        process.start()
        there.close()
        self.running[here] = (member, process)

    def _hear(self, pipe: Connection) -> None:
        member, process = self.running[pipe]
        try:
            told = pipe.recv()
        except EOFError:
            told = "its process ended"
        if isinstance(told, Progress):
            self.done[member] = told.done
            self._tell(told._replace(member=member + 1))
            return
        del self.running[pipe]
        process.join()
        if told is not None:
            raise ComoderateError(
                f"member {member + 1} was not trained: {told}",
                do='train one by one (at_once = 1); in a script of yours, call fit under `if __name__ == "__main__":`',
            )
        self.done[member] = self.steps

    def _tell(self, told: Progress) -> None:
        done, total = sum(self.done.values()), self.n_members * self.steps
        if self.first is None:
            self.first, self.began = done, time.monotonic()
        here = done - self.first
        left = (time.monotonic() - self.began) / here * (total - done) if here else float("nan")
        if self.listener:
            self.listener(told._replace(done=done, total=total, members=self.n_members, seconds_left=left))


def train_one(call: Call, member: int, threads: int, pipe: Connection) -> None:
    """In a process of its own: train one member and leave it in the checkpoint folder.

    Sends each :class:`~.progress.Progress`, then None, or what went wrong.
    """
    from comoderate.models import KINDS, Encoder

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the caller, who ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(threads)
    try:
        scorer = KINDS[call.kind](**call.settings)
        assert isinstance(scorer, Encoder)
        scorer.train_member(
            member, **call.given, checkpoint=call.checkpoint, checkpoint_every=call.every, progress=pipe.send
        )
    except Exception as problem:
        pipe.send(str(problem) or type(problem).__name__)
    else:
        pipe.send(None)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
