"""The volunteers' pages: from the first warning to the last post."""

from fastapi import APIRouter

from comoderate.web.labelling import before, work, you

router = APIRouter()
for part in (before, you, work):
    router.include_router(part.router)
