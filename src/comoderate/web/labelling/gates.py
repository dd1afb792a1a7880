"""What stands between a rater and the first post of a campaign, and which campaigns are theirs at all."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from fastapi import Request

from comoderate.annotation import Campaign, NotFound, Rater, campaign, campaigns
from comoderate.codebook import Care, localised
from comoderate.study.settings import CampaignSettings
from comoderate.web.access import not_found
from comoderate.web.pages import language_of
from comoderate.web.state import web_of


@dataclass(frozen=True)
class Work:
    """A campaign as one rater meets it: how the study sets it up, and how it stands."""

    name: str
    asked: CampaignSettings
    campaign: Campaign
    title: str
    care: Care
    consent_version: str


def works(request: Request, person: Rater) -> list[Work]:
    """The campaigns that are this person's."""
    return [_work(request, one) for one in campaigns(web_of(request).db) if _theirs(request, one.name, person)]


def work_of(request: Request, name: str, person: Rater) -> Work:
    """The campaign ``name``, if it is this person's.

    Raises:
        HTTPException: 404 otherwise.
    """
    if not _theirs(request, name, person):
        raise not_found()
    try:
        return _work(request, campaign(web_of(request).db, name))
    except NotFound:
        raise not_found() from None


def _theirs(request: Request, name: str, person: Rater) -> bool:
    asked = web_of(request).study.settings.campaign.get(name)
    return asked is not None and person.role in asked.roles and person.cohort == asked.cohort


def _work(request: Request, found: Campaign) -> Work:
    web, language = web_of(request), language_of(request)
    asked = web.study.settings.campaign[found.name]
    care = localised(found.codebook, language).care
    base = found.codebook.care
    said = "\x1f".join((asked.warning or base.warning, asked.consent or base.consent))
    version = hashlib.blake2b(said.encode(), digest_size=5).hexdigest()
    return Work(found.name, asked, found, asked.title or web.study.settings.study.title, care, version)


def next_gate(work: Work, person: Rater) -> str | None:
    """The page that comes before the first post: ``welcome``, ``tutorial`` or ``test``; None where all is done."""
    rules = work.campaign.settings
    if person.consented_at is None or person.consent_version != work.consent_version:
        return "welcome"
    label = work.campaign.codebook.label
    if rules.needs_tutorial and person.tutorial_codebook != label:
        return "tutorial"
    if rules.needs_qualification and not (person.qualified and person.qualification_codebook == label):
        return "test"
    return None
