"""Raters: what they did and were exposed to, how far they agree, and what they ask."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from comoderate import annotation as store
from comoderate.study import snapshot
from comoderate.study.people import texts
from comoderate.web.access import not_found, one
from comoderate.web.dashboard.common import Coordinator, Form, back, page, whole
from comoderate.web.state import web_of

router = APIRouter()
A_PAGE = 50


@router.get("/dashboard/people")
def people(
    request: Request, person: Coordinator, said: str = "", campaign: str = "", after: str = "", joined: str = ""
) -> Response:
    """Cohorts and raters of one campaign, the raters' view with its caution, and everybody who has joined."""
    web = web_of(request)
    names = [one.name for one in store.campaigns(web.db)]
    chosen = campaign if campaign in names else names[0] if names else None
    found = snapshot.read(web.study.folder) or {}
    rows = [] if chosen is None else store.raters_progress(web.db, chosen, after=after[:100] or None, limit=A_PAGE)
    active = {row.rater_id: store.rater(web.db, row.rater_id).active for row in rows}
    everybody = store.raters(web.db, after=joined[:100] or None, limit=A_PAGE)
    return page(
        request, "people.html", said=said, names=names, chosen=chosen, rows=rows, active=active,
        cohorts=[] if chosen is None else store.cohort_progress(web.db, chosen),
        more=rows[-1].rater_id if len(rows) == A_PAGE else None, snapshot=found, own=person.rater_id,
        everybody=everybody, others=everybody[-1].rater_id if len(everybody) == A_PAGE else None,
    )  # fmt: skip


@router.post("/dashboard/people/{rater_id}")
def switch(request: Request, rater_id: str, person: Coordinator, sent: Form) -> Response:
    """Shut a person out, or let them in again; never oneself."""
    web, active = web_of(request), one(sent, "active") == "yes"
    if rater_id == person.rater_id:
        raise not_found()
    store.update_rater(web.db, rater_id, actor=person.rater_id, active=active)
    if not active:
        store.close_sessions(web.db, rater_id)
    return back("/dashboard/people", "started" if active else "stopped")


@router.get("/dashboard/questions")
def questions(request: Request, person: Coordinator, said: str = "") -> Response:
    """What raters ask, those without a reply first."""
    web = web_of(request)
    asked = sorted(store.enquiries(web.db), key=lambda one: one.reply is not None)
    shown = texts(web.study, [one.post_id for one in asked])
    return page(request, "questions.html", said=said, asked=asked, texts=shown)


@router.post("/dashboard/questions/{number}")
def reply(request: Request, number: str, person: Coordinator, sent: Form) -> Response:
    """Reply to a question."""
    found = whole(number, least=1, most=2**31 - 1)
    if found is None:
        raise not_found()
    store.reply(web_of(request).db, found, one(sent, "reply"), actor=person.rater_id)
    return back("/dashboard/questions", "replied")
