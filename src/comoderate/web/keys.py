"""The application's own secret, from which sessions, tokens against forgery and resumable keys are derived."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

FILE = ".comoderate/web.key"


def web_key(folder: Path) -> bytes:
    """The secret of a study's web application, made on first use and readable by its owner only."""
    path = folder / FILE
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:  # another process was first
            return path.read_bytes()
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(32))
    return path.read_bytes()


def sign(key: bytes, purpose: str, text: str) -> str:
    """A token (32 hex digits) for ``text`` that only who holds ``key`` can make."""
    return hmac.new(key, f"{purpose}\x1f{text}".encode(), hashlib.sha256).hexdigest()[:32]


def matches(token: str, expected: str) -> bool:
    """Whether two tokens are the same, in constant time; any text may be given."""
    return hmac.compare_digest(token.encode("utf-8", "replace"), expected.encode())
