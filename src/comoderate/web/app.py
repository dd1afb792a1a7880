"""The application: its middleware, its routers, and what it answers when something goes wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from comoderate.annotation import Conflict, NotAllowed, NotFound, open_database
from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.serving import Serving
from comoderate.web import accounts, api, dashboard, desk, home, labelling, offline, recovery
from comoderate.web.access import LARGE, SignInFirstError, check_csrf, current, release_files
from comoderate.web.headers import SafeHeaders
from comoderate.web.keys import web_key
from comoderate.web.limits import Limiter
from comoderate.web.pages import STATIC, render
from comoderate.web.proxies import TrustedProxies, networks
from comoderate.web.sessions import SessionCookie
from comoderate.web.state import Web

UNLIMITED = ("/api/", LARGE)
"""Where requests may be larger than a form."""


def create_app(study: Study | str | Path, *, secure: bool = False, load: bool = True) -> FastAPI:
    """The web application of a study.

    Args:
        study: the study, or its folder.
        secure: whether pages come by TLS, so that cookies are sent by TLS only.
        load: whether to load the campaigns' posts first; they are otherwise as they were.

    Raises:
        ComoderateError: the study cannot be served, with what to do.
    """
    opened = study if isinstance(study, Study) else Study.open(study)
    serving = Serving(opened)
    db = open_database(opened.store_url)
    if load:
        serving.load(db)
    app = FastAPI(
        title="Comoderate", version=version("comoderate"), docs_url=None, redoc_url=None, openapi_url=None,
        lifespan=_closing,
    )  # fmt: skip
    app.state.web = Web(opened, db, serving, web_key(opened.folder), secure, _limits())
    _middleware(app, app.state.web)
    app.mount("/static", Kept(directory=STATIC), name="static")
    for router in (home.router, accounts.router, recovery.router, labelling.router, offline.router):
        include_pages(app, router)
    _include_others(app)
    app.add_exception_handler(SignInFirstError, _sign_in_first)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ComoderateError, _mended)
    app.add_exception_handler(Exception, _broken)
    return app


def include_pages(app: FastAPI, router: APIRouter) -> None:
    """Include a router of pages, whose forms must carry the token against forgery."""
    app.include_router(router, dependencies=[Depends(release_files), Depends(check_csrf), Depends(current)])


def _include_others(app: FastAPI) -> None:
    """The desk, the dashboard and the API."""
    include_pages(app, desk.router)
    include_pages(app, dashboard.router)
    app.mount("/api", api.make(app.state.web), name="api")


def _limits() -> dict[str, Limiter]:
    return {
        "sign-in": Limiter(burst=10, per_minute=6),
        "join": Limiter(burst=5, per_minute=6),
        "ask": Limiter(burst=10, per_minute=2),
        "desk": Limiter(burst=60, per_minute=90),
        "api": Limiter(burst=600, per_minute=1_200),
        "api-unknown": Limiter(burst=30, per_minute=30),
    }


def _middleware(app: FastAPI, web: Web) -> None:
    """From the innermost to the outermost."""
    own = web.study.settings.web
    app.add_middleware(SessionCookie, key=web.key, max_age=own.session_hours * 3600, secure=web.secure)
    app.add_middleware(SafeHeaders, secure=web.secure, unlimited=UNLIMITED)
    app.add_middleware(TrustedProxies, proxies=networks(own.proxies), user_header=own.user_header)


@asynccontextmanager
async def _closing(app: FastAPI) -> AsyncIterator[None]:
    yield
    if hasattr(app.state, "desk_held"):
        app.state.desk_held.refresher.stop()
    app.state.web.db.close()


class Kept(StaticFiles):
    """Static files that browsers keep: their addresses change with their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, with permission to keep it."""
        response = await super().get_response(path, scope)
        if response.status_code == 200 and b"v=" in scope["query_string"]:
            response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


def wants_json(request: Request) -> bool:
    """Whether a script asks, not a person."""
    return "application/json" in request.headers.get("accept", "") or request.url.path.startswith("/api/")


def _sign_in_first(request: Request, _error: Exception) -> Response:
    if wants_json(request):
        return JSONResponse({"error": "sign in first"}, 401)
    back = request.url.path if request.method == "GET" else "/"
    return RedirectResponse(f"/sign-in?next={quote(back)}", 303)


KNOWN = {403, 404, 405, 413, 429}


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    expired = error.status_code == 403 and error.detail == "expired"
    if wants_json(request):
        return JSONResponse({"error": "expired" if expired else str(error.detail)}, error.status_code)
    if not hasattr(request.state, "person") and "session" in request.scope:
        request.state.person = None
    name = "expired" if expired else str(error.status_code) if error.status_code in KNOWN else "other"
    return render(request, "error.html", status=error.status_code, name=name)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if wants_json(request):
        return JSONResponse({"error": "the request is not valid", "details": _plain(error)}, 422)
    request.state.person = getattr(request.state, "person", None)
    return render(request, "error.html", status=422, name="other")


STATUS: dict[type[ComoderateError], int] = {NotAllowed: 403, NotFound: 404, Conflict: 409}


def _mended(request: Request, error: Exception) -> Response:
    """What the rooms behind refuse, with their own words, which say what to do."""
    assert isinstance(error, ComoderateError)
    status = STATUS.get(type(error), 422)
    if wants_json(request):
        return JSONResponse({"error": error.what, "do": error.do}, status)
    if status in KNOWN:
        return _refused(request, HTTPException(status))
    return render(request, "mend.html", status=status, what=error.what, do=error.do)


def _broken(request: Request, _error: Exception) -> Response:
    """Our own mistake: the server's log has it, the page says that nothing is lost."""
    text = "Something went wrong here. What you sent before is stored."
    return JSONResponse({"error": text}, 500) if wants_json(request) else PlainTextResponse(text, 500)


def _plain(error: RequestValidationError) -> list[dict[str, str]]:
    return [{"where": ".".join(map(str, one["loc"])), "what": str(one["msg"])} for one in error.errors()]
