"""Reverse proxies that are believed: who the client is, whether it came by TLS, and who is signed in."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(names: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks as objects.

    Raises:
        ValueError: one is neither.
    """
    return tuple(ipaddress.ip_network(name, strict=False) for name in names)


class TrustedProxies:
    """Middleware that believes the forwarding headers of the named proxies only.

    Sets ``scope["client"]`` to the nearest address that is no proxy of ours, ``scope["scheme"]`` to what the proxy
    says, and ``scope["signed_in_as"]`` to the user it names, where ``user_header`` is set.
    """

    def __init__(self, app: ASGIApp, *, proxies: tuple[Network, ...], user_header: str | None) -> None:
        self.app, self.proxies, self.user_header = app, proxies, user_header

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: D102
        if scope["type"] == "http":
            scope["signed_in_as"] = None
            client = scope.get("client")
            if client and self._ours(client[0]):
                headers = Headers(scope=scope)
                hops = [hop.strip() for hop in headers.get("x-forwarded-for", "").split(",") if hop.strip()]
                origin = next((hop for hop in reversed(hops) if not self._ours(hop)), client[0])
                scope["client"] = (origin[:64], 0)
                if headers.get("x-forwarded-proto") in {"http", "https"}:
                    scope["scheme"] = headers["x-forwarded-proto"]
                if self.user_header:
                    scope["signed_in_as"] = headers.get(self.user_header, "").strip()[:200] or None
        await self.app(scope, receive, send)

    def _ours(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self.proxies)
