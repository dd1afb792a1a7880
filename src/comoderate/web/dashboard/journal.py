"""The journal: who saw and decided what."""

from __future__ import annotations

from itertools import islice

from fastapi import APIRouter, Request
from starlette.responses import Response

from comoderate import annotation as store
from comoderate.web.dashboard.common import Coordinator, page, whole
from comoderate.web.state import web_of

router = APIRouter()
A_PAGE = 100


@router.get("/dashboard/journal")
def journal(
    request: Request, person: Coordinator, after: str = "", event: str = "", actor: str = "", subject: str = ""
) -> Response:
    """A page of the journal, newest first, narrowed by event, person and post; of a post, who was shown it."""
    start = whole(after, least=0, most=2**53) or 0
    chosen = {name: value.strip()[:200] for name, value in (("event", event), ("actor", actor), ("subject", subject))}
    narrowed = {name: value or None for name, value in chosen.items()}
    lines = store.stream_journal(web_of(request).db, after=start, limit=A_PAGE, newest=True, **narrowed)
    rows = list(islice(lines, A_PAGE))
    more = rows[-1].number if len(rows) == A_PAGE else None
    seen = store.who_saw(web_of(request).db, chosen["subject"])[-A_PAGE:] if chosen["subject"] else []
    return page(request, "journal.html", rows=rows, more=more, chosen=chosen, seen=seen)
