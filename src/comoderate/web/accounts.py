"""Coming in and going out: invitations, signing in, signing out."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from comoderate.annotation import (
    Conflict,
    Invitation,
    NotAllowed,
    Rater,
    close_session,
    find_invitation,
    login_key,
    open_session,
    rater_by_login,
    redeem_invitation,
)
from comoderate.web.access import form, limit, one
from comoderate.web.pages import language_of, render
from comoderate.web.passwords import LONGEST, SHORTEST, fits, hashed
from comoderate.web.state import signed_in, web_of

router = APIRouter()
Form = Annotated[FormData, Depends(form)]


def inside(address: str) -> str:
    """``address`` if it is a plain path of ours, else the start: no page sends anybody elsewhere."""
    return address if re.fullmatch(r"/(?:[\w~.-]+/?)*", address) else "/"


def enter(request: Request, person: Rater) -> None:
    """Open a session for ``person``, and end the one before."""
    web, session = web_of(request), request.scope["session"]
    if session.secret is not None:
        close_session(web.db, session.secret)
    session.become(open_session(web.db, person.rater_id, hours=web.study.settings.web.session_hours))
    if session.language is None:
        session.speak(person.language)


@router.get("/sign-in")
def sign_in_page(request: Request, next: str = "/") -> Response:
    """The form to sign in."""
    if signed_in(request) is not None:
        return RedirectResponse(inside(next), 303)
    if web_of(request).study.settings.web.user_header:
        return render(request, "refused.html", status=403)
    return render(request, "sign_in.html", next=inside(next), name="", wrong=False)


@router.post("/sign-in")
def sign_in(request: Request, sent: Form) -> Response:
    """Check name and password."""
    name, back = one(sent, "name", longest=100), inside(one(sent, "next"))
    limit(request, "sign-in", login_key(name) or "")
    web = web_of(request)
    person = rater_by_login(web.db, name) if name else None
    known = None if person is None or not person.active else person.password_hash
    matched = fits(secret_text(sent, "password"), known)
    if person is None or not matched:
        return render(request, "sign_in.html", status=422, next=back, name=name, wrong=True)
    enter(request, person)
    return RedirectResponse(back, 303)


@router.post("/sign-out")
def sign_out(request: Request) -> Response:
    """End the session."""
    session = request.scope["session"]
    if session.secret is not None:
        close_session(web_of(request).db, session.secret)
    session.become(None)
    return RedirectResponse("/?said=out", 303)


@router.get("/join/{secret}")
def invited(request: Request, secret: str) -> Response:
    """What an invitation link opens."""
    limit(request, "join")
    return _join(request, secret, find_invitation(web_of(request).db, secret, over=True))


@router.post("/join/{secret}")
def join(request: Request, secret: str, sent: Form) -> Response:
    """Make the account that an invitation is for."""
    limit(request, "join")
    web = web_of(request)
    invitation = find_invitation(web.db, secret, over=True)
    if invitation is None or invitation.state() != "open":
        return _join(request, secret, invitation)
    named = request.scope.get("signed_in_as") if web.study.settings.web.user_header else None
    name, password = named or one(sent, "name", longest=100), secret_text(sent, "password")
    problems = {} if named else _name_problems(name) | password_problems(password, secret_text(sent, "again"))
    if problems:
        return _join(request, secret, invitation, name=name, problems=problems)
    stored = None if named else hashed(password)
    try:
        person = redeem_invitation(web.db, secret, language=language_of(request), login=name, password_hash=stored)
    except Conflict:
        return _join(request, secret, invitation, name=name, problems={"name": "join.taken"})
    except NotAllowed:
        return _join(request, secret, find_invitation(web.db, secret, over=True))
    enter(request, person)
    return RedirectResponse(_beginning(request, invitation), 303)


def _join(
    request: Request,
    secret: str,
    invitation: Invitation | None,
    *,
    name: str = "",
    problems: dict[str, str] | None = None,
) -> Response:
    state = "unknown" if invitation is None else invitation.state()
    status = 404 if state != "open" else 422 if problems else 200
    named = request.scope.get("signed_in_as")
    return render(
        request, "join.html", status=status, invitation=invitation, state=state, secret=secret, name=name, named=named,
        problems=problems or {},
    )  # fmt: skip


def _beginning(request: Request, invitation: Invitation) -> str:
    """Where those who come by an invitation begin: at its campaign, where that is their work."""
    asked = web_of(request).study.settings.campaign.get(invitation.campaign or "")
    return f"/label/{invitation.campaign}" if asked is not None and invitation.role in asked.roles else "/"


def secret_text(sent: FormData, name: str) -> str:
    """A password as it was sent, not stripped; cut where it is longer than any."""
    value = sent.get(name, "")
    return value[:LONGEST] if isinstance(value, str) else ""


def _name_problems(name: str) -> dict[str, str]:
    return {} if 2 <= len(name) <= 60 and name.isprintable() else {"name": "join.bad_name"}


def password_problems(password: str, again: str) -> dict[str, str]:
    """What is wrong with a new password: field → key of the words."""
    if len(password) < SHORTEST:
        return {"password": "join.short"}
    return {} if password == again else {"again": "join.differ"}
