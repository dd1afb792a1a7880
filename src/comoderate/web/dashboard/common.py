"""What all pages of the dashboard share: who may see them, their tabs, and back to one with a word."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from comoderate import annotation as store
from comoderate.annotation import Rater
from comoderate.web.access import form, require
from comoderate.web.pages import render
from comoderate.web.state import web_of

Coordinator = Annotated[Rater, Depends(require("coordinator"))]
Form = Annotated[FormData, Depends(form)]

TABS = (
    ("/dashboard", "Overview"), ("/dashboard/people", "People"), ("/dashboard/questions", "Questions"),
    ("/dashboard/invite", "Invite"), ("/dashboard/desk", "Desk"), ("/dashboard/data", "Data"),
    ("/dashboard/tokens", "API"), ("/dashboard/journal", "Journal"),
)  # fmt: skip

STATISTICS = {
    "fleiss_kappa": "Fleiss’ κ", "icc": "ICC", "krippendorff_alpha": "Krippendorff’s α",
    "percent_agreement": "Same answer",
}  # fmt: skip

SAID = {
    "refreshing": "New numbers are being computed. They appear here in a while.",
    "busy": "A computation is under way already.",
    "opened": "The campaign is open.", "paused": "The campaign is paused.", "closed": "The campaign is closed.",
    "desk-open": "The desk is open.", "desk-paused": "The desk is paused.", "desk-closed": "The desk is closed.",
    "revoked": "It is revoked and no longer works.", "replied": "Your reply was sent.",
    "stopped": "The person can no longer sign in.", "started": "The person can sign in again.",
}  # fmt: skip
"""What a page may say of the step before."""


def page(request: Request, template: str, *, said: str = "", status: int = 200, **content: Any) -> Response:
    """A page of the dashboard with its tabs; in English, whatever else the study offers."""
    request.state.language = "en"
    waiting = len(store.enquiries(web_of(request).db, open_only=True, limit=100))
    return render(
        request, f"dashboard/{template}", status=status, tabs=TABS, waiting=waiting, said=SAID.get(said, ""), **content
    )  # fmt: skip


def back(path: str, said: str = "", **more: str) -> Response:
    """To a page of the dashboard, with a word on what was done."""
    query = urlencode({**({"said": said} if said else {}), **more})
    return RedirectResponse(f"{path}?{query}" if query else path, 303)


def whole(text: str, *, least: int, most: int) -> int | None:
    """A whole number within bounds; None for anything else."""
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        return None
    return int(text) if least <= int(text) <= most else None
