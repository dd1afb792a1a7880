"""A volunteer in a browser: from the invitation to the tenth post, without a mouse, without network, in two tabs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.serving import PASSWORD, Served, axe
from tests.web.walk import CHANGED, SENT, WINDOWS, begin, fits, join, post, tab_to

SMALL = """[...document.querySelectorAll('a, button, summary, input, select')]
    .filter(e => e.offsetParent && !e.closest('p, li'))
    .map(e => [e.outerHTML.slice(0, 60), e.getBoundingClientRect().width, e.getBoundingClientRect().height])
    .filter(([, w, h]) => w && (w < 24 || h < 24))"""


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_keyboard_only_from_the_invitation_to_the_tenth_post(served: Served, browser: Browser, width, height):
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(15_000)
    join(page, served.invite(), "ann")
    assert fits(page)
    begin(page)
    texts = []
    for number in range(10):
        texts.append(post(page))
        assert fits(page)
        assert "@neighbour" not in texts[-1]
        answers = page.locator("fieldset.question:visible")
        expect(answers).to_have_count(1)
        page.keyboard.press("3" if number == 4 else "1")
        if number == 4:
            expect(answers).to_have_count(3)
            page.keyboard.press("2")
            page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(page.locator(".done-count")).to_have_attribute("data-count", str(number + 1))
        if number == 4:
            expect(page.locator("#said .care")).to_be_visible()
            expect(page.locator(".hard-count")).to_have_text("1 hurtful today")
        page.wait_for_function(CHANGED, arg=texts[-1])
    expect(page.locator("#offline .note")).to_have_count(0)
    page.wait_for_function(SENT)
    found = served.answers()
    assert len(set(texts)) == 10
    assert found.groupby("post_id")["question"].agg(set).map(len).tolist().count(2) == 1
    assert found["post_id"].nunique() == 10
    assert set(found.loc[found["question"] == "kind", "answer"]) == {"Mockery", "Insult"}
    assert (found["cohort"] == "volunteers").all()
    assert (found["seconds"].dropna() > 0).all()
    page.close()


def test_answers_given_without_network_are_stored_once_each(served: Served, page: Page):
    person = served.person("bo")
    served.visit(page, person)
    seen: list[str] = []

    def answer() -> None:
        seen.append(post(page))
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_function(
            CHANGED,
            arg=seen[-1],
        )

    for _ in range(4):
        answer()
    page.wait_for_function(SENT)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    for _ in range(3):
        answer()
    expect(page.locator("#offline")).to_contain_text("3 answers are kept")
    axe(page)
    page.context.set_offline(False)
    expect(page.locator("#offline")).to_contain_text("The network is back", timeout=20_000)
    for _ in range(3):
        answer()
    page.wait_for_function(SENT)
    found = served.answers(person)
    assert len(found) == found["post_id"].nunique() == len(set(seen)) == 10


def test_answers_wait_for_whoever_must_sign_in_again(served: Served, page: Page):
    from comoderate.annotation import close_sessions

    person = served.person("bo")
    served.visit(page, person)
    page.wait_for_load_state("networkidle")
    close_sessions(served.db, person.rater_id)
    before = post(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_function(CHANGED, arg=before)
    page.locator("#offline a").click()
    page.locator("#name").fill("bo")
    page.locator("#password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".post-text")
    page.wait_for_function(SENT)
    assert len(served.answers(person)) == 1


def test_when_nothing_is_left_to_show_the_page_waits_and_goes_on(served: Served, page: Page):
    person = served.person("bo")
    served.visit(page, person)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    for _ in range(4):
        before = post(page)
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_function(
            "b => !document.querySelector('.post-text') || document.querySelector('.post-text').innerText !== b",
            arg=before,
        )
    expect(page.locator("h1")).to_have_text("Waiting for the network")
    page.context.set_offline(False)
    page.wait_for_selector(".post-text", timeout=20_000)
    page.wait_for_function(SENT)
    assert len(served.answers(person)) == 4


@pytest.mark.slow
def test_two_tabs_of_one_person_do_not_fight(served: Served, browser: Browser):
    person = served.person("cy")
    context = browser.new_context()
    context.set_default_timeout(15_000)
    one = served.visit(context.new_page(), person)
    two = context.new_page()
    two.goto(served.url + "/label/river")
    assert post(one) == post(two)
    first = post(one)
    one.keyboard.press("1")
    one.keyboard.press("Enter")
    two.wait_for_function(CHANGED, arg=first)
    expect(two.locator("#said")).to_contain_text("already answered")
    for page in (two, one, two, one):
        page.wait_for_function(SENT)
        before = post(page)
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_function(CHANGED, arg=before)
    for page in (one, two):
        page.wait_for_function(SENT)
    found = served.answers(person)
    assert len(found) == found["post_id"].nunique() == 5
    context.close()


def test_undo_skip_and_the_list_of_keys(served: Served, page: Page):
    person = served.person("di")
    served.visit(page, person)
    first = post(page)
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.wait_for_function(CHANGED, arg=first)
    page.wait_for_function(SENT)
    second = post(page)
    page.keyboard.press("u")
    expect(page.locator(".post-text")).to_have_text(first)
    expect(page.locator("input[value=Somewhat]")).to_be_checked()
    expect(page.locator("input[value=Threat]")).to_be_checked()
    assert len(served.answers(person)) == 0
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".post-text")).to_have_text(second)
    page.keyboard.press("s")
    page.wait_for_function(CHANGED, arg=second)
    page.wait_for_function(SENT)
    found = served.answers(person)
    assert found[["question", "answer"]].to_numpy().tolist() == [["problem", "No"]]
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_be_visible()
    axe(page)
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect(page.locator("input:checked")).to_have_count(0)
    page.keyboard.press("d")
    expect(page.locator("details[open]")).to_have_count(0)


def test_what_is_missing_is_said_and_focused(served: Served, page: Page):
    served.visit(page, served.person("ed"))
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("[data-question=kind] .error")).to_be_visible()
    assert page.evaluate("document.activeElement.name") == "q.kind"
    expect(page.locator("[data-question=kind] input[aria-invalid=true]")).to_have_count(3)
    axe(page)
    page.keyboard.press("2")
    expect(page.locator(".error:visible")).to_have_count(0)
    expect(page.locator("[aria-invalid], fieldset[aria-describedby]")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".done-count")).to_have_attribute("data-count", "1")
    page.keyboard.press("Enter")
    expect(page.locator("fieldset[role=radiogroup][aria-invalid=true]")).to_have_count(1)
    page.keyboard.press("1")
    expect(page.locator("[aria-invalid], .error:visible")).to_have_count(0)


@pytest.mark.slow
def test_covered_posts_are_shown_on_demand_and_that_is_kept(served: Served, page: Page):
    from comoderate.annotation import stream_journal

    person = served.person("fay")
    served.visit(page, person, "/you")
    page.locator("[name=cover]").check()
    page.locator("text=Keep").click()
    page.goto(served.url + "/label/river")
    expect(page.locator(".post-text")).to_have_count(0)
    axe(page)
    page.keyboard.press("r")
    page.wait_for_selector(".post-text")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".cover")
    assert len(served.answers(person)) == 1
    assert any("reveal" in entry.event for entry in stream_journal(served.db, actor=person.rater_id))
    with served.client(person) as client:  # elsewhere, or signed in anew
        assert "The post is covered" in client.get("/label/river").text


def test_a_hurtful_post_that_is_answered_again_was_read_once(served: Served, page: Page):
    served.visit(page, served.person("hal"))
    count = page.locator(".hard-count")
    for _ in range(2):
        text = post(page)
        page.keyboard.press("3")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_function(CHANGED, arg=text)
        page.wait_for_function(SENT)
        expect(count).to_have_text("1 hurtful today")
        page.keyboard.press("u")
        page.wait_for_function("text => document.querySelector('.post-text').innerText === text", arg=text)
        expect(count).to_have_text("1 hurtful today")
    page.reload()
    expect(count).to_have_text("1 hurtful today")  # so the server says


def test_a_question_to_the_coordinator_and_its_answer(served: Served, page: Page):
    from comoderate.annotation import enquiries, reply

    person = served.person("gus")
    served.visit(page, person)
    page.locator("details.ask summary").click()
    page.locator("#ask-text").fill("Is sarcasm unkind?")
    page.locator("details.ask button").click()
    expect(page.locator("#said")).to_contain_text("was sent")
    (asked,) = enquiries(served.db)
    reply(served.db, asked.enquiry_id, "Often <b>it is</b>.", actor=person.rater_id)
    page.goto(served.url + "/you")
    expect(page.locator(".enquiry")).to_contain_text("Often <b>it is</b>.")
    axe(page)


def test_right_to_left(served: Served, page: Page):
    served.visit(page, served.person("hal"))
    page.locator("button[lang=ar]").click()
    page.wait_for_selector("html[dir=rtl]")
    expect(page.locator("legend").first).to_have_text("هل هذا المنشور جارح؟")
    expect(page.locator(".option").first).to_contain_text("لا")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".done-count")).to_have_attribute("data-count", "1")
    axe(page)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_every_page_passes_axe(served: Served, browser: Browser, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1100, "height": 800})
    page = context.new_page()
    page.set_default_timeout(15_000)
    link = served.invite()
    for path in ("/", "/sign-in", "/nowhere", link.removeprefix(served.url), "/join/nothing"):
        page.goto(served.url + path)
        axe(page)
    served.visit(page, served.person("new", ready=False), "/label/river")
    axe(page)
    page.locator("main button.main").click()
    axe(page)
    page.locator("[name=agree]").check()
    page.locator("main button.main").click()
    for path in ("tutorial", "tutorial/1"):
        page.goto(f"{served.url}/label/river/{path}")
        axe(page)
    page.keyboard.press("3")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".solution")
    axe(page)
    page.locator("main .button.main").click()
    page.locator(".answer").wait_for()
    page.goto(f"{served.url}/label/river/tutorial/2")
    page.keyboard.press("2")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.locator("button.main").click()
    page.wait_for_url("**/test")
    axe(page)
    for number in (1, 2):
        page.locator(f"[name='p{number}.q.problem'][value=No]").check()
    page.locator("main button.main").click()
    page.wait_for_selector(".solution")
    axe(page)
    served.visit(page, served.person("old"), "/label/river")
    page.keyboard.press("3")
    page.keyboard.press("1")
    page.keyboard.press("d")
    axe(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("#said .care")
    axe(page)
    for path in ("/you", "/label/river/break", "/desk-not-there"):
        page.goto(served.url + path)
        axe(page)
    context.close()


def test_large_text_and_narrow_windows_lose_nothing(served: Served, browser: Browser):
    """320 CSS pixels are what 1280 at 400 % leave; 200 % text is set on top of a phone's width."""
    page = browser.new_page(viewport={"width": 320, "height": 640})
    served.visit(page, served.person("ida"))
    page.keyboard.press("3")
    assert fits(page)
    page.set_viewport_size({"width": 640, "height": 900})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert fits(page)
    assert page.evaluate(SMALL) == []
    page.close()


def test_focus_goes_to_the_new_post(served: Served, page: Page):
    served.visit(page, served.person("jo"))
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'post-title'")
    tab_to(page, "input[name='q.problem']")
    assert page.evaluate("() => document.activeElement.value") == "No"
