"""What a browser shows where the network is away: one page of ours, and the worker that keeps it.

The worker keeps that page, its style and its script, and nothing else, so that no post is ever shown from a copy, and
nothing personal stays on a shared computer.
"""

from __future__ import annotations

import hashlib
import json

from fastapi import APIRouter, Request
from starlette.responses import Response

from comoderate.web.access import not_found
from comoderate.web.pages import STATIC, language_of, render, static
from comoderate.web.state import web_of

router = APIRouter()
FILES = ("style.css", "icon.svg", "away.js")


@router.get("/away")
def away(request: Request, language: str = "") -> Response:
    """The page, the same for everybody who reads ``language``."""
    if language not in web_of(request).languages:
        raise not_found()
    request.state.person, request.state.language = None, language
    return render(request, "away.html")


@router.get("/worker.js")
def worker(request: Request, language: str = "") -> Response:
    """The worker's script, which begins with what it keeps; another page or file makes it another script."""
    known = language if language in web_of(request).languages else language_of(request)
    page = f"/away?language={known}"
    kept = [page, *(static(name) for name in FILES)]
    text = (STATIC / "worker.js").read_text(encoding="utf-8")
    version = hashlib.blake2b((bytes(away(request, known).body) + text.encode()), digest_size=5).hexdigest()
    head = f"const VERSION = {json.dumps(version)}, KEPT = {json.dumps(kept)};\n"
    return Response(head + text, media_type="text/javascript")
