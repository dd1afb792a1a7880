"""All annotations out of the study, streamed; and answers from other tools into it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response, StreamingResponse

from comoderate import annotation as store
from comoderate.errors import ComoderateError
from comoderate.study.exchange import Rules, exported, import_exchange
from comoderate.study.exchange_forms import FORMS, SUFFIX
from comoderate.web.access import form, not_found, one
from comoderate.web.dashboard.common import Coordinator, page
from comoderate.web.desk.held import held
from comoderate.web.state import web_of

router = APIRouter()
ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".gz")
MEDIA = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@router.get("/dashboard/data")
def data(request: Request, person: Coordinator) -> Response:
    """What can be taken out and brought in."""
    return _page(request)


def _page(request: Request, *, status: int = 200, **content: Any) -> Response:
    s = web_of(request).study.settings
    cohorts = list(dict.fromkeys([*s.cohorts, s.review.cohort]))
    given = {"wrong": "", "counts": None, **content}
    return page(
        request,
        "data.html",
        status=status,
        cohorts=cohorts,
        questions=[n for n, q in s.codebook.question.items() if q.kind != "text"],
        asked=list(s.codebook.question),
        **given,
    )


@router.get("/dashboard/export/{name}")
def export(request: Request, name: str, person: Coordinator, question: str = "", texts: str = "") -> Response:
    """Every annotation, as a file that is made while it is sent."""
    if name not in FORMS:
        raise not_found()
    web = web_of(request)
    pieces = exported(
        web.study, name, question=question or None, texts={"yes": True, "no": False}.get(texts), raters="hashed"
    )
    detail = {"form": name, "question": question[:100] or None}
    store.write_journal(web.db, "exported", actor=person.rater_id, role=person.role, detail=detail)
    ending = SUFFIX[name]
    headers = {"content-disposition": f'attachment; filename="annotations-{name}.{ending}"'}
    return StreamingResponse(_encoded(pieces), media_type=MEDIA[ending], headers=headers)


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece.encode("utf-8", errors="replace")


@router.post("/dashboard/import")
def bring_in(request: Request, person: Coordinator, sent: Annotated[FormData, Depends(form)]) -> Response:
    """Add the answers of a file; what is there already stays as it is."""
    web, upload = web_of(request), sent.get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        if isinstance(upload, UploadFile):
            upload.file.close()
        return _page(request, wrong="Choose a file.", status=422)
    name = Path(upload.filename).name.lower()
    ending = next((one for one in ENDINGS if name.endswith(one)), ".csv")
    rules = Rules(
        cohort=one(sent, "cohort", longest=64) or None,
        question=one(sent, "question", longest=64) or None,
        unknown_posts=_choice(sent, "unknown_posts"),
        other_codebooks=_choice(sent, "other_codebooks"),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"answers{'.csv' if ending == '.gz' else ''}{ending}"
        with path.open("wb") as target, upload.file:
            shutil.copyfileobj(upload.file, target, 1 << 20)
        try:
            counts = import_exchange(web.study, path, rules=rules)
        except ComoderateError as error:
            return _page(request, wrong=_of_the_file(error, path), status=422)
    detail = counts._asdict()
    store.write_journal(web.db, "imported", actor=person.rater_id, role=person.role, detail=detail)
    held(request).refresher.start()
    return _page(request, counts=counts)


def _of_the_file(error: ComoderateError, path: Path) -> str:
    """What is wrong, with the file called so: ours has a name that nobody knows."""
    return str(error).replace(str(path), "the file").replace(path.name, "the file")


def _choice(sent: FormData, name: str) -> Any:
    """One of the words that the rule takes; the strictest for anything else."""
    known = get_args(Rules.__annotations__[name]) or ("refuse", "drop", "keep")
    given = one(sent, name, longest=20)
    return given if given in known else "refuse"
