"""Inviting people by a link: role, cohort, how many, until when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from comoderate import annotation as store
from comoderate.web.access import one
from comoderate.web.dashboard.common import Coordinator, Form, back, page, whole
from comoderate.web.invitations import COORDINATORS, cohort_for, mismatch
from comoderate.web.state import web_of

if TYPE_CHECKING:
    from comoderate.study.settings import Settings

router = APIRouter()
ROLES = ("volunteer", "expert", "moderator", "coordinator")


@router.get("/dashboard/invite")
def invite(request: Request, person: Coordinator, said: str = "") -> Response:
    """The form, and the invitations there are."""
    return _page(request, said=said)


def _page(request: Request, *, said: str = "", status: int = 200, **content: Any) -> Response:
    web = web_of(request)
    cohorts = _cohorts(web.study.settings)
    given = {"link": None, "wrong": "", "sent": {}, **content}
    found = sorted(store.invitations(web.db), key=lambda one: one.created_at, reverse=True)[:100]
    return page(
        request, "invite.html", said=said, status=status, roles=ROLES, cohorts=cohorts, found=found,
        campaigns=[one.name for one in store.campaigns(web.db)], **given,
    )  # fmt: skip


def _cohorts(settings: Settings) -> list[str]:
    return list(dict.fromkeys([*settings.cohorts, settings.review.cohort, COORDINATORS]))


@router.post("/dashboard/invite")
def create(request: Request, person: Coordinator, sent: Form) -> Response:
    """Make an invitation; its link is shown once, for only its digest is kept."""
    web = web_of(request)
    given = {name: one(sent, name, longest=200) for name in ("role", "cohort", "campaign", "uses", "days", "note")}
    s = web.study.settings
    uses, days = whole(given["uses"], least=1, most=100_000), whole(given["days"], least=1, most=3_650)
    campaign = given["campaign"] or None
    cohort = given["cohort"] or cohort_for(s, given["role"], campaign)
    if given["role"] not in ROLES:
        wrong = "Choose a role."
    elif campaign and campaign not in {one.name for one in store.campaigns(web.db)}:
        wrong = "Choose a campaign of the study, or none."
    elif given["cohort"] and cohort not in _cohorts(s):
        wrong = "Choose a cohort of the study."
    elif given["uses"] and uses is None:
        wrong = "People: a whole number from 1 to 100,000, or nothing for any number."
    elif given["days"] and days is None:
        wrong = "Days: a whole number from 1 to 3,650, or nothing for no end."
    else:
        wrong = mismatch(s, given["role"], cohort, campaign)
    if wrong:
        return _page(request, wrong=wrong, sent=given, status=422)
    ends = None if days is None else datetime.now(UTC) + timedelta(days=days)
    secret, _ = store.create_invitation(
        web.db, role=given["role"], cohort=cohort, campaign=campaign, uses=uses,
        expires_at=ends, note=given["note"], actor=person.rater_id,
    )  # fmt: skip
    return _page(request, link=f"{str(request.base_url).rstrip('/')}/join/{secret}")


@router.post("/dashboard/invite/{invitation_id}/revoke")
def revoke(request: Request, invitation_id: str, person: Coordinator) -> Response:
    """End an invitation."""
    store.revoke_invitation(web_of(request).db, invitation_id[:100], actor=person.rater_id)
    return back("/dashboard/invite", "revoked")
