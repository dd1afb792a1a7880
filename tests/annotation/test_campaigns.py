"""Campaigns: their codebook is pinned, their state is the coordinator's."""

import pytest

from comoderate.annotation import (
    CampaignSettings,
    Conflict,
    NotFound,
    campaign,
    campaigns,
    change_campaign,
    create_campaign,
    next_task,
    set_campaign_state,
    stream_journal,
    submit,
)


def test_a_campaign_comes_back_as_it_was_made(db, little_campaign):
    c = little_campaign
    made = create_campaign(db, "soups", c.CODEBOOK, CampaignSettings(overlap=2, categories=("salt",)), actor="boss")
    assert campaign(db, "soups") == made
    assert (made.state, made.codebook, made.settings.overlap) == ("paused", c.CODEBOOK, 2)
    assert create_campaign(db, "soups", c.CODEBOOK) == made
    assert [found.name for found in campaigns(db)] == ["soups"]
    assert set_campaign_state(db, "soups", "open", actor="boss").state == "open"
    assert [(entry.event, entry.actor) for entry in stream_journal(db)] == [
        ("campaign created", "boss"),
        ("campaign open", "boss"),
    ]
    with pytest.raises(NotFound):
        campaign(db, "stews")
    with pytest.raises(NotFound):
        set_campaign_state(db, "stews", "open")


def test_the_codebook_can_change_until_somebody_answered(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(2))
    newer = c.CODEBOOK.model_copy(update={"version": "2"})
    assert change_campaign(db, "soups", codebook=newer).codebook.version == "2"
    (rater,) = c.people(db, 1)
    lease = next_task(db, rater, campaign="soups", now=c.NOON).task.lease
    submit(db, rater, lease, c.NO, idempotency_key="k", now=c.NOON)
    with pytest.raises(Conflict, match="never mixed"):
        change_campaign(db, "soups", codebook=c.CODEBOOK)
    assert change_campaign(db, "soups", codebook=newer).codebook == newer
    assert change_campaign(db, "soups", settings=CampaignSettings(overlap=9)).settings.overlap == 9
