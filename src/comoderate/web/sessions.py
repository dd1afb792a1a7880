"""The cookie of a session, signed: a random number, the secret of a session that the database knows, a language.

Who is signed in is looked up in the database on every request, so that signing out, a new password and a person who
was shut out end a session at once.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

RENEWED = 600
"""Seconds after which a session that is in use gets a fresh cookie."""


@dataclass
class Session:
    """What the cookie holds.

    Attributes:
        nonce: a random number, to which tokens against forgery are bound.
        secret: the session's secret, as the database gave it; None before signing in.
        language: the language chosen.
        since: when the cookie was made, in seconds since 1970; 0 where the browser has none yet.
        changed: whether the cookie must be written.
    """

    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    secret: str | None = None
    language: str | None = None
    since: float = 0.0
    changed: bool = False

    def become(self, secret: str | None) -> None:
        """Sign in (or out, with None) under a new nonce: what was known before is worth nothing after."""
        self.nonce, self.secret, self.changed = secrets.token_urlsafe(12), secret, True

    def speak(self, language: str) -> None:
        """Remember a language."""
        self.language, self.changed = language, True


class SessionCookie:
    """Middleware that reads the session of a request into ``scope["session"]`` and writes it back if it changed."""

    def __init__(self, app: ASGIApp, *, key: bytes, max_age: float, secure: bool) -> None:
        self.app, self.max_age, self.secure = app, max_age, secure
        self.name = "__Host-comoderate" if secure else "comoderate"
        self.signer = URLSafeTimedSerializer(key, salt="session")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: D102
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope["session"] = session = self._read(Headers(scope=scope).get("cookie", ""))

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and session.changed:
                MutableHeaders(scope=message).append("set-cookie", self.cookie(session))
            await send(message)

        await self.app(scope, receive, sending)

    def _read(self, header: str) -> Session:
        try:
            value = SimpleCookie(header)[self.name].value
            content: dict[str, Any] = self.signer.loads(value, max_age=int(self.max_age))
            session = Session(content["n"], content.get("s"), content.get("l"), float(content["t"]))
        except (KeyError, CookieError, BadSignature, TypeError, ValueError):
            return Session(changed=True)
        session.changed = time.time() - session.since > RENEWED
        return session

    def cookie(self, session: Session) -> str:
        """The header that gives the browser ``session``."""
        content = {"n": session.nonce, "s": session.secret, "l": session.language}
        value = self.signer.dumps({**content, "t": int(time.time())})
        parts = [f"{self.name}={value}", "Path=/", "HttpOnly", "SameSite=Lax", f"Max-Age={int(self.max_age)}"]
        return "; ".join([*parts, *(["Secure"] if self.secure else [])])
