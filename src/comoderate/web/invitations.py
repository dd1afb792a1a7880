"""Invitations: the first one, without which nobody could invite anybody, and who fits where."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from comoderate.annotation import Conflict, count_raters, create_invitation, find_invitation, invitations
from comoderate.web import keys

if TYPE_CHECKING:
    from fastapi import FastAPI

    from comoderate.study.settings import Settings
    from comoderate.web.state import Web

NOTE = "the first coordinator"
COORDINATORS = "coordinators"
"""The cohort of coordinators, who answer nothing."""
DAYS = 7


def first_invitation(app: FastAPI) -> str | None:
    """The path of an invitation for the first coordinator; None where there is one already.

    Each start tells the same one until it is used or has expired; then it is another. It is derived from the study's
    web key, since the database keeps a hash of it only.
    """
    web: Web = app.state.web
    if count_raters(web.db, role="coordinator"):
        return None
    over = sum(old.note == NOTE and old.created_by is None and old.state() != "open" for old in invitations(web.db))
    secret = keys.sign(web.key, "invitation", f"{NOTE} {over}")
    if find_invitation(web.db, secret) is None:
        with suppress(Conflict):  # another process was first
            create_invitation(
                web.db, role="coordinator", cohort=COORDINATORS, uses=1, note=NOTE, secret=secret,
                expires_at=datetime.now(UTC) + timedelta(days=DAYS),
            )  # fmt: skip
    return f"/join/{secret}"


def fitting(settings: Settings, role: str) -> tuple[str, ...]:
    """The cohorts in which somebody of ``role`` has something to do, the likeliest first.

    Volunteers label where a campaign asks their role and cohort. Moderators work on the desk, whatever their cohort,
    and coordinators everywhere; they are kept out of the cohorts that label. So are experts whom no campaign asks.
    """
    labelling = [asked.cohort for asked in settings.campaign.values() if role in asked.roles]
    taken = {asked.cohort for asked in settings.campaign.values()}
    others = [cohort for cohort in settings.cohorts if cohort not in taken]
    more = {
        "moderator": [settings.review.cohort],
        "coordinator": [COORDINATORS, settings.review.cohort],
        "expert": [] if labelling else [*others, settings.review.cohort],
    }
    return tuple(dict.fromkeys([*labelling, *more.get(role, [])]))


def mismatch(settings: Settings, role: str, cohort: str, campaign: str | None = None) -> str:
    """What is wrong with an invitation to this role, cohort and campaign, in one line; empty where nothing is."""
    fit = fitting(settings, role)
    asked = None if campaign is None else settings.campaign.get(campaign)
    if asked is not None and (role not in asked.roles or cohort != asked.cohort):
        return f"The campaign {campaign} is for the role {' or '.join(asked.roles)} and the cohort {asked.cohort}."
    if not fit:
        return f"No campaign asks for the role {role}: name it under one in study.toml, or choose another role."
    if cohort not in fit:
        return f"The role {role} and the cohort {cohort} do not go together: the cohort is to be {' or '.join(fit)}."
    return ""


def cohort_for(settings: Settings, role: str, campaign: str | None = None) -> str:
    """The cohort that is meant where none is said: that of the campaign, else the likeliest for the role."""
    asked = None if campaign is None else settings.campaign.get(campaign)
    return asked.cohort if asked is not None else next(iter(fitting(settings, role)), "")
