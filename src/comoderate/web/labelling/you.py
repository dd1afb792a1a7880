"""One's own page: what one has done, what the coordinator replied, and how one wants to work."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from comoderate import annotation as store
from comoderate.annotation import Rater
from comoderate.codebook import Resource
from comoderate.web.access import form, one, require
from comoderate.web.labelling.gates import Work, works
from comoderate.web.pages import render
from comoderate.web.state import web_of

router = APIRouter()
Person = Annotated[Rater, Depends(require())]
READERS = ("moderator", "expert", "coordinator")
"""Who reads posts on the review desk."""


@router.get("/you")
def you(request: Request, person: Person, said: str = "") -> Response:
    """Progress, messages, and choices."""
    web, mine = web_of(request), works(request, person)
    progress = [(own, store.rater_progress(web.db, person.rater_id, campaign=own.name)) for own in mine]
    kinds: dict[str, str] = {}
    for own in mine:
        kinds |= own.asked.opt_outs
    return render(
        request, "label/you.html", progress=progress, kinds=kinds, said=said if said in {"paused", "kept"} else "",
        enquiries=store.enquiries(web.db, rater_id=person.rater_id), resources=_resources(mine),
        may_cover=person.role in READERS or any(own.asked.reveal for own in mine),
    )  # fmt: skip


def _resources(mine: list[Work]) -> list[Resource]:
    """Places of help of all campaigns, each once."""
    return list({resource.name: resource for own in mine for resource in own.care.resources}.values())


def _cap(text: str) -> int | None:
    """A whole number above 0; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else None


@router.post("/you")
def keep(request: Request, person: Person, sent: Annotated[FormData, Depends(form)]) -> Response:
    """Keep the choices."""
    web = web_of(request)
    offered = {kind for own in works(request, person) for kind in own.asked.opt_outs}
    chosen = [kind for kind in sent.getlist("without") if isinstance(kind, str) and kind in offered]
    cap = _cap(one(sent, "cap", longest=4))
    store.update_rater(
        web.db, person.rater_id, actor=person.rater_id, opted_out=tuple(chosen), exposure_cap=cap,
        covered=bool(one(sent, "cover")),
    )  # fmt: skip
    return RedirectResponse("/you?said=kept", 303)
