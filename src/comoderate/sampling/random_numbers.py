"""Random numbers that belong to a post: the same on every machine, engine and day."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

_TO_UNIT = 2.0**-53


def uniform(seed: int, purpose: str, ids: Iterable[str]) -> NDArray[np.float64]:
    """A number in [0, 1) for every id, from blake2b of seed, purpose and id.

    The hashed bytes are ``{seed}``, a zero byte, ``purpose``, a zero byte, and the id in UTF-8; the first 53 bits of
    the 8-byte digest, read big-endian, are the number. This never changes: samples drawn once can be extended later.

    Args:
        seed: the study's seed.
        purpose: what the numbers are for (``"draw"``, ``"experts"``, ``"folds"``). A second use of the same posts
            needs a purpose of its own: numbers that already selected a post are no longer uniform.
        ids: post ids, text.

    Returns:
        float64 array (n,), in the order of ``ids``.

    Raises:
        ValueError: the purpose holds a zero byte.
    """
    if "\0" in purpose:
        raise ValueError("purpose must not hold a zero byte")
    start = blake2b(f"{seed}\0{purpose}\0".encode(), digest_size=8)
    parts = []
    for name in ids:
        one = start.copy()
        one.update(name.encode())
        parts.append(one.digest())
    whole = np.frombuffer(b"".join(parts), dtype=">u8")
    return (whole >> 11).astype(np.float64) * _TO_UNIT
