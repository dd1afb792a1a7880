"""An expert in a browser: from the invitation to the posts of the experts' phase, and nobody else to those."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.web.serving import TOML, Client, Served, write_study
from tests.web.walk import CHANGED, SENT, WINDOWS, begin, fits, join, post, tab_to

from comoderate import annotation as store

PHASE = """
[sample.second]
design = "uniform"
of = "main"
size = 9

[campaign.bench]
title = "The experts' bench"
sample = "second"
cohort = "experts"
roles = ["expert"]
overlap = 2

[web]
"""
STEPS = ("", "/welcome", "/tutorial", "/tutorial/1", "/test", "/break", "/next")


@pytest.fixture
def phased(tmp_path):
    with Served(write_study(tmp_path / "study", toml=TOML.replace("[web]", PHASE.lstrip()))) as running:
        yield running


def texts_of(served: Served, campaign: str) -> dict[str, str]:
    """The posts of a campaign as raters read them: text → post id."""
    return {row["text"]: row["post_id"] for part in store.stream_tasks(served.db, campaign=campaign) for row in part}


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_keyboard_only_from_the_invitation_through_the_experts_phase(phased: Served, browser: Browser, width, height):
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(15_000)
    join(page, phased.invite("expert"), "ex")
    assert "/label/bench/" in page.url  # the only campaign that is theirs opens by itself
    assert fits(page)
    begin(page)
    theirs, seen = texts_of(phased, "bench"), []
    for number in range(9):
        seen.append(post(page))
        assert fits(page)
        page.keyboard.press("2" if number == 2 else "1")
        if number == 2:
            page.keyboard.press("3")
        page.keyboard.press("Enter")
        expect(page.locator(".done-count")).to_have_attribute("data-count", str(number + 1))
        page.wait_for_function(CHANGED, arg=seen[-1])
    expect(page.locator("h1")).to_have_text("All done")
    page.wait_for_function(SENT)
    tab_to(page, "main a, main button")
    page.close()
    assert sorted(seen) == sorted(theirs)
    found = phased.answers()
    assert set(found["cohort"]) == {"experts"}
    assert set(found["post_id"]) == set(phased.study.sample("second")["post_id"]) == set(theirs.values())
    assert set(phased.study.sample("second")["phase"]) == {"second"}
    assert found.loc[found["question"] == "kind", "answer"].tolist() == ["Threat"]


def finish(client: Client, campaign: str) -> set[str]:
    """Answer until there is nothing left; gives the leases that were held."""
    held: set[str] = set()
    while 'name="lease"' in (page := client.get(f"/label/{campaign}")).text:
        fields = client.fields(page, f"/label/{campaign}/answer")
        held.add(fields["lease"])
        client.post(f"/label/{campaign}/answer", data={**fields, "q.problem": "No"})
    return held


def test_each_gets_the_posts_of_their_own_phase_only(phased: Served):
    ann, ex = phased.person("ann"), phased.person("ex", role="expert")
    with phased.client(ann) as client:
        assert client.get("/label").url.path == "/label/river"
        leases = finish(client, "river")
    assert len(leases) == 40
    with phased.client(ex) as client:
        mine = client.fields(client.get("/label/bench"), "/label/bench/answer")
        for step in STEPS:
            assert client.get(f"/label/river{step}").status_code == 404
        assert client.post("/label/river/answer", data={**mine, "q.problem": "No"}).status_code == 404
        assert len(finish(client, "bench")) == 9
    rows = [row for part in store.stream_annotations(phased.db) for row in part]
    assert {(row["rater_id"], row["campaign"]) for row in rows} == {(ann.rater_id, "river"), (ex.rater_id, "bench")}
    assert all(row["done"] == 1 for part in store.stream_tasks(phased.db, campaign="bench") for row in part)


@pytest.mark.parametrize(
    ("role", "cohort"), [("volunteer", "volunteers"), ("volunteer", "experts"), ("expert", "volunteers")]
)
def test_no_volunteer_comes_to_the_experts_posts(phased: Served, role, cohort):
    """Neither by an address, nor by another's lease, nor with one half of what makes an expert of this study."""
    ex, other = phased.person("ex", role="expert"), store.add_rater(phased.db, role=role, cohort=cohort, login="other")
    theirs = store.next_task(phased.db, ex.rater_id, campaign="bench").task
    assert theirs is not None
    with phased.client(other) as client:
        token = client.fields(client.get("/you"), "/sign-out")["csrf"]
        for step in STEPS:
            page = client.get(f"/label/bench{step}", params={"lease": theirs.lease})
            assert page.status_code == 404
            assert theirs.text not in page.text
        sent = {"csrf": token, "lease": theirs.lease, "q.problem": "No", "text": "What?", "agree": "yes"}
        for step in ("answer", "skip", "undo", "reveal", "ask", "break", "pause", "welcome", "tutorial", "test"):
            page = client.post(f"/label/bench/{step}", data=sent)
            assert page.status_code == 404, step
            assert theirs.text not in page.text
    assert store.task(phased.db, ex.rater_id, theirs.lease) == theirs
    assert phased.answers().empty
