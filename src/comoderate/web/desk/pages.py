"""The desk's pages: take a post, decide, escalate, ask for a second opinion, take back, and see why it was there."""

from __future__ import annotations

import math
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from comoderate import annotation as store
from comoderate.annotation import Conflict, DeskItem, NotFound, Rater
from comoderate.errors import ComoderateError
from comoderate.study import queueing
from comoderate.study.desk import QUEUE, Choice, Made, choices, made_by, may_undo, recent, shown_reason
from comoderate.study.desk_wording import why
from comoderate.web.access import form, limit, not_found, one, require
from comoderate.web.desk.held import held
from comoderate.web.pages import render
from comoderate.web.state import web_of


def in_english(request: Request) -> None:
    """The desk speaks English, whatever else the study offers; a page says the language that it is in."""
    request.state.language = "en"


router = APIRouter(dependencies=[Depends(in_english)])
READERS = ("moderator", "expert", "coordinator")
LEADS = ("expert", "coordinator")
Person = Annotated[Rater, Depends(require(*READERS))]
Lead = Annotated[Rater, Depends(require(*LEADS))]
Form = Annotated[FormData, Depends(form)]
SAID = {"undone", "kept", "gone", "given", "shown"}


@router.get("/desk")
def overview(request: Request, person: Person, said: str = "") -> Response:
    """How the desk stands, and the way to the next post."""
    web, problem = web_of(request), _brought(request)
    known = any(one.queue == QUEUE for one in store.desks(web.db))
    empty = queueing.emptiness(web.study)
    content: dict[str, Any] = {"problem": problem, "queued": known, "lead": person.role in LEADS, "empty": empty}
    content["said"] = said if said in SAID else ""
    content["disagreement"] = web.study.settings.review.desk.disagreement
    if known:
        content["desk"] = store.desk(web.db, QUEUE)
        content["progress"] = store.desk_progress(web.db, QUEUE)
        content["numbers"] = held(request).live.numbers()
        content["mine"] = store.count_decisions(web.db, person.rater_id, queue=QUEUE)
    return render(request, "desk/overview.html", **content)


def _brought(request: Request) -> str | None:
    """Bring a queue that was made anew; what stands in the way, if anything."""
    try:
        held(request).keeper.bring()
    except ComoderateError as error:
        return str(error)
    return None


@router.get("/desk/post")
def post(request: Request, person: Person, said: str = "", done: str = "") -> Response:
    """The next post, or why there is none."""
    return _offer(request, person, escalated=False, said=said, done=done)


@router.get("/desk/escalated")
def escalated(request: Request, person: Lead, said: str = "", done: str = "") -> Response:
    """The next post that moderators passed on."""
    return _offer(request, person, escalated=True, said=said, done=done)


def _offer(request: Request, person: Rater, *, escalated: bool, said: str, done: str) -> Response:
    web = web_of(request)
    _brought(request)
    before = _made(request, person, done)
    content: dict[str, Any] = {
        "said": said if said in SAID else "",
        "before": before,
        "undoable": before is not None and may_undo(web.db, before),
        "escalated": escalated,
    }
    try:
        offer = store.claim(web.db, QUEUE, person.rater_id, escalated=escalated)
    except NotFound:
        return render(request, "desk/nothing.html", reason="unknown", progress=None, item=None, empty=None, **content)
    if offer.item is None:
        return render(
            request, "desk/nothing.html", reason=offer.reason, progress=store.desk_progress(web.db, QUEUE), item=None,
            empty=queueing.emptiness(web.study), **content,
        )  # fmt: skip
    item = offer.item
    return render(
        request, "desk/post.html", item=item, choices=choices(web.study), key=secrets.token_urlsafe(12),
        question=_question(request), progress=store.desk_progress(web.db, QUEUE), covered=person.covered, **content,
    )  # fmt: skip


def _question(request: Request) -> str:
    settings = web_of(request).study.settings
    target = settings.target[settings.review.target or next(iter(settings.target))]
    return settings.codebook.question[target.question].text


