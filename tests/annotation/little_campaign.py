"""A little campaign: a codebook with a follow-up, posts, and raters who have agreed. All texts are made up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from comoderate.annotation import CampaignSettings, add_rater, create_campaign, load_tasks, record_consent
from comoderate.codebook import Codebook

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CODEBOOK = Codebook.model_validate(
    {
        "name": "rudeness",
        "question": {
            "rude": {"text": "Is it rude?", "kind": "ordinal", "answers": ["no", "somewhat", "very"]},
            "about": {
                "text": "About what?",
                "kind": "multiple",
                "answers": ["weather", "cooking", "else"],
                "when": {"rude": ["somewhat", "very"]},
            },
            "remark": {"text": "Anything else?", "kind": "text", "required": False},
        },
    }
)
NO = {"rude": ["no"]}
VERY = {"rude": ["very"], "about": ["weather", "cooking"]}


def later(**since):
    return NOON + timedelta(**since)


def posts(n, **values):
    return [{"post_id": f"p{k}", "text": f"Your soup number {k} is too salty.", "order": k, **values} for k in range(n)]


def start(db, rows, *, name="soups", state="open", codebook=CODEBOOK, **settings):
    settings = {"exposing": {"rude": ["very"]}, **settings}
    create_campaign(db, name, codebook, CampaignSettings(**settings), state=state, now=NOON)
    load_tasks(db, rows, campaign=name)
    return name


def people(db, n, **values):
    found = [add_rater(db, now=NOON, **values).rater_id for _ in range(n)]
    for rater_id in found:
        record_consent(db, rater_id, version="1", now=NOON)
    return found
