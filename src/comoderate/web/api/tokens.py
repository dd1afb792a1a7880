"""Who asks: a bearer token with scopes, and how often it may ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from comoderate import annotation as store
from comoderate.annotation import ApiToken
from comoderate.web.state import web_of

bearer = HTTPBearer(auto_error=False, description="A token that a coordinator made on the dashboard.")
SCOPES = {
    "posts:write": "push posts",
    "queue:read": "read the queue, without scores",
    "queue:scores": "read the queue with scores and reasons, which tell audit posts apart",
    "decisions:write": "push decisions",
    "estimates:read": "read estimates, agreement and progress",
    "annotations:read": "read all annotations, with raters as keyed hashes",
}
"""Scope → what it allows, in words."""

RETRY = "10"
"""Seconds that one who asked too often is told to wait."""


def token(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> ApiToken:
    """The token of a request.

    Raises:
        HTTPException: 401 without one that works, 429 where there were too many requests.
    """
    web = web_of(request)
    address = request.client.host if request.client else ""
    found = None if given is None else store.api_token(web.db, given.credentials)
    if found is None:
        if not web.limits["api-unknown"].allows(address):
            raise HTTPException(429, "Too many requests without a token that works.", {"Retry-After": RETRY})
        raise HTTPException(401, "Send a token that works: Authorization: Bearer …", {"WWW-Authenticate": "Bearer"})
    if not web.limits["api"].allows(found.token_id):
        raise HTTPException(429, "Too many requests with this token.", {"Retry-After": RETRY})
    return found


def may(scope: str) -> Callable[[ApiToken], ApiToken]:
    """A dependency that gives the token, if it has the scope.

    Raises:
        HTTPException: 403 without it.
    """

    def dependency(found: Annotated[ApiToken, Depends(token)]) -> ApiToken:
        if scope not in found.scopes:
            raise HTTPException(403, f"The token lacks the scope {scope}.")
        return found

    return dependency
