"""Who may do what: dependencies that routes name, and the answers that the others get.

A route says ``person: Annotated[Rater, Depends(require("coordinator"))]``. What belongs to somebody else is answered
as if it were not there (404), so that ids tell nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, HTTPException, Request
from starlette.datastructures import FormData

from comoderate.annotation import rater_by_login, session_rater
from comoderate.web import keys
from comoderate.web.pages import csrf_token
from comoderate.web.state import web_of

if TYPE_CHECKING:
    from comoderate.annotation import Rater
    from comoderate.web.sessions import Session

SAFE = {"GET", "HEAD", "OPTIONS"}
LARGE = "/dashboard/import"
"""Where files come in that are larger than a form; from others than coordinators nothing of them is read."""
SHARED = 10
"""People who may well sit behind one address."""


class SignInFirstError(Exception):
    """Nobody is signed in; pages send to the sign-in page, scripts get 401."""


def current(request: Request) -> Rater | None:
    """Who is signed in: by the session, or where single sign-on is set up by the trusted proxy's header."""
    if not hasattr(request.state, "person"):
        request.state.person = _find(request)
    person: Rater | None = request.state.person
    return person


def _find(request: Request) -> Rater | None:
    web = web_of(request)
    session: Session = request.scope["session"]
    if web.study.settings.web.user_header:
        name = request.scope.get("signed_in_as")
        found = None if name is None else rater_by_login(web.db, name, exact=True)
    else:
        found = None if session.secret is None else session_rater(web.db, session.secret)
    if found is not None and found.active:
        return found
    if session.secret is not None:
        session.become(None)
    return None


def require(*roles: str) -> Callable[..., Awaitable[Rater]]:
    """A dependency that gives who is signed in, if they have one of ``roles``; no role given: any.

    Raises:
        SignInFirstError: nobody is signed in.
        HTTPException: 403 for another role.
    """

    async def dependency(person: Annotated[Any, Depends(current)]) -> Any:
        if person is None:
            raise SignInFirstError
        if roles and person.role not in roles:
            raise HTTPException(403)
        return person

    return dependency


async def check_csrf(request: Request) -> None:
    """Refuse a form that our own page did not send (403). Put on every router that uses the session."""
    if request.method in SAFE:
        return
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise HTTPException(403)
    if request.url.path.startswith(LARGE) and getattr(current(request), "role", None) != "coordinator":
        raise HTTPException(403)
    given = request.headers.get("x-csrf-token") or (await request.form()).get("csrf", "")
    if not isinstance(given, str) or not keys.matches(given, csrf_token(request)):
        raise HTTPException(403, "expired")


async def release_files(request: Request) -> AsyncIterator[None]:
    """Close the files that came with a form, also where no page asked for any. Put on every router with forms."""
    try:
        yield
    finally:
        await request.close()


async def form(request: Request) -> FormData:
    """The form that was sent; a dependency for routes that are not ``async``."""
    return await request.form()


def one(sent: FormData, name: str, *, longest: int = 2_000) -> str:
    """The text of one field, stripped; empty where it is missing, cut where it is longer than any form sends."""
    return plain(sent.get(name))[:longest]


def plain(value: object) -> str:
    """What was sent as text, stripped, without NUL, which not every database holds; empty for a file."""
    return value.replace("\x00", "").strip() if isinstance(value, str) else ""


def not_found() -> HTTPException:
    """The answer for what is not there, or is another's."""
    return HTTPException(404)


def limit(request: Request, what: str, *more: str) -> None:
    """Count a try under each of ``more`` (an account's name), and under the client's address.

    An address may try :data:`SHARED` times as often: a class or an office has one between them.

    Raises:
        HTTPException: 429 where there were too many.
    """
    limiter = web_of(request).limits[what]
    address = request.client.host if request.client else ""
    allowed = [limiter.allows(f"of:{name.lower()}") for name in more]
    allowed.append(limiter.allows(f"at:{address}", cost=1 / SHARED))
    if not all(allowed):  # each is counted, whatever the others say
        raise HTTPException(429)
