"""The pages that only some people ever meet pass axe too: refused by single sign-on, a choice, no tries left."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.serving import TOML, Served, axe, write_study
from tests.web.walk import fits

from comoderate import annotation as store

SECOND = '[campaign.brook]\ntitle = "The brook"\nsample = "main"\n\n[web]'
PROXY = '[web]\nproxies = ["127.0.0.1"]\nuser_header = "X-Remote-User"'
SCHEMES = ["light", "dark"]

pytestmark = pytest.mark.slow


def checked(page: Page) -> None:
    """Passes axe, on a phone's width as well."""
    axe(page)
    page.set_viewport_size({"width": 360, "height": 740})
    axe(page)
    assert fits(page)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_whom_single_sign_on_does_not_know(tmp_path, browser: Browser, scheme):
    with Served(write_study(tmp_path / "study", toml=TOML.replace("[web]", PROXY))) as served:
        for headers in ({}, {"X-Remote-User": "stranger@example.org"}):
            context = browser.new_context(color_scheme=scheme, extra_http_headers=headers)
            page = context.new_page()
            answer = page.goto(served.url + "/you")
            assert answer is not None
            assert answer.status == 403
            checked(page)
            context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_choosing_a_campaign_and_having_none(tmp_path, browser: Browser, scheme):
    with Served(write_study(tmp_path / "study", toml=TOML.replace("[web]", SECOND))) as served:
        for role, links in (("volunteer", 2), ("expert", 0)):
            context = browser.new_context(color_scheme=scheme)
            page = context.new_page()
            served.visit(page, served.person(role, role=role), "/label")
            expect(page.locator("main a.button.main")).to_have_count(links)
            checked(page)
            context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_when_the_tries_are_used_up(served: Served, browser: Browser, scheme):
    person, label = served.person("ann", ready=False), served.study.settings.codebook.label
    store.record_consent(served.db, person.rater_id, version=served.consent)
    store.record_tutorial(served.db, person.rater_id, codebook=label)
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    served.visit(page, person, "/label/river/test")
    for left in (1, 0):
        page.locator("main button.main").click()
        expect(page.locator(".error:visible")).to_have_count(2)
        if left:
            axe(page)
        for box in page.locator("input[value=Very]").all():
            box.check()
        for box in page.locator("input[value=Threat]").all():
            box.check()
        expect(page.locator(".error:visible")).to_have_count(0)
        page.locator("main button.main").click()
        expect(page.locator("h1")).to_have_text("Not quite yet")
        expect(page.get_by_role("link", name="try again")).to_have_count(left)
        if not left:
            axe(page)
        page.goto(served.url + "/label/river/test")
    expect(page.locator("main")).to_contain_text("Thank you for trying")
    checked(page)
    context.close()
