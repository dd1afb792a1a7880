"""The review desk in a browser's shoes: take, decide, escalate, second opinion, take back, and see why."""

from __future__ import annotations

import re
from functools import cache

import pytest
from playwright.sync_api import Page, expect
from tests.study import little
from tests.web.serving import TOML, Served, axe, write_study
from tests.web.walk import press

from comoderate import annotation as store
from comoderate.study import Study
from comoderate.study.desk import QUEUE, collect, decision_frame

CROWD = """
[annotations.crowd]
form = "long"
path = "crowd.csv"
cohort = "volunteers"
rater_id = "rater"
question = "question"
answer = "answer"
"""
DESK = f"""{CROWD}
[review]
capacity = 24
audit_share = 0.25
strategy = "uncertainty"
per_day = 100

[review.desk]
second_share = 0.0
"""


def write_desk(folder, *, more: str = DESK):
    """A study with a queue: 160 posts, of which 40 are labelled."""
    return little.copy(queued(more), folder)


@cache
def queued(more: str):
    """The folder of such a study, which is only to be read."""
    folder = write_study(little.kept("desk") / "study", toml=TOML + more, posts=160)
    rows = ["post_id,rater,question,answer"]
    said = ["Very" if n % 8 in (1, 6) else "No" for n in range(40)]
    rows += [f"p{n:03d},{rater},problem,{answer}" for n, answer in enumerate(said) for rater in ("v1", "v2")]
    (folder / "crowd.csv").write_text("\n".join(rows) + "\n")
    Study.open(folder).review()
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return write_desk(tmp_path_factory.mktemp("desk") / "study")


@pytest.fixture
def desk(made, little, tmp_path):
    with Served(little.copy(made, tmp_path / "study")) as running:
        yield running


def test_a_post_that_was_given_back_is_said_to_be(desk):
    with desk.client(desk.person("mo", role="moderator")) as client:
        back = act(client, client.get("/desk/post"), "release")
        assert back.url.path == "/desk"
        assert "The post went back to the queue." in back.text
        assert "went back" not in client.get("/desk").text


def test_the_desk_is_in_english_and_says_so(desk):
    with desk.client(desk.person("mo", role="moderator")) as client:
        client.fill(client.get("/you"), "/language", language="ar")
        for path, language in (("/desk", 'lang="en" dir="ltr"'), ("/you", 'lang="ar" dir="rtl"')):
            page = client.get(path)
            assert f"<html {language}>" in page.text
            assert ('action="/language"' in page.text) == (path == "/you")


def test_moderators_may_have_posts_covered(desk):
    with desk.client(desk.person("mo", role="moderator")) as client:
        page = client.fill(client.get("/you"), "/you", cover="yes")
        assert "My own limit" not in page.text
        assert "The post is covered. Show it." in client.get("/desk/post").text


def act(client, page, what, **more):
    """Press one of the buttons of a post's page."""
    return client.fill(page, "/desk/decide", act=what, **more)


def test_a_moderator_decides_post_after_post(desk):
    mo = desk.person("mo", role="moderator")
    with desk.client(mo) as client:
        overview = client.get("/desk")
        assert "Take the next post" in overview.text
        page = client.get("/desk/post")
        for number in range(3):
            page = act(client, page, "=No", seconds="4.2")
            assert page.status_code == 200, number
            assert "You decided <strong>No</strong>" in page.text
            assert f"<dt>decisions by you</dt><dd>{number + 1}</dd>" in client.get("/desk").text
    frame = decision_frame(desk.db)
    assert frame["seconds"].tolist() == [4.2] * 3
    assert frame["actor"].unique().tolist() == [mo.rater_id]
    expected = desk.study.queue()["post_id"].tolist()[:3]
    assert frame["post_id"].tolist() == expected


def test_no_page_tells_an_audit_post_before_it_is_decided(desk):
    mo = desk.person("mo", role="moderator")
    queue = desk.study.queue().set_index("post_id")
    pages = []
    with desk.client(mo) as client:
        page = client.get("/desk/post")
        for _ in range(len(queue)):
            pages.append(page.text)
            page = act(client, page, "=No")
        assert "All posts of the queue are decided" in page.text
    for text in pages:
        held = re.sub(r"(?s)<(input|div class=\"post-text\")[^>]*>.*?(</div>|>)", "", text)
        assert not re.search(r"audit|random|uncertain|unsure|bayes|proba|%", held), held
    shapes = {re.sub(r'(?s)<div class="post-text">.*?</div>|value="[^"]*"|\d+', "", text) for text in pages[1:]}
    assert len(shapes) == 1, "pages differ by more than the post"


