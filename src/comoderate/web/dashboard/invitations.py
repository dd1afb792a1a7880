"""Inviting people by a link: role, cohort, how many, until when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from comoderate import annotation as store
from comoderate.web.access import one
from comoderate.web.dashboard.common import Coordinator, Form, back, page, whole
from comoderate.web.state import web_of

router = APIRouter()
ROLES = ("volunteer", "expert", "moderator", "coordinator")


@router.get("/dashboard/invite")
def invite(request: Request, person: Coordinator, said: str = "") -> Response:
    """The form, and the invitations there are."""
    return _page(request, said=said)


def _page(request: Request, *, said: str = "", status: int = 200, **content: Any) -> Response:
    web = web_of(request)
    s = web.study.settings
    cohorts = list(dict.fromkeys([*s.cohorts, s.review.cohort]))
    given = {"link": None, "wrong": "", "sent": {}, **content}
    found = sorted(store.invitations(web.db), key=lambda one: one.created_at, reverse=True)[:100]
    return page(
        request, "invite.html", said=said, status=status, roles=ROLES, cohorts=cohorts, found=found,
        campaigns=[one.name for one in store.campaigns(web.db)], now=datetime.now(UTC), **given,
    )  # fmt: skip


@router.post("/dashboard/invite")
def create(request: Request, person: Coordinator, sent: Form) -> Response:
    """Make an invitation; its link is shown once, for only its digest is kept."""
    web = web_of(request)
    given = {name: one(sent, name, longest=200) for name in ("role", "cohort", "campaign", "uses", "days", "note")}
    s = web.study.settings
    uses, days = whole(given["uses"], least=1, most=100_000), whole(given["days"], least=1, most=3_650)
    wrong = ""
    if given["role"] not in ROLES:
        wrong = "Choose a role."
    elif given["cohort"] not in {*s.cohorts, s.review.cohort}:
        wrong = "Choose a cohort of the study."
    elif given["campaign"] and given["campaign"] not in {one.name for one in store.campaigns(web.db)}:
        wrong = "Choose a campaign of the study, or none."
    elif given["uses"] and uses is None:
        wrong = "People: a whole number from 1 to 100,000, or nothing for any number."
    elif given["days"] and days is None:
        wrong = "Days: a whole number from 1 to 3,650, or nothing for no end."
    if wrong:
        return _page(request, wrong=wrong, sent=given, status=422)
    ends = None if days is None else datetime.now(UTC) + timedelta(days=days)
    secret, _ = store.create_invitation(
        web.db, role=given["role"], cohort=given["cohort"], campaign=given["campaign"] or None, uses=uses,
        expires_at=ends, note=given["note"], actor=person.rater_id,
    )  # fmt: skip
    return _page(request, link=f"{str(request.base_url).rstrip('/')}/join/{secret}")


@router.post("/dashboard/invite/{invitation_id}/revoke")
def revoke(request: Request, invitation_id: str, person: Coordinator) -> Response:
    """End an invitation."""
    store.revoke_invitation(web_of(request).db, invitation_id[:100], actor=person.rater_id)
    return back("/dashboard/invite", "revoked")
