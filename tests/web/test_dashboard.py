"""The coordinator's dashboard: numbers, switches, invitations, questions, data in and out, tokens, the journal."""

from __future__ import annotations

import html
import json
import re
import time

import pytest
from fastapi import HTTPException, Request
from playwright.sync_api import Page, expect
from tests.web.serving import TOML, Served, axe, run_apart, write_study
from tests.web.test_desk import CROWD, write_desk

from comoderate import annotation as store
from comoderate.annotation import claim, create_api_token, decide
from comoderate.study import Study, snapshot
from comoderate.study.desk import QUEUE, DeskKeeper
from comoderate.web.access import check_csrf
from comoderate.web.sessions import Session

SCRIPT = "<script>window.cracked = 1</script>\"'{{ 7 * 7 }}"
PAGES = ["", "/people", "/questions", "/invite", "/desk", "/data", "/tokens", "/journal"]
EXPERIMENT = f"""{CROWD}
[review]
capacity = 30
audit_share = 0.2
strategy = "uncertainty"

[review.desk]
second_share = 0.3

[review.experiment]
against = "toxicity"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = write_desk(tmp_path_factory.mktemp("dashboard") / "study", more=EXPERIMENT)
    snapshot.write(Study.open(folder))
    return folder


@pytest.fixture
def running(made, little, tmp_path):
    with Served(little.copy(made, tmp_path / "study")) as served:
        yield served


@pytest.fixture
def busy(running):
    """A study at work: a question is asked, posts are decided, tokens and invitations are there."""
    ann = running.person("ann")
    task = store.next_task(running.db, ann.rater_id, campaign="river").task
    store.ask(running.db, ann.rater_id, task.lease, f"Is this {SCRIPT} meant?")
    store.submit(
        running.db,
        ann.rater_id,
        task.lease,
        {"problem": ["Very"], "kind": ["Insult"], "note": [SCRIPT]},
        idempotency_key="a",
    )
    DeskKeeper(running.study, running.db).bring()
    for name in ("mo", "al"):
        person = running.person(name, role="moderator")
        for number in range(16):
            offer = claim(running.db, QUEUE, person.rater_id)
            said = "Very" if "ferry" in (offer.item.text if offer.item else "") else "No"
            if offer.item:
                decide(running.db, person.rater_id, offer.item.item_id, said, idempotency_key=str(number), seconds=4.0)
    running.invite("expert")
    create_api_token(running.db, scopes=["queue:read"], label=SCRIPT)
    running.ann = ann
    return running


def test_every_page_shows_its_numbers(busy):
    with busy.client(busy.person("co", role="coordinator")) as client:
        pages = {path: client.get(f"/dashboard{path}", headers={"Accept-Language": "ar"}) for path in PAGES}
        post = busy.answers(busy.ann)["post_id"].iloc[0]
        seen = re.sub(r"\s+", " ", client.get("/dashboard/journal", params={"subject": post}).text)
        assert f"<code>{busy.ann.rater_id}</code></th><td>answered</td>" in seen
    for path, page in pages.items():
        assert page.status_code == 200, path
        assert SCRIPT not in page.text
    text = {path: re.sub(r"\s+", " ", html.unescape(page.text)) for path, page in pages.items()}
    assert "How often are people unkind" in text[""]
    assert "Standard error" in text[""]
    assert "Posts still needed" in text[""]
    assert "Fleiss’ κ" in text[""]
    assert "rank nobody by these numbers" in text["/people"]
    assert busy.ann.rater_id in text["/people"]
    assert SCRIPT in text["/questions"]
    assert "Two strategies in one queue" in text["/desk"]
    assert "Review efficiency" in text["/desk"]
    assert "decided" in text["/journal"]
    assert all('<html lang="en" dir="ltr">' in page.text for page in pages.values())


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory):
    """A study without scorers, whose two raters have judged five posts; its numbers were computed."""
    toml = TOML[: TOML.index("[scorer.bayes]")] + "[evaluate]\nreplicates = 20\n"
    folder = write_study(tmp_path_factory.mktemp("newcomer") / "study", toml=toml)
    with Served(folder) as served:
        for number, posts in ((1, 4), (2, 1)):
            rater = served.person(f"rater {number}").rater_id
            for turn in range(posts):
                lease = store.next_task(served.db, rater, campaign="river").task.lease
                store.submit(served.db, rater, lease, {"problem": ["No"]}, idempotency_key=str(turn))
    study = Study.open(folder)
    study.review()
    snapshot.write(study)
    return folder


@pytest.fixture
def young(newcomer, little, tmp_path):
    with Served(little.copy(newcomer, tmp_path / "study")) as served:
        yield served


def words(page):
    """What a page says, without its tags."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page.text)))


