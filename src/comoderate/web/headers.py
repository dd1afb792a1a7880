"""What every answer says to the browser, and how large a request may be."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "media-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
"""No inline script or style anywhere, nothing from another host."""

ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
LARGEST = 1_000_000
"""Bytes of a form; what the API and imports take is streamed and has limits of its own."""


class SafeHeaders:
    """Middleware that adds the headers above, keeps pages out of caches, and refuses forms that are too large."""

    def __init__(self, app: ASGIApp, *, secure: bool, unlimited: tuple[str, ...] = ()) -> None:
        self.app, self.unlimited = app, unlimited
        self.headers = {**ALWAYS, **({"strict-transport-security": "max-age=31536000"} if secure else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: D102
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        if scope["path"].startswith(self.unlimited) and self.unlimited:
            await self.app(scope, receive, sending)
        elif not self._small(Headers(scope=scope).get("content-length")):
            await PlainTextResponse("too large", 413)(scope, receive, sending)
        else:
            await self.app(scope, _counted(receive), sending)

    def _small(self, length: str | None) -> bool:
        return length is None or (length.isdigit() and int(length) <= LARGEST)


def _counted(receive: Receive) -> Receive:
    """``receive`` that refuses more than ``LARGEST`` bytes, whatever the header said."""
    total = 0

    async def receiving() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > LARGEST:
            raise HTTPException(413)
        return message

    return receiving
