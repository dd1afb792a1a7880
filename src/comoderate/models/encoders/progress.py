"""How far training is, and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple


class Progress(NamedTuple):
    """Where training stands.

    Attributes:
        done: steps done of all members, those of earlier runs included.
        total: steps of all members; fewer where training stops early.
        member: the member in training, from 1.
        members: how many there are.
        epoch: the epoch in training, from 1.
        loss: mean loss of the epoch so far.
        seconds_left: at the pace of this run; NaN before the first step.
    """

    done: int
    total: int
    member: int
    members: int
    epoch: int
    loss: float
    seconds_left: float

    def __str__(self) -> str:
        """One line for a person."""
        member = f"member {self.member} of {self.members}, " if self.members > 1 else ""
        left = "" if self.seconds_left != self.seconds_left else f", {clock(self.seconds_left)} left"
        return f"{member}epoch {self.epoch}, {100 * self.done // self.total} %, loss {self.loss:.3f}{left}"


Listener = Callable[[Progress], None]


EVERY = 0.5
"""Least seconds between two reports."""


def clock(seconds: float) -> str:
    """A duration as m:ss or h:mm:ss."""
    minutes, second = divmod(round(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02}:{second:02}" if hour else f"{minute}:{second:02}"


class Pace:
    """Counts steps and tells a listener, at most twice a second.

    Args:
        listener: what is told; None for nobody.
        members: number of members.
        total: steps of all of them.
    """

    def __init__(self, listener: Listener | None, *, members: int, total: int) -> None:
        self.listener, self.members, self.total = listener, members, total
        self.done = self.here = 0
        self.began = self.told = time.monotonic()

    def skip(self, steps: int) -> None:
        """Steps that an earlier run did, or that early stopping saved."""
        self.done += steps

    def step(self, *, member: int, epoch: int, loss: float) -> None:
        """One more step was done."""
        self.done += 1
        self.here += 1
        now = time.monotonic()
        if self.listener and (now - self.told >= EVERY or self.done >= self.total):
            self.told = now
            left = (now - self.began) / self.here * (self.total - self.done)
            self.listener(Progress(self.done, self.total, member, self.members, epoch, loss, left))
