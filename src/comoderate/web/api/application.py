"""The application below ``/api``: how large a body may be, what its description says, and its handlers."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from comoderate.web.api import endpoints
from comoderate.web.api.problems import HANDLERS, Problem, answer
from comoderate.web.state import Web

LARGEST = 24_000_000
"""Bytes of a body: a thousand posts of the longest text."""

ABOUT = """Push posts, read the review queue, push decisions, read estimates and annotations.

Every request carries `Authorization: Bearer …`; a coordinator makes the token on the dashboard and chooses what it may
do. Lists come in pages: send `next` as `after`. What is refused comes back as a problem body (RFC 9457)."""


def make(web: Web) -> FastAPI:
    """The API of a running application, to be mounted below ``/api``."""
    app = FastAPI(
        title="Comoderate", version=version("comoderate"), description=ABOUT, docs_url=None, redoc_url=None,
        openapi_url="/openapi.json", root_path_in_servers=False, servers=[{"url": "/api"}],
    )  # fmt: skip
    app.state.web = web
    app.include_router(endpoints.router)
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)
    app.add_middleware(Bounded)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with problem bodies in place of FastAPI's own for requests that are not valid."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes, servers=app.servers
        )  # fmt: skip
        schemas = found["components"]["schemas"]
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        described = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= described.pop("$defs", {})
        schemas["Problem"] = described
        app.openapi_schema = found
    return app.openapi_schema


class Bounded:
    """Middleware that refuses bodies that are too large, whatever their header says."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: D102
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > LARGEST:
            await answer(413, f"A body has at most {LARGEST:,} bytes.")(scope, receive, send)
            return
        total = 0

        async def receiving() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            return message if total <= LARGEST else {"type": "http.disconnect"}

        await self.app(scope, receiving, send)
