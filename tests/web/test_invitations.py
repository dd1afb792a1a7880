"""Invitations: the first one, who fits where, and what a link says that opens nothing any more."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from tests.web.serving import PASSWORD, TOML, Served, write_study

from comoderate import annotation as store
from comoderate.study import Study
from comoderate.web.invitations import NOTE, cohort_for, first_invitation, fitting, mismatch

EXPERTS = """
[campaign.bench]
sample = "main"
cohort = "experts"
roles = ["expert"]

[web]"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    folder = write_study(tmp_path_factory.mktemp("house") / "study", toml=TOML.replace("[web]", EXPERTS))
    with Served(folder) as running:
        running.co = running.person("co", role="coordinator")
        yield running


def test_each_start_tells_the_same_link_until_it_is_used_or_over(served: Served):
    link = first_invitation(served.app)
    assert first_invitation(served.app) == link
    with served.client() as client:
        assert "coordinate this study" in client.get(link).text
    (made,) = store.invitations(served.db)
    store.revoke_invitation(served.db, made.invitation_id)
    another = first_invitation(served.app)
    assert another not in {link, None}
    assert first_invitation(served.app) == another
    by_an_earlier_version, _ = store.create_invitation(served.db, role="coordinator", cohort="coordinators", note=NOTE)
    assert first_invitation(served.app) == another
    assert store.find_invitation(served.db, by_an_earlier_version) is not None
    with served.client() as client:
        assert (
            client.fill(client.get(another), another, name="cora", password=PASSWORD, again=PASSWORD).status_code == 200
        )
    assert first_invitation(served.app) is None


def test_a_role_and_a_cohort_go_together(house: Served):
    s = house.study.settings
    assert fitting(s, "volunteer") == ("volunteers",)
    assert fitting(s, "expert") == ("experts",)
    assert fitting(s, "moderator") == ("moderators",)
    assert fitting(s, "coordinator")[0] == "coordinators"
    assert [cohort_for(s, "volunteer"), cohort_for(s, "expert"), cohort_for(s, "king")] == ["volunteers", "experts", ""]
    assert cohort_for(s, "expert", "river") == "volunteers"
    for role, cohort, campaign in (
        ("volunteer", "volunteers", None), ("volunteer", "volunteers", "river"), ("expert", "experts", "bench"),
        ("moderator", "moderators", None), ("coordinator", "moderators", None),
    ):  # fmt: skip
        assert mismatch(s, role, cohort, campaign) == ""
    assert mismatch(s, "volunteer", "experts") == (
        "The role volunteer and the cohort experts do not go together: the cohort is to be volunteers."
    )
    assert mismatch(s, "expert", "experts", "river") == (
        "The campaign river is for the role volunteer and the cohort volunteers."
    )
    assert "do not go together" in mismatch(s, "moderator", "volunteers")


def test_where_no_campaign_asks(tmp_path):
    toml = re.sub(r"(?s)\[campaign\.river\].*?\n(?=\[web\])", "", TOML)
    s = Study.open(write_study(tmp_path / "study", toml=toml)).settings
    assert "No campaign asks" in mismatch(s, "volunteer", "volunteers")
    assert fitting(s, "expert") == ("moderators",)


def test_the_form_refuses_what_does_not_go_together(house: Served):
    with house.client(house.co) as client:
        page = client.get("/dashboard/invite")
        asked = {"uses": "1", "days": "1", "note": "Kim"}
        wrong = client.fill(page, "/dashboard/invite", role="volunteer", cohort="experts", **asked)
        assert wrong.status_code == 422
        assert "do not go together" in wrong.text
        assert "<option selected>experts" in wrong.text
        wrong = client.fill(page, "/dashboard/invite", role="expert", cohort="", campaign="river", **asked)
        assert "The campaign river is for" in wrong.text
        made = client.fill(page, "/dashboard/invite", role="expert", cohort="", campaign="bench", **asked)
        link = re.search(r"http://\S+?(/join/[\w-]+)", made.text)[1]
    assert {one.cohort for one in store.invitations(house.db) if one.note == "Kim"} == {"experts"}
    with house.client() as client:
        joined = client.fill(client.get(link), link, name="kim", password=PASSWORD, again=PASSWORD)
    assert joined.url.path.startswith("/label/bench")  # at the campaign that the invitation names


def test_what_is_over_says_how_it_ended(house: Served):
    links = {}
    for state in ("used", "expired", "withdrawn"):
        ends = datetime.now(UTC) + timedelta(hours=-1 if state == "expired" else 1)
        links[state], made = store.create_invitation(
            house.db, role="volunteer", cohort="volunteers", expires_at=ends, note=f"to be {state}"
        )
        if state == "withdrawn":
            store.revoke_invitation(house.db, made.invitation_id)
    store.redeem_invitation(house.db, links["used"], login="una")
    with house.client() as guest, house.client(house.co) as client:
        for state, secret in links.items():
            page = guest.get(f"/join/{secret}")
            assert page.status_code == 404
            assert f"This invitation {'was' if state != 'expired' else 'has'} {state}" in page.text
            assert 'class="button main" href="/sign-in"' in page.text
        assert "leads nowhere" in guest.get("/join/nothing").text
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get("/dashboard/invite").text))
    assert re.search(r"to be used (?:(?!to be).)*used \d{4}-\d\d-\d\d \d\d:\d\d UTC", text)
    assert re.search(r"to be expired (?:(?!to be).)*expired", text)
    assert re.search(r"to be withdrawn (?:(?!to be).)*withdrawn", text)
    assert " void" not in text


def test_who_is_inside_is_told_before_joining_again(house: Served):
    secret, _ = store.create_invitation(house.db, role="volunteer", cohort="volunteers")
    with house.client(house.co) as client:
        assert "If you join again, it is as somebody else." in client.get(f"/join/{secret}").text
        over = client.get("/join/nothing").text
    assert "You are signed in as co." in over
    assert 'class="button main" href="/"' in over
