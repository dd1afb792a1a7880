"""The first invitation: without a coordinator nobody could invite anybody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from comoderate.annotation import count_raters, create_invitation, invitations, revoke_invitation

if TYPE_CHECKING:
    from fastapi import FastAPI

    from comoderate.web.state import Web

NOTE = "the first coordinator"


def first_invitation(app: FastAPI) -> str | None:
    """The path of an invitation for the first coordinator; None where there is one already.

    Each start makes a new one and voids that of the start before, of which only a hash is kept.
    """
    web: Web = app.state.web
    if count_raters(web.db, role="coordinator"):
        return None
    for old in invitations(web.db):
        if old.note == NOTE:
            revoke_invitation(web.db, old.invitation_id)
    secret, _ = create_invitation(
        web.db, role="coordinator", cohort="coordinators", uses=1, note=NOTE,
        expires_at=datetime.now(UTC) + timedelta(days=7),
    )  # fmt: skip
    return f"/join/{secret}"
