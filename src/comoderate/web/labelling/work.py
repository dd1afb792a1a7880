"""Post after post: show one, take the answer, skip, undo, reveal, ask, pause."""

from __future__ import annotations

import json
import secrets
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import JSONResponse, RedirectResponse, Response

from comoderate import annotation as store
from comoderate.annotation import NotFound, Rater, Task
from comoderate.web.access import form, limit, one, require
from comoderate.web.labelling.answers import Given, asked_only, missing, read_answers
from comoderate.web.labelling.gates import Work, next_gate, work_of, works
from comoderate.web.labelling.view import question_views
from comoderate.web.pages import language_of, render
from comoderate.web.state import web_of

router = APIRouter()
Person = Annotated[Rater, Depends(require())]
Form = Annotated[FormData, Depends(form)]
SAID = {"saved", "care", "skipped", "late", "asked", "undone", "nothing", "elsewhere"}
"""What the page may say of the step before."""


@router.get("/label")
def choose(request: Request, person: Person) -> Response:
    """The campaigns to choose from; with one only, that."""
    mine = works(request, person)
    if len(mine) == 1:
        return RedirectResponse(f"/label/{mine[0].name}", 303)
    return render(request, "label/choose.html", works=mine)


@router.get("/label/{name}")
def work(request: Request, name: str, person: Person, said: str = "", lease: str = "", shown: str = "") -> Response:
    """The next post, or why there is none."""
    found = work_of(request, name, person)
    gate = next_gate(found, person)
    if gate is not None:
        return RedirectResponse(f"/label/{name}/{gate}", 303)
    task, reason = _next(request, found, person, lease)
    if task is None:
        return _nothing(request, found, person, reason, said)
    content = _page(request, found, person, task, shown=shown == task.lease)
    return render(request, "label/post.html", said=said if said in SAID else "", **content)


@router.get("/label/{name}/next")
def ahead(request: Request, name: str, person: Person, holding: str = "") -> Response:
    """For the script: a post besides those that it holds, as a piece of a page."""
    found = work_of(request, name, person)
    if next_gate(found, person) is not None:
        return JSONResponse({"reason": "gate"})
    held = tuple(part for part in holding.split(",")[:50] if part)
    offer = store.next_task(web_of(request).db, person.rater_id, campaign=name, holding=held)
    if offer.task is None:
        return JSONResponse({"reason": offer.reason})
    return _piece(request, found, person, offer.task)


@router.post("/label/{name}/answer")
def answer(request: Request, name: str, person: Person, sent: Form) -> Response:
    """Store an answer; what comes back was stored."""
    found = work_of(request, name, person)
    codebook, lease = found.campaign.codebook, one(sent, "lease", longest=200)
    given = read_answers(sent, codebook)
    wrong = missing(given, codebook)
    script = _script(request)
    if wrong:
        return _again(request, found, person, lease, given, wrong)
    try:
        receipt = store.submit(
            web_of(request).db,
            person.rater_id,
            lease,
            {question: sorted(answers) for question, answers in asked_only(given, codebook).items()},
            idempotency_key=one(sent, "key", longest=80) or secrets.token_urlsafe(12),
            seconds=_seconds(one(sent, "seconds")),
            codebook=one(sent, "codebook") or None,
        )
    except NotFound:
        return JSONResponse({"status": "elsewhere"}) if script else _back(name, "elsewhere")
    said = "late" if receipt.status == "late" else "care" if receipt.exposed else "saved"
    if script:
        caps = [cap for cap in (person.exposure_cap, found.campaign.settings.exposure_cap) if cap is not None]
        stop = bool(caps) and receipt.exposure_today >= min(caps)
        progress = {"stop": stop, "break": receipt.break_due, "repeated": receipt.repeated}
        return JSONResponse({"status": receipt.status, "said": said, **progress})
    if receipt.break_due:
        return RedirectResponse(f"/label/{name}/break?said={said}", 303)
    return _back(name, said)


@router.post("/label/{name}/skip")
def skip(request: Request, name: str, person: Person, sent: Form) -> Response:
    """Give a post back without a reason; it never comes again."""
    work_of(request, name, person)
    said = "skipped"
    try:
        store.skip(web_of(request).db, person.rater_id, one(sent, "lease", longest=200))
    except NotFound:
        said = "elsewhere"
    return JSONResponse({"status": said, "said": said}) if _script(request) else _back(name, said)


@router.post("/label/{name}/undo")
def undo(request: Request, name: str, person: Person) -> Response:
    """Take the last answer back and show its post again."""
    found = work_of(request, name, person)
    task = store.undo(web_of(request).db, person.rater_id, campaign=name)
    if _script(request):
        return JSONResponse({"reason": "nothing"}) if task is None else _piece(request, found, person, task)
    return _back(name, "nothing") if task is None else _back(name, "undone", lease=task.lease)


