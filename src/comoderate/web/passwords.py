"""Passwords, kept as argon2 hashes."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST, LONGEST = 10, 500

_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_NOBODY = _hasher.hash("nobody has this password")


def hashed(password: str) -> str:
    """The hash of a password, with its salt and settings."""
    return _hasher.hash(password)


def fits(password: str, stored: str | None) -> bool:
    """Whether ``password`` is that of ``stored``; takes as long where there is no such person."""
    try:
        return _hasher.verify(stored or _NOBODY, password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False