def test_each_number_has_its_unit_and_few_labels_are_said_to_be_few(young):
    with young.client(young.person("co", role="coordinator")) as client:
        said = words(client.get("/dashboard"))
    assert "from 5 judgements (5 answers to single questions)" in said
    assert re.search(r"judgements 5 of 80", said)
    assert re.search(r"posts with all their judgements [01] of 40", said)
    labelled = 4 if "4 of 40 posts" in said else 5  # where the two raters met on a post, or not
    assert f"{labelled} of 40 posts: {round(100 * labelled / 40)} %" in said
    assert f"{40 - labelled} posts {2 * (40 - labelled)} judgements at 2 a post" in said  # as the campaign asks
    assert "rest on fewer than 30 labelled posts: take them for hints" in said
    assert said.count("few labels") == 3  # the note, the share so far, and how much there is


def test_a_cohort_without_a_label_has_no_share(young):
    file = young.study.folder / snapshot.FILE
    content = json.loads(file.read_text())
    content["progress"][0] |= {"labelled": 0, "value": None, "low": None, "high": None, "se": None}
    file.write_text(json.dumps(content))
    with young.client(young.person("co", role="coordinator")) as client:
        said = words(client.get("/dashboard"))
    assert "– no labelled post of posts" in said
    assert said.count(content["progress"][0]["reason"]) == 1


def test_decisions_are_not_denied_while_their_numbers_are_older(running):
    with running.client(running.person("co", role="coordinator")) as client:
        assert "Nobody has decided on a post yet" in client.get("/dashboard/desk").text
        mo = running.person("mo", role="moderator").rater_id
        item = claim(running.db, QUEUE, mo).item
        decide(running.db, mo, item.item_id, "No", idempotency_key="1", seconds=4.0)
        text = client.get("/dashboard/desk").text
    assert "Nobody has decided" not in text
    assert "computed every few seconds" in text


def test_agreement_that_cannot_be_said_is_one_sentence(young):
    with young.client(young.person("co", role="coordinator")) as client:
        said = words(client.get("/dashboard"))
    assert said.count("the agreement of volunteers can't be said") == 1
    assert "Fleiss" not in said


def test_no_queue_without_a_scorer_and_the_page_says_what_to_do(young):
    co, mo = young.person("co", role="coordinator"), young.person("mo", role="moderator")
    with young.client(co) as client:
        page = client.get("/dashboard")
        assert "the study has no scorer of “unkind”" in words(page)
        asked = client.fill(page, "/dashboard/refresh", what="everything")
        assert 'role="alert"' in asked.text
        assert (
            words(asked).count("the study has no scorer of “unkind” to order posts by; write one into study.toml") == 1
        )
        assert "no scorer" in words(client.get("/dashboard/desk"))
    assert "queue made anew" not in {one.event for one in store.stream_journal(young.db)}
    with young.client(mo) as client:
        assert "The queue is empty, for the study has no scorer" in words(client.get("/desk"))
        offered = words(client.get("/desk/post"))
        assert "There is nothing in the queue" in offered
        assert "All posts" not in offered


def test_only_coordinators_come_in(busy):
    for role in ("volunteer", "expert", "moderator"):
        with busy.client(busy.person(f"a {role}", role=role)) as client:
            for path in PAGES:
                assert client.get(f"/dashboard{path}").status_code == 403, (role, path)
            assert client.get("/dashboard/export/long").status_code == 403
    with busy.client() as client:
        assert "/sign-in" in str(client.get("/dashboard").url)


def test_campaign_and_desk_are_switched(busy):
    with busy.client(busy.person("co", role="coordinator")) as client:
        page = client.get("/dashboard")
        for state in ("paused", "open", "closed"):
            page = client.fill(page, "/dashboard/campaign/river", state=state)
            assert store.campaign(busy.db, "river").state == state
        desk = client.get("/dashboard/desk")
        for state in ("paused", "open"):
            desk = client.fill(desk, "/dashboard/desk", state=state)
            assert store.desk(busy.db, QUEUE).state == state
        fields = client.fields(desk, "/dashboard/desk")
        assert client.post("/dashboard/campaign/river", data={**fields, "state": "burnt"}).status_code == 404
        assert client.post("/dashboard/campaign/nowhere", data={**fields, "state": "open"}).status_code == 404


