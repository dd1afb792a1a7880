"""Random numbers that depend on where training stands, never on how it got there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import torch


def seed_of(*parts: object) -> int:
    """A 63-bit seed from any parts: the study's seed, the member, the epoch, the step.

    A training that is resumed draws for step 17 what it would have drawn without the break, and no state of a
    generator needs to be kept.
    """
    content = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little") >> 1


@contextmanager
def own_randomness() -> Iterator[None]:
    """Seed torch freely inside; the caller's generators are given back as they were."""
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices=devices):
        yield
