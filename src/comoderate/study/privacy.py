"""Keeping people out of the study's files: keyed hashes for authors, and texts without handles and links."""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path

import pandas as pd

from comoderate.corpus import atomic_path

KEY_FILE = ".comoderate/hash.key"
_HANDLE = re.compile(r"(?<![\w@/.])@\w{1,50}")
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b")


def hash_key(folder: Path) -> bytes:
    """The study's own secret key, made on first use and readable by its owner only.

    Whoever holds the study's files but not the key cannot test whether a given person is in them.
    """
    path = folder / KEY_FILE
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.touch(mode=0o600)
            temporary.write_bytes(secrets.token_bytes(32))
    return path.read_bytes()


def hash_people(values: pd.Series, key: bytes, purpose: str) -> pd.Series:
    """Keyed hashes (20 hex digits) of ids of people; missing ones stay None.

    Args:
        values: ids as the source has them.
        key: as :func:`hash_key` gives.
        purpose: ``author`` or ``thread``; equal ids of different purposes get different hashes.
    """
    known = {value: _hash(str(value), key, purpose) for value in values.dropna().unique()}
    hashed = values.map(known)
    return hashed.astype(object).where(hashed.notna(), None)


def anonymise(text: str) -> str:
    """``text`` with handles, links and mail addresses replaced."""
    return _HANDLE.sub("@user", _LINK.sub("[link]", _MAIL.sub("[mail]", text)))


def _hash(value: str, key: bytes, purpose: str) -> str:
    return hashlib.blake2b(value.encode(), key=key, person=purpose.encode()[:16], digest_size=10).hexdigest()