@router.post("/label/{name}/reveal")
def reveal(request: Request, name: str, person: Person, sent: Form) -> Response:
    """Show a covered post; the journal keeps that it was seen."""
    work_of(request, name, person)
    lease = one(sent, "lease", longest=200)
    store.reveal(web_of(request).db, person.rater_id, lease)
    return _back(name, "", lease=lease, shown=lease)


@router.post("/label/{name}/ask")
def ask(request: Request, name: str, person: Person, sent: Form) -> Response:
    """Send a question on a post to the coordinator."""
    limit(request, "ask", person.rater_id)
    work_of(request, name, person)
    lease, text = one(sent, "lease", longest=200), one(sent, "text")
    if text:
        store.ask(web_of(request).db, person.rater_id, lease, text)
    if _script(request):
        return JSONResponse({"said": "asked"})
    return _back(name, "asked" if text else "", lease=lease)


@router.get("/label/{name}/break")
def break_page(request: Request, name: str, person: Person, said: str = "") -> Response:
    """Suggest a break."""
    found = work_of(request, name, person)
    progress = store.rater_progress(web_of(request).db, person.rater_id, campaign=name)
    return render(request, "label/break.html", work=found, progress=progress, said=said if said in SAID else "")


@router.post("/label/{name}/break")
def go_on(request: Request, name: str, person: Person) -> Response:
    """Go on after a break."""
    work_of(request, name, person)
    store.take_break(web_of(request).db, person.rater_id, campaign=name)
    return RedirectResponse(f"/label/{name}", 303)


@router.post("/label/{name}/pause")
def pause(request: Request, name: str, person: Person) -> Response:
    """Stop for now: posts that were shown go back to the others."""
    work_of(request, name, person)
    store.release_leases(web_of(request).db, person.rater_id, campaign=name)
    store.take_break(web_of(request).db, person.rater_id, campaign=name)
    return RedirectResponse("/you?said=paused", 303)


# ---------------------------------------------------------------------- what they share


def _next(request: Request, found: Work, person: Rater, lease: str) -> tuple[Task | None, str]:
    """The post of ``lease`` if that is open, else the next one."""
    db = web_of(request).db
    if lease:
        try:
            return store.task(db, person.rater_id, lease), ""
        except NotFound:
            pass
    offer = store.next_task(db, person.rater_id, campaign=found.name)
    return offer.task, offer.reason


def _page(
    request: Request,
    found: Work,
    person: Rater,
    task: Task,
    *,
    shown: bool = False,
    given: Given | None = None,
    wrong: list[str] | None = None,
) -> dict[str, Any]:
    codebook = found.campaign.codebook
    before = given if given is not None else task.previous or {}
    covered = found.asked.reveal and person.covered and not shown
    return {
        "work": found,
        "task": task,
        "key": secrets.token_urlsafe(12),
        "covered": covered,
        "ahead": 0 if person.covered else found.asked.ahead,
        "exposing": json.dumps(found.campaign.settings.exposing or codebook.care.after or {"any": []}),
        "questions": question_views(codebook, language_of(request), given=before, wrong=wrong or ()),
        "progress": store.rater_progress(web_of(request).db, person.rater_id, campaign=found.name),
    }


def _piece(request: Request, found: Work, person: Rater, task: Task) -> Response:
    """A post as the script puts it into the page."""
    page = render(request, "label/piece.html", **_page(request, found, person, task))
    return JSONResponse({"lease": task.lease, "html": bytes(page.body).decode()})


def _again(request: Request, found: Work, person: Rater, lease: str, given: Given, wrong: list[str]) -> Response:
    """The same post with what was answered, and what is missing."""
    if _script(request):
        return JSONResponse({"error": "incomplete", "missing": wrong}, 422)
    try:
        task = store.task(web_of(request).db, person.rater_id, lease)
    except NotFound:
        return _back(found.name, "elsewhere")
    content = _page(request, found, person, task, shown=True, given=given, wrong=wrong)
    return render(request, "label/post.html", status=422, said="", **content)


def _nothing(request: Request, found: Work, person: Rater, reason: str, said: str) -> Response:
    progress = store.rater_progress(web_of(request).db, person.rater_id, campaign=found.name)
    known = {"paused", "closed", "done", "later", "cap"}
    name = reason if reason in known else "closed"
    return render(request, "label/nothing.html", work=found, reason=name, progress=progress, care=said == "care")


def _back(name: str, said: str, **more: str) -> Response:
    query = urlencode({key: value for key, value in {"said": said, **more}.items() if value})
    return RedirectResponse(f"/label/{name}" + (f"?{query}" if query else ""), 303)


def _script(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _seconds(text: str) -> float | None:
    """Seconds that an answer took, as the page counted them; nothing where that cannot be."""
    try:
        value = float(text)
    except ValueError:
        return None
    return round(value, 1) if 0 < value < 86_400 else None
