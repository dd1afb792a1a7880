"""The overview, the campaigns' switches, and the desk as the coordinator sees it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from comoderate import annotation as store
from comoderate.annotation import NotFound
from comoderate.errors import ComoderateError
from comoderate.study import Study, queueing, snapshot
from comoderate.study.desk import QUEUE
from comoderate.study.desk_wording import strategy
from comoderate.web.access import not_found, one
from comoderate.web.dashboard.common import STATISTICS, Coordinator, Form, back, page
from comoderate.web.desk.held import held
from comoderate.web.state import web_of

router = APIRouter()
STATES = {"open": "opened", "paused": "paused", "closed": "closed"}


@router.get("/dashboard")
def overview(request: Request, person: Coordinator, said: str = "") -> Response:
    """Campaigns as they stand, and the numbers of the last snapshot."""
    web, refresher = web_of(request), held(request).refresher
    found = snapshot.read(web.study.folder)
    refresher.start(now=found is None)
    campaigns = store.campaigns(web.db)
    return page(
        request, "overview.html", said=said, snapshot=found, running=refresher.running, queueing=refresher.queueing,
        problem=refresher.problem(), lacking=_lacking(request) if said == "no-scorer" else None, statistics=STATISTICS,
        campaigns=[(one, store.campaign_progress(web.db, one.name)) for one in campaigns],
    )  # fmt: skip


@router.post("/dashboard/refresh")
def refresh(request: Request, person: Coordinator, sent: Form) -> Response:
    """Compute the numbers anew; on request after scoring posts and making the queue anew."""
    everything = one(sent, "what") == "everything"
    if everything and _lacking(request) is not None:
        return back("/dashboard", "no-scorer")
    begun = held(request).refresher.start(now=True, everything=everything)
    if everything and begun:
        store.write_journal(web_of(request).db, "queue made anew", actor=person.rater_id, role=person.role)
    return back("/dashboard", "refreshing" if begun else "busy")


def _lacking(request: Request) -> str | None:
    """What no queue can be made without, by the study's file as it is now; what is wrong with that is told later."""
    try:
        return queueing.lacking(Study.open(web_of(request).study.folder))
    except ComoderateError:
        return None


@router.post("/dashboard/campaign/{name}")
def switch(request: Request, name: str, person: Coordinator, sent: Form) -> Response:
    """Open, pause or close a campaign."""
    state = one(sent, "state")
    if state not in STATES:
        raise not_found()
    store.set_campaign_state(web_of(request).db, name, state, actor=person.rater_id)  # type: ignore[arg-type]
    return back("/dashboard", STATES[state])


@router.get("/dashboard/desk")
def desk(request: Request, person: Coordinator, said: str = "") -> Response:
    """The desk: what review brings, who reads, and the experiment."""
    web = web_of(request)
    empty = queueing.emptiness(web.study)
    content: dict[str, Any] = {"desk": None, "progress": None, "numbers": None, "problem": None, "empty": empty}
    try:
        held(request).keeper.bring()
    except ComoderateError as error:
        content["problem"] = str(error)
    try:
        content["desk"] = store.desk(web.db, QUEUE)
        content["progress"] = store.desk_progress(web.db, QUEUE)
        content["numbers"] = held(request).live.numbers()
    except NotFound:
        pass
    return page(
        request, "desk.html", said=said, strategy=strategy, experiment=web.study.settings.review.experiment, **content
    )


@router.post("/dashboard/desk")
def switch_desk(request: Request, person: Coordinator, sent: Form) -> Response:
    """Open, pause or close the desk."""
    state = one(sent, "state")
    if state not in STATES:
        raise not_found()
    store.set_desk_state(web_of(request).db, QUEUE, state, actor=person.rater_id)  # type: ignore[arg-type]
    return back("/dashboard/desk", f"desk-{state}")