def test_inviting_by_a_link_that_is_shown_once(busy):
    with busy.client(busy.person("co", role="coordinator")) as client:
        page = client.get("/dashboard/invite")
        made = client.fill(
            page, "/dashboard/invite", role="expert", cohort="moderators", uses="2", days="3", note="Kim"
        )
        link = re.search(r"http://\S+/join/[\w-]+", made.text)[0]
        assert link not in client.get("/dashboard/invite").text
        with busy.client() as guest:
            assert guest.get(link).status_code == 200
        for wrong in (
            {"role": "king"},
            {"cohort": "nobody"},
            {"uses": "0"},
            {"uses": "x"},
            {"days": "9" * 9},
            {"campaign": "x"},
        ):
            sent = {"role": "expert", "cohort": "moderators", "uses": "1", "days": "1", **wrong}
            assert client.fill(page, "/dashboard/invite", **sent).status_code == 422, wrong
        form = re.search(r'action="(/dashboard/invite/\w+/revoke)"', made.text)[1]
        assert "no longer works" in client.fill(made, form).text
    kept = {one.note: one for one in store.invitations(busy.db)}
    assert kept["Kim"].revoked or kept[""].revoked
    assert kept["Kim"].uses_left == 2


def test_a_question_is_replied_to(busy):
    number = store.enquiries(busy.db)[0].enquiry_id
    with busy.client(busy.person("co", role="coordinator")) as client:
        page = client.get("/dashboard/questions")
        assert "without a reply" in page.text
        answered = client.fill(page, f"/dashboard/questions/{number}", reply="Yes, it is.")
        assert "Your reply was sent" in answered.text
        assert "Replied:" in answered.text
        assert client.fill(page, f"/dashboard/questions/{number}", reply="  ").status_code == 422
        fields = client.fields(page, f"/dashboard/questions/{number}")
        for stray in ("999999", "x", "-1", "9" * 30):
            assert client.post(f"/dashboard/questions/{stray}", data={**fields, "reply": "?"}).status_code == 404
    assert store.enquiries(busy.db, rater_id=busy.ann.rater_id)[0].reply == "Yes, it is."


def test_a_person_is_shut_out_and_let_in_again(busy):
    with busy.client(busy.ann) as inside, busy.client(co := busy.person("co", role="coordinator")) as client:
        assert inside.get("/you").status_code == 200
        page = client.get("/dashboard/people")
        action = f"/dashboard/people/{busy.ann.rater_id}"
        assert "no longer sign in" in client.fill(page, action, active="no").text
        assert "/sign-in" in str(inside.get("/you").url)
        assert store.rater(busy.db, busy.ann.rater_id).active is False
        client.fill(client.get("/dashboard/people"), action, active="yes")
        assert store.rater(busy.db, busy.ann.rater_id).active is True
        fields = client.fields(page, action)
        assert client.post(f"/dashboard/people/{co.rater_id}", data={**fields, "active": "no"}).status_code == 404
        assert client.post("/dashboard/people/nobody", data={**fields, "active": "no"}).status_code == 404


def test_a_moderator_who_has_not_begun_is_shut_out(busy):
    mo = busy.person("mo the late", role="moderator")
    vo = busy.person("vo the late")
    with busy.client(mo) as inside, busy.client(co := busy.person("co the late", role="coordinator")) as client:
        page = client.get("/dashboard/people")
        assert "mo the late" in page.text
        assert vo.rater_id in page.text
        assert "vo the late" not in page.text
        assert f"/dashboard/people/{co.rater_id}" not in page.text
        assert "no longer sign in" in client.fill(page, f"/dashboard/people/{mo.rater_id}", active="no").text
        assert "/sign-in" in str(inside.get("/you").url)


@pytest.mark.parametrize("form", ["long", "wide", "label-studio", "crowd-kit"])
def test_what_is_exported_is_imported(busy, form):
    with busy.client(busy.person("co", role="coordinator")) as client:
        file = client.get(f"/dashboard/export/{form}")
        assert file.headers["content-disposition"].startswith("attachment")
        assert "v1" not in file.text.split()
        page = client.get("/dashboard/data")
        fields = client.fields(page, "/dashboard/import")
        upload = {"file": (f"answers.{'json' if form == 'label-studio' else 'csv'}", file.content)}
        found = client.post("/dashboard/import", data=fields, files=upload)
        assert "0 new" in found.text
    assert {"exported", "imported"} <= {one.event for one in store.stream_journal(busy.db)}