def _made(request: Request, person: Rater, done: str) -> Made | None:
    """The decision that the address names, if it is this person's and stands."""
    if not (done.isascii() and done.isdigit()) or len(done) > 16:
        return None
    return made_by(web_of(request).db, int(done), person.rater_id)


@router.post("/desk/decide")
def decide(request: Request, person: Person, sent: Form) -> Response:
    """Store a decision; what comes back was stored."""
    limit(request, "desk", person.rater_id)
    web, back = web_of(request), "/desk/escalated" if one(sent, "escalated") else "/desk/post"
    item, key = _item(sent), one(sent, "key", longest=80) or secrets.token_urlsafe(12)
    common: dict[str, Any] = {"idempotency_key": key, "seconds": _seconds(one(sent, "seconds"))}
    note = one(sent, "note", longest=1_000)
    act = one(sent, "act")
    try:
        if act == "release":
            store.release_item(web.db, person.rater_id, item)
            return RedirectResponse("/desk?said=given", 303)
        if act == "escalate":
            made = store.escalate(web.db, person.rater_id, item, note=note, **common)
        else:
            taken = store.ask_second if one(sent, "second") else store.decide
            made = taken(web.db, person.rater_id, item, act.removeprefix("="), note=note or None, **common)
    except Conflict:
        return RedirectResponse(f"{back}?said=gone", 303)
    held(request).refresher.start()
    return RedirectResponse(f"{back}?done={made.decision_id}", 303)


def _item(sent: FormData) -> int:
    text = one(sent, "item", longest=20)
    if not (text.isascii() and text.isdigit()) or len(text) > 16:
        raise not_found()
    return int(text)


def _seconds(text: str) -> float | None:
    """Seconds that the page counted; None where there are none, or a number that no reading takes."""
    try:
        found = float(text)
    except ValueError:
        return None
    return round(found, 1) if math.isfinite(found) and 0 <= found <= 3600 else None


@router.post("/desk/undo")
def undo(request: Request, person: Person, sent: Form) -> Response:
    """Take the last decision back, unless its reason was shown or somebody decided since."""
    web = web_of(request)
    made = _made(request, person, one(sent, "done", longest=20))
    if made is None or not may_undo(web.db, made):
        return RedirectResponse("/desk/post?said=kept", 303)
    if one(sent, "item"):
        store.release_item(web.db, person.rater_id, _item(sent))
    found = store.undo_decision(web.db, person.rater_id, queue=QUEUE)
    back = "/desk/escalated" if made.stage == "escalated" else "/desk/post"
    return RedirectResponse(f"{back}?said={'kept' if found is None else 'undone'}", 303)


@router.get("/desk/decided")
def decided(request: Request, person: Person) -> Response:
    """What one decided lately."""
    web = web_of(request)
    return render(request, "desk/decided.html", rows=recent(web.db, person.rater_id))


@router.post("/desk/why")
def ask_why(request: Request, person: Person, sent: Form) -> Response:
    """Show why a post was in the queue; the decision on it is then final."""
    web = web_of(request)
    made = _made(request, person, one(sent, "done", longest=20))
    if made is None:
        raise not_found()
    shown_reason(web.db, made, role=person.role)
    return RedirectResponse(f"/desk/why/{made.decision_id}", 303)


@router.get("/desk/why/{done}")
def why_page(request: Request, done: str, person: Person) -> Response:
    """Why a post was in the queue, of a decision whose reason was asked for."""
    web = web_of(request)
    made = _made(request, person, done)
    if made is None or may_undo(web.db, made, ignoring_others=True):
        raise not_found()
    item: DeskItem = store.desk_item(web.db, made.item_id, person.rater_id)
    verb = next((c.verb for c in _choices(request) if c.positive), "remove")
    return render(
        request, "desk/why.html", item=item, made=made, told=why(item, positive=verb), covered=person.covered
    )  # fmt: skip


def _choices(request: Request) -> list[Choice]:
    return choices(web_of(request).study)
