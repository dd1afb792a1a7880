"""The start: what the study is for those outside, and the way to their work for those inside."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from comoderate.annotation import update_rater
from comoderate.web.access import form, one
from comoderate.web.accounts import inside
from comoderate.web.pages import render
from comoderate.web.state import signed_in, web_of

router = APIRouter()
WORK = {"coordinator": "/dashboard", "moderator": "/desk"}


@router.get("/")
def start(request: Request, said: str = "") -> Response:
    """The way to one's work, or for those outside what this is."""
    person = signed_in(request)
    if person is None:
        return render(request, "start.html", out=said == "out")
    return RedirectResponse(WORK.get(person.role, "/label"), 303)


@router.post("/language")
def choose_language(request: Request, sent: Annotated[FormData, Depends(form)]) -> Response:
    """Read on in another language."""
    web, person, wanted = web_of(request), signed_in(request), one(sent, "language")
    if wanted in web.languages:
        request.scope["session"].speak(wanted)
        if person is not None:
            update_rater(web.db, person.rater_id, actor=person.rater_id, language=wanted)
    return RedirectResponse(inside(one(sent, "next")), 303)


@router.get("/healthy")
def healthy() -> Response:
    """An empty answer, for whoever watches whether the application runs."""
    return PlainTextResponse("ok")


@router.get("/robots.txt")
def robots() -> Response:
    """No machine needs to read this."""
    return PlainTextResponse("User-agent: *\nDisallow: /\n")
