"""What is wrong, as JSON: problem bodies (RFC 9457), never a page and never a traceback."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from comoderate.annotation import Conflict, NotAllowed, NotFound
from comoderate.errors import ComoderateError

MEDIA = "application/problem+json"


class Wrong(BaseModel):
    """One thing that is wrong with a request."""

    where: str = Field(description="Where in the request, by dots: `body.posts.0.text`.")
    what: str = Field(description="What is wrong there.")


class Problem(BaseModel):
    """Why a request was refused."""

    type: str = Field(default="about:blank", description="Always `about:blank`: the status says what kind it is.")
    title: str = Field(description="The status in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What is wrong, and what to do.")
    errors: list[Wrong] = Field(default_factory=list, description="Where the request is not valid.")


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, text in {
        400: "The body is no JSON.", 401: "No token, or one that is void.", 403: "The token may not do this.",
        404: "There is no such thing.", 409: "It contradicts what is stored.", 413: "The body is too large.",
        422: "The request is not valid.", 429: "Too many requests; `Retry-After` says when to try again.",
    }.items()
}  # fmt: skip


def answer(
    status: int, detail: str, *, errors: list[Wrong] | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A problem body."""
    problem = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=errors or [])
    return JSONResponse(problem.model_dump(), status, headers=headers, media_type=MEDIA)


def refused(_request: Request, error: Exception) -> Response:
    """The answer to an HTTP error."""
    assert isinstance(error, HTTPException)
    return answer(error.status_code, str(error.detail), headers=error.headers)


def invalid(_request: Request, error: Exception) -> Response:
    """The answer to a request that does not fit the description."""
    assert isinstance(error, RequestValidationError)
    wrong = [Wrong(where=".".join(map(str, one["loc"])), what=str(one["msg"])) for one in error.errors()[:20]]
    unread = any(one["type"] == "json_invalid" for one in error.errors())
    detail = "The body is no JSON." if unread else "The request is not valid; errors say where."
    return answer(400 if unread else 422, detail, errors=wrong)


def mistaken(_request: Request, error: Exception) -> Response:
    """The answer to a mistake that the study found."""
    kinds: list[tuple[type[Exception], int]] = [(NotAllowed, 403), (NotFound, 404), (Conflict, 409)]
    status = next((code for kind, code in kinds if isinstance(error, kind)), 422)
    return answer(status, str(error))


def broken(_request: Request, _error: Exception) -> Response:
    """The last resort."""
    return answer(500, "Something went wrong here; it is in the server's log.")


HANDLERS: dict[Any, Any] = {
    HTTPException: refused, RequestValidationError: invalid, ComoderateError: mistaken, Exception: broken,
}  # fmt: skip
