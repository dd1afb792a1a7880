"""Steps that several tests take in the browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

WINDOWS = [pytest.param(1280, 900, id="desktop", marks=pytest.mark.slow), pytest.param(360, 740, id="phone")]
"""Width and height of the windows in which raters are walked through, in CSS pixels."""

CHANGED = "before => !document.querySelector('.post-text') || document.querySelector('.post-text').innerText !== before"
SENT = "() => window.Comoderate && Comoderate.outbox && Comoderate.outbox.all().length === 0"


def join(page: Page, link: str, name: str) -> None:
    """Take up an invitation by keyboard only."""
    page.goto(link)
    page.locator("#name").focus()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type("five quiet ducks")
    page.keyboard.press("Tab")
    page.keyboard.type("five quiet ducks")
    page.keyboard.press("Enter")
    page.wait_for_url("**/label/**")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until what ``selector`` names has the focus."""
    for _ in range(60):
        if page.evaluate("s => document.activeElement && document.activeElement.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")


def shown(page: Page, selector: str) -> None:
    """Wait for what ``selector`` names and for the scripts of its page: before them no key means anything."""
    page.wait_for_selector(selector)
    page.wait_for_load_state("load")


def press(page: Page, key: str) -> None:
    """Press a key once the page's scripts are there."""
    page.wait_for_load_state("load")
    page.keyboard.press(key)


def begin(page: Page) -> None:
    """From the welcome to the first post, by keyboard only."""
    tab_to(page, "[name=agree]")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tutorial")
    tab_to(page, "main a.button.main")
    page.keyboard.press("Enter")
    for keys in (["1"], ["2", "2"]):
        shown(page, "form.answer")
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        shown(page, ".solution")
        page.keyboard.press("Enter")
    page.wait_for_url("**/test")
    tab_to(page, "input[name='p1.q.problem']")
    page.keyboard.press("1")
    tab_to(page, "input[name='p2.q.problem']")
    page.keyboard.press("3")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text('ready')")
    tab_to(page, "main a.button.main")
    page.keyboard.press("Enter")
    shown(page, "#work")


def post(page: Page) -> str:
    """The text of the post that is shown."""
    return page.locator(".post-text").inner_text()


def fits(page: Page) -> bool:
    """Whether nothing is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
