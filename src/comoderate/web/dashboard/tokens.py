"""Tokens for the API: made, listed, revoked; only digests of them are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from comoderate import annotation as store
from comoderate.web.access import one
from comoderate.web.api.tokens import SCOPES
from comoderate.web.dashboard.common import Coordinator, Form, back, page, whole
from comoderate.web.state import web_of

router = APIRouter()


@router.get("/dashboard/tokens")
def tokens(request: Request, person: Coordinator, said: str = "") -> Response:
    """The form, and the tokens there are."""
    return _page(request, said=said)


def _page(request: Request, *, said: str = "", status: int = 200, **content: Any) -> Response:
    given = {"secret": None, "wrong": "", **content}
    found = sorted(store.api_tokens(web_of(request).db), key=lambda one: one.created_at, reverse=True)[:100]
    return page(request, "tokens.html", said=said, status=status, scopes=SCOPES, found=found, **given)


@router.post("/dashboard/tokens")
def create(request: Request, person: Coordinator, sent: Form) -> Response:
    """Make a token; it is shown once."""
    label, scopes, days = one(sent, "label", longest=100), _scopes(sent), one(sent, "days", longest=10)
    many = whole(days, least=1, most=3_650)
    if not label or not scopes or (days and many is None):
        wrong = "Give it a name." if not label else "Choose what it may do." if not scopes else (
            "Days: a whole number from 1 to 3,650, or nothing for no end."
        )  # fmt: skip
        return _page(request, wrong=wrong, status=422)
    ends = None if many is None else datetime.now(UTC) + timedelta(days=many)
    secret, _ = store.create_api_token(
        web_of(request).db, scopes=scopes, label=label, actor=person.rater_id, expires_at=ends
    )  # fmt: skip
    return _page(request, secret=secret)


def _scopes(sent: FormData) -> list[str]:
    return [name for name in SCOPES if name in sent.getlist("scope")]


@router.post("/dashboard/tokens/{token_id}/revoke")
def revoke(request: Request, token_id: str, person: Coordinator) -> Response:
    """End a token."""
    store.revoke_api_token(web_of(request).db, token_id[:100], actor=person.rater_id)
    return back("/dashboard/tokens", "revoked")
