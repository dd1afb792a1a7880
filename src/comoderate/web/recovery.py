"""A new password: for those who know theirs, and by a link of the coordinator for those who forgot it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from comoderate.annotation import (
    Database,
    NotAllowed,
    NotFound,
    Rater,
    change_password,
    create_reset,
    find_reset,
    login_key,
    open_database,
    rater,
    rater_by_login,
    raters,
    redeem_reset,
)
from comoderate.errors import ComoderateError
from comoderate.web.access import form, limit, not_found, one, require
from comoderate.web.accounts import enter, password_problems, secret_text
from comoderate.web.dashboard.common import page
from comoderate.web.pages import render
from comoderate.web.passwords import fits, hashed
from comoderate.web.state import web_of

if TYPE_CHECKING:
    from comoderate.study import Study


def by_password(request: Request) -> None:
    """Where somebody else says who is signed in, there are no passwords of ours: 404."""
    if web_of(request).study.settings.web.user_header:
        raise not_found()


router = APIRouter(dependencies=[Depends(by_password)])
Person = Annotated[Rater, Depends(require())]
Coordinator = Annotated[Rater, Depends(require("coordinator"))]
Form = Annotated[FormData, Depends(form)]


@router.get("/account")
def account(request: Request, person: Person, said: str = "") -> Response:
    """One's own account: the name to sign in with, and the form for another password."""
    return render(request, "account.html", changed=said == "changed", problems={})


@router.post("/account")
def change(request: Request, person: Person, sent: Form) -> Response:
    """Another password; all other sessions of this person end."""
    limit(request, "sign-in", login_key(person.login) or person.rater_id)
    old, new = secret_text(sent, "old"), secret_text(sent, "password")
    problems = password_problems(new, secret_text(sent, "again"))
    if not fits(old, person.password_hash):
        problems["old"] = "account.wrong"
    elif old == new:
        problems["password"] = "account.same"
    if problems:
        return render(request, "account.html", status=422, changed=False, problems=problems)
    enter(request, change_password(web_of(request).db, person.rater_id, password_hash=hashed(new)))
    return RedirectResponse("/account?said=changed", 303)


@router.get("/reset/{secret}")
def forgotten(request: Request, secret: str) -> Response:
    """What a link for a new password opens."""
    limit(request, "join")
    return _reset(request, secret, find_reset(web_of(request).db, secret))


@router.post("/reset/{secret}")
def choose(request: Request, secret: str, sent: Form) -> Response:
    """The new password, and sign in."""
    limit(request, "join")
    db = web_of(request).db
    person, new = find_reset(db, secret), secret_text(sent, "password")
    problems = password_problems(new, secret_text(sent, "again"))
    if person is None or problems:
        return _reset(request, secret, person, problems)
    try:
        person = redeem_reset(db, secret, password_hash=hashed(new))
    except NotAllowed:
        return _reset(request, secret, None)
    enter(request, person)
    return RedirectResponse("/", 303)


def _reset(request: Request, secret: str, person: Rater | None, problems: dict[str, str] | None = None) -> Response:
    status = 404 if person is None else 422 if problems else 200
    return render(
        request, "reset.html", status=status, secret=secret, found=person is not None,
        name="" if person is None else person.login, problems=problems or {},
    )  # fmt: skip


@router.get("/dashboard/reset")
def for_whom(request: Request, person: Coordinator) -> Response:
    """The coordinator's form: who forgot the password."""
    return page(request, "reset.html", link=None, name="", wrong="")


@router.post("/dashboard/reset")
def make(request: Request, person: Coordinator, sent: Form) -> Response:
    """Make a link for a new password; it is shown once."""
    web, name = web_of(request), one(sent, "name", longest=200)
    found = _known(web.db, name)
    if found is None:
        wrong = "Nobody who may sign in has this name or number."
        return page(request, "reset.html", status=422, link=None, name=name, wrong=wrong)
    secret = create_reset(web.db, found.rater_id, actor=person.rater_id)
    return page(request, "reset.html", link=f"{str(request.base_url).rstrip('/')}/reset/{secret}", name=name, wrong="")


def _known(db: Database, name: str) -> Rater | None:
    """Who may sign in and does so as ``name``, or has it as the number that the dashboard shows."""
    try:
        found = (rater_by_login(db, name) if name else None) or rater(db, name)
    except NotFound:
        return None
    return found if found.active and found.login is not None else None


def reset_path(study: Study, name: str) -> str:
    """The path of a link with which ``name`` chooses a new password, for whoever holds the study's folder.

    Raises:
        ComoderateError: nobody who may sign in has this name, or people come by single sign-on.
    """
    if study.settings.web.user_header:
        raise ComoderateError(
            "people of this study sign in elsewhere and have no password here", do="mend it in the single sign-on"
        )
    with open_database(study.store_url) as db:
        found = _known(db, name)
        if found is None:
            known = [one.login for one in raters(db, role="coordinator") if one.active and one.login]
            hint = (
                f"the coordinators are {', '.join(sorted(known))}" if known else "start serve: it prints an invitation"
            )
            raise ComoderateError(f"nobody who may sign in is called {name!r}", do=hint)
        return f"/reset/{create_reset(db, found.rater_id)}"