def test_of_a_large_file_nothing_is_read_but_from_a_coordinator(running):
    async def receive():
        raise AssertionError("the body was read")

    scope = {"type": "http", "method": "POST", "path": "/dashboard/import", "headers": [], "query_string": b""}
    scope |= {"app": running.app, "session": Session(), "server": ("localhost", 80), "scheme": "http"}
    with pytest.raises(HTTPException) as refused:
        run_apart(check_csrf, Request(scope, receive))
    assert refused.value.status_code == 403


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b""), ("a.csv", b"\xff\xfe\x00"), ("a.json", b"[{]"), ("a.parquet", b"PAR1"), ("a.gz", b"\x1f\x8b"),
        ("../../a.csv", b"post_id,question,answer,cohort\np001,problem,Maybe,c\n"), ("a.exe", b"a,b\n1,2\n"),
        ("a.json", json.dumps([{"data": {"post_id": SCRIPT}, "annotations": [{"result": [{"from_name": "problem",
         "value": {"choices": ["No"]}}]}]}]).encode()),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_in_one_line(running, name, content):
    with running.client(running.person("co", role="coordinator")) as client:
        fields = client.fields(client.get("/dashboard/data"), "/dashboard/import")
        found = client.post(
            "/dashboard/import", data={**fields, "cohort": "volunteers"}, files={"file": (name, content)}
        )
    assert found.status_code == 422
    assert 'role="alert"' in found.text
    assert "/tmp" not in found.text
    assert SCRIPT not in found.text


def test_tokens_are_made_and_revoked(running):
    with running.client(running.person("co", role="coordinator")) as client:
        page = client.get("/dashboard/tokens")
        assert client.fill(page, "/dashboard/tokens", label="", days="").status_code == 422
        assert client.fill(page, "/dashboard/tokens", label="x", scope="all", days="").status_code == 422
        assert client.fill(page, "/dashboard/tokens", label="x", scope="queue:read", days="-1").status_code == 422
        made = client.fill(page, "/dashboard/tokens", label="bot", scope="queue:read", days="9")
        secret = re.search(r'class="secret">([^<]+)<', made.text)[1]
        assert client.get("/api/v1/queue", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
        action = re.search(r'action="(/dashboard/tokens/\w+/revoke)"', made.text)[1]
        client.fill(made, action)
        assert client.get("/api/v1/queue", headers={"Authorization": f"Bearer {secret}"}).status_code == 401


@pytest.mark.parametrize("value", ["", "-1", "9" * 40, "<script>", "%00", "ÿ\x85"])
def test_odd_values_are_no_server_error(running, value):
    with running.client(running.person("co", role="coordinator")) as client:
        fields = client.fields(client.get("/dashboard/invite"), "/dashboard/invite")
        given = {"role": "expert", "cohort": "volunteers", "uses": "1", "days": "1", "note": "", "campaign": ""}
        for name in given:
            assert client.post("/dashboard/invite", data={**fields, **given, name: value}).status_code in {200, 422}
        for path in ("/dashboard/refresh-not", "/dashboard/tokens", "/dashboard/desk", "/dashboard/import"):
            assert client.post(path, data={**fields, "what": value, "state": value}).status_code in {403, 404, 405, 422}
        for path in ("journal", "people", "questions", "export/long", "export/x"):
            sent = dict.fromkeys(("after", "event", "actor", "campaign", "question", "texts", "said"), value)
            assert client.get(f"/dashboard/{path}", params=sent).status_code in {200, 404, 422}, path


@pytest.mark.slow
def test_the_first_numbers_come_by_themselves(running):
    (running.study.folder / snapshot.FILE).unlink()
    with running.client(running.person("co", role="coordinator")) as client:
        assert "first numbers are being computed" in client.get("/dashboard").text
        page = client.get("/dashboard")
        assert "under way already" in client.fill(page, "/dashboard/refresh", what="numbers").text
        until = time.monotonic() + 120
        while "Standard error" not in (page := client.get("/dashboard")).text and time.monotonic() < until:
            time.sleep(0.5)
        assert "Standard error" in page.text


SIZES = [
    pytest.param({"width": 390, "height": 844}, id="phone"),
    pytest.param({"width": 1280, "height": 900}, id="desk", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("size", SIZES)
def test_a_coordinator_walks_through(busy, page: Page, size):
    page.set_viewport_size(size)
    busy.visit(page, busy.person("co", role="coordinator"), "/dashboard")
    for path in PAGES:
        page.goto(f"{busy.url}/dashboard{path}")
        if size["width"] > 500 or path in {"", "/invite"}:
            axe(page)
        wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert not wide, path
    page.goto(f"{busy.url}/dashboard/invite")
    page.locator("#note").focus()
    page.keyboard.type("by keyboard")
    page.keyboard.press("Enter")
    expect(page.locator(".secret")).to_contain_text("/join/")
    axe(page)
    assert page.evaluate("window.cracked") is None