def test_taking_back_until_the_reason_is_shown(desk):
    mo = desk.person("mo", role="moderator")
    with desk.client(mo) as client:
        first = client.get("/desk/post")
        item = client.fields(first, "/desk/decide")["item"]
        page = act(client, first, "=Very")
        back = client.fill(page, "/desk/undo")
        assert "taken back" in back.text
        assert client.fields(back, "/desk/decide")["item"] == item
        page = act(client, back, "=No")
        why = client.fill(page, "/desk/why")
        assert "Why this post was here" in why.text
        assert "Since you have seen this" in why.text
        kept = client.fill(page, "/desk/undo")
        assert "no longer be taken back" in kept.text
        assert client.get(str(why.url)).status_code == 200
        assert "Why was it here" in client.get("/desk/decided").text
    assert decision_frame(desk.db)["action"].tolist() == ["No"]
    events = [one.event for one in store.stream_journal(desk.db, actor=mo.rater_id)]
    assert "reason shown" in events


def test_the_reason_names_what_chose_the_post(desk):
    mo = desk.person("mo", role="moderator")
    queue = desk.study.queue().set_index("post_id")
    said = {}
    with desk.client(mo) as client:
        page = client.get("/desk/post")
        for _ in range(6):
            page = act(client, page, "=No")
            post_id = decision_frame(desk.db)["post_id"].iloc[-1]
            said[queue.at[post_id, "source"]] = client.fill(page, "/desk/why").text
    assert "drawn at random from all posts" in said["audit"]
    assert "The classifier is unsure" in said["queue"] or "the classifier is unsure" in said["queue"]
    assert "The scorer bayes gave it" in said["queue"]
    assert "drawn at random" not in said["queue"]


def test_two_who_disagree_send_a_post_to_a_third(desk):
    people = [desk.person(name, role="moderator") for name in ("one", "two", "three")]
    for person, act_, more in zip(people, ("=No", "=Very", "=Very"), ({"second": "1"}, {}, {}), strict=True):
        with desk.client(person) as client:
            page = client.get("/desk/post")
            told = {"one": "", "two": "second reading", "three": "third reading"}[person.login]
            assert told in page.text
            assert "What was said before" not in page.text
            act(client, page, act_, **more)
    assert decision_frame(desk.db)["stage"].tolist() == ["first", "second", "third"]
    assert store.desk_progress(desk.db, QUEUE).decided == 1
    with desk.client(desk.person("co", role="coordinator")) as client:
        assert "for a third reader" in client.get("/dashboard/desk").text
        assert "a third decides" in client.get("/desk").text


def test_escalated_posts_go_to_an_expert(desk):
    mo, ex = desk.person("mo", role="moderator"), desk.person("ex", role="expert")
    with desk.client(mo) as client:
        page = act(client, client.get("/desk/post"), "escalate", note="Is this a <b>joke</b>?")
        assert "You passed the post on" in page.text
        assert client.get("/desk/escalated").status_code == 403
    with desk.client(ex) as client:
        page = client.get("/desk/escalated")
        assert "Is this a &lt;b&gt;joke&lt;/b&gt;?" in page.text
        page = act(client, page, "=Somewhat")
        assert "Nothing is escalated" in page.text
    assert decision_frame(desk.db)["stage"].tolist() == ["first", "escalated"]


def test_a_second_opinion_goes_to_somebody_else_unseen(desk):
    mo, al = desk.person("mo", role="moderator"), desk.person("al", role="moderator")
    with desk.client(mo) as client:
        first = client.get("/desk/post")
        item = client.fields(first, "/desk/decide")["item"]
        after = act(client, first, "=Very", second="1")
        assert client.fields(after, "/desk/decide")["item"] != item
    with desk.client(al) as client:
        page = client.get("/desk/post")
        assert client.fields(page, "/desk/decide")["item"] == item
        assert "second reading" in page.text
        assert "What was said before" not in page.text
        act(client, page, "=No")
    assert decision_frame(desk.db)["action"].tolist() == ["Very", "No"]
    assert collect(desk.study, desk.db) == 2


def test_several_moderators_at_once_never_share_a_post(desk):
    people = [desk.person(f"m{n}", role="moderator") for n in range(4)]
    clients = [desk.client(one) for one in people]
    pages = [client.get("/desk/post") for client in clients]
    items = [client.fields(page, "/desk/decide")["item"] for client, page in zip(clients, pages, strict=True)]
    assert len(set(items)) == 4
    theirs = {**clients[0].fields(pages[0], "/desk/decide"), "item": items[1], "act": "=No"}
    assert "nothing was stored" in clients[0].post("/desk/decide", data=theirs).text
    assert decision_frame(desk.db).empty
    for client in clients:
        client.close()


