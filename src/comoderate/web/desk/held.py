"""What the desk and the dashboard keep while the application runs: the desk's queue and its live numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from starlette.requests import Request

from comoderate.study.desk import DeskKeeper
from comoderate.study.desk_numbers import LiveDesk
from comoderate.study.snapshot import Refresher
from comoderate.web.state import web_of


@dataclass(frozen=True)
class Held:
    """One of each for an application.

    Attributes:
        keeper: brings a queue that was made anew to the desk.
        live: the desk's numbers.
        refresher: computes the dashboard's snapshot in another process.
    """

    keeper: DeskKeeper
    live: LiveDesk
    refresher: Refresher


def held(request: Request) -> Held:
    """What the application keeps, made on first use."""
    state = request.app.state
    if not hasattr(state, "desk_held"):
        web = web_of(request)
        state.desk_held = Held(
            DeskKeeper(web.study, web.db), LiveDesk(web.study, web.db), Refresher(web.study.folder)
        )  # fmt: skip
    return cast("Held", state.desk_held)
