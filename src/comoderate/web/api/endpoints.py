"""The API's addresses."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request

from comoderate.annotation import ApiToken
from comoderate.study import remote, snapshot
from comoderate.study.pushed import accept
from comoderate.web.api import bodies
from comoderate.web.api.problems import RESPONSES
from comoderate.web.api.tokens import may
from comoderate.web.state import web_of

router = APIRouter(prefix="/v1", responses=RESPONSES)
After = Annotated[int, Query(ge=0, le=2**53, description="Only what comes behind it: the `next` of the page before.")]
Limit = Annotated[int, Query(ge=1, le=500, description="How many items a page has.")]


@router.post("/posts", status_code=202, tags=["posts"])
def push_posts(
    request: Request, sent: bodies.Posts, _token: Annotated[ApiToken, Depends(may("posts:write"))]
) -> bodies.PostsAccepted:
    """Push posts. They are on the disk before this answers; the next import takes them in, scores and queues them."""
    found = accept(web_of(request).study, (post.model_dump() for post in sent.posts))
    return bodies.PostsAccepted(stored=found.stored, known=found.known)


@router.get("/queue", tags=["queue"])
def read_queue(
    request: Request, token: Annotated[ApiToken, Depends(may("queue:read"))], after: After = 0, limit: Limit = 100
) -> bodies.Queue:
    """Posts for moderators, in order. What chose them comes with `queue:scores`; don't show it before a decision."""
    page = remote.queue_page(web_of(request).study, after=after, limit=limit, scores="queue:scores" in token.scopes)
    return bodies.Queue(items=[bodies.Queued(**item) for item in page.items], next=page.next)


@router.post("/decisions", tags=["decisions"])
def push_decisions(
    request: Request, sent: bodies.Decisions, _token: Annotated[ApiToken, Depends(may("decisions:write"))]
) -> bodies.DecisionsStored:
    """Push decisions on queued posts that were made elsewhere."""
    web = web_of(request)
    stored = remote.push_decisions(web.study, web.db, [one.model_dump() for one in sent.decisions])
    return bodies.DecisionsStored(stored=stored)


@router.get("/decisions", tags=["decisions"])
def read_decisions(
    request: Request, _token: Annotated[ApiToken, Depends(may("annotations:read"))], after: After = 0,
    limit: Limit = 100,
) -> bodies.DecisionsPage:  # fmt: skip
    """Decisions that stand, oldest first."""
    page = remote.decisions_page(web_of(request).db, after=after, limit=limit)
    return bodies.DecisionsPage(items=[bodies.Decided(**item) for item in page.items], next=page.next)


@router.get("/annotations", tags=["annotations"])
def read_annotations(
    request: Request, _token: Annotated[ApiToken, Depends(may("annotations:read"))], after: After = 0,
    limit: Limit = 100,
) -> bodies.Annotations:  # fmt: skip
    """Every answer that stands, oldest first, with who (as a keyed hash) and when."""
    web = web_of(request)
    page = remote.annotations_page(web.study, web.db, after=after, limit=limit)
    return bodies.Annotations(items=[bodies.Annotation(**item) for item in page.items], next=page.next)


@router.get("/estimates", tags=["estimates"])
def read_estimates(request: Request, _token: Annotated[ApiToken, Depends(may("estimates:read"))]) -> bodies.Estimates:
    """Progress, prevalence and agreement, with intervals, as the dashboard's last snapshot has them."""
    found = snapshot.read(web_of(request).study.folder)
    if found is None:
        raise HTTPException(404, "No numbers were computed yet: open the dashboard, or compute them there.")
    counted = found["annotations"] if isinstance(found["annotations"], int) else 0
    names = ("made_at", "progress", "prevalence", "agreement", "problems")
    return bodies.Estimates(annotations=counted, **{name: found[name] for name in names})