def test_a_form_sent_twice_is_one_decision(desk):
    with desk.client(desk.person("mo", role="moderator")) as client:
        page = client.get("/desk/post")
        act(client, page, "=No")
        act(client, page, "=Very")
    assert decision_frame(desk.db)["action"].tolist() == ["No"]


def test_the_day_has_a_capacity(made, little, tmp_path):
    folder = little.copy(made, tmp_path / "study")
    little.edit(folder, "per_day = 100", "per_day = 2")
    with Served(folder) as running, running.client(running.person("mo", role="moderator")) as client:
        page = client.get("/desk/post")
        for _ in range(2):
            page = act(client, page, "=No")
        assert "enough for today" in page.text


def test_volunteers_stay_outside_and_a_study_without_a_queue_says_so(served: Served):
    with served.client(served.person("ann")) as client:
        assert client.get("/desk").status_code == 403
        assert client.get("/desk/post").status_code == 403
    with served.client(served.person("mo", role="moderator")) as client:
        assert "no queue yet" in client.get("/desk").text
        assert "no queue yet" in client.get("/desk/post").text


@pytest.mark.parametrize("value", ["", "-1", "9" * 40, "٣", "<script>", "%00"])
def test_odd_values_in_every_field_are_no_server_error(desk, value):
    mo, al = desk.person("mo", role="moderator"), desk.person("al", role="moderator")
    with desk.client(al) as other:
        act(other, other.get("/desk/post"), "=No")
    theirs = int(decision_frame(desk.db)["decision_id"].iloc[0])
    with desk.client(mo) as client:
        page = client.get("/desk/post")
        fields = client.fields(page, "/desk/decide")
        for name in (*fields, "act", "note", "second", "seconds"):
            sent = {**fields, "act": "=No", name: value}
            assert client.post("/desk/decide", data=sent).status_code in {200, 403, 404, 409, 422}, name
        for path in ("/desk/undo", "/desk/why"):
            assert client.post(path, data={"csrf": fields["csrf"], "done": value}).status_code in {200, 404}, path
        assert client.get(f"/desk/why/{value or 'x'}").status_code == 404
        assert client.get("/desk/post", params={"done": value, "said": value}).status_code == 200
        for path in ("/desk/undo", "/desk/why"):
            assert "You decided" not in client.post(path, data={"csrf": fields["csrf"], "done": theirs}).text
        assert client.get(f"/desk/why/{theirs}").status_code == 404
    assert theirs in decision_frame(desk.db)["decision_id"].tolist()


SIZES = [
    pytest.param({"width": 390, "height": 844}, id="phone", marks=pytest.mark.slow),
    pytest.param({"width": 1100, "height": 850}, id="desk"),
]


@pytest.mark.parametrize("size", SIZES)
def test_a_moderator_by_keyboard(desk, page: Page, size):
    page.set_viewport_size(size)
    desk.visit(page, desk.person("mo", role="moderator"), "/desk")
    axe(page)
    page.get_by_role("link", name="Take the next post").focus()
    press(page, "Enter")
    expect(page.locator(".post-text")).to_be_visible()
    axe(page)
    press(page, "1")
    expect(page.locator(".before")).to_contain_text("You decided No")
    axe(page)
    press(page, "u")
    expect(page.locator(".note.good")).to_be_visible()
    press(page, "3")
    expect(page.locator(".before")).to_contain_text("You decided Very")
    press(page, "o")
    assert page.locator("[name=second]").is_checked()
    press(page, "e")
    page.keyboard.type("please look 1 2 3")
    axe(page)
    page.get_by_role("button", name="Escalate to an expert").focus()
    press(page, "Enter")
    expect(page.locator(".before")).to_contain_text("You passed the post on")
    if size["width"] > 500:
        page.get_by_role("button", name="Keys on").click()
        press(page, "1")
        expect(page.locator(".before")).to_contain_text("You passed the post on")
        page.get_by_role("button", name="Keys off").click()
    press(page, "w")
    expect(page.locator("h1")).to_have_text("Why this post was here")
    axe(page)
    page.goto(desk.url + "/desk/decided")
    axe(page)
    overflow = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert not overflow
    assert decision_frame(desk.db)["action"].tolist() == ["Very", "escalate"]
    assert (decision_frame(desk.db)["seconds"] >= 0).all()
    assert store.desk_progress(desk.db, QUEUE).escalated == 1
