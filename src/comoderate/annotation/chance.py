"""Numbers that look random, are the same whenever asked for, and so can be told afterwards."""

from __future__ import annotations

import secrets
from hashlib import blake2b, sha256


def chance(seed: int, purpose: str, *names: str | int) -> float:
    """A number in [0, 1) that belongs to ``seed``, ``purpose`` and ``names``."""
    key = "\0".join([str(seed), purpose, *map(str, names)])
    return (int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") >> 11) * 2.0**-53


def new_id() -> str:
    """Sixteen hex digits that nobody can guess a neighbour of."""
    return secrets.token_hex(8)


def digest_of(secret: str) -> str:
    """Hash of a random secret, all that is stored of it; long enough secrets need no slow hash."""
    return sha256(secret.encode()).hexdigest()
