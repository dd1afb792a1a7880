"""The coordinator's dashboard: progress, people, questions, invitations, data, the desk, tokens, the journal."""

from fastapi import APIRouter

from comoderate.web.dashboard import data, invitations, journal, overview, people, tokens

router = APIRouter()
for part in (overview, people, invitations, data, tokens, journal):
    router.include_router(part.router)

__all__ = ["router"]
