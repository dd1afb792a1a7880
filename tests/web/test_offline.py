"""Reloading without network: a page of ours, which keeps nothing of anybody."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.web.serving import Served, axe
from tests.web.walk import CHANGED, SENT, fits, post

from comoderate.web.headers import POLICY

READY = """() => navigator.serviceWorker.ready.then(() => caches.keys()).then(names => names.length)"""
KEPT = """async () => {
    const found = {};
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) found[request.url] = await (await cache.match(request)).text();
    }
    return found;
}"""
LEFT = """async () => (await navigator.serviceWorker.getRegistrations()).length + (await caches.keys()).length"""


def test_the_page_is_the_same_for_everybody(served: Served):
    ann = served.person("ann")
    with served.client() as guest, served.client(ann) as client:
        page = guest.get("/away?language=en")
        assert page.text == client.get("/away?language=en").text
        assert ann.rater_id not in page.text
        assert "csrf" not in page.text
        assert 'dir="rtl"' in client.get("/away?language=ar").text
        assert guest.get("/away?language=xx").status_code == 404
        assert client.get("/label/river").url.path == "/label/river"  # still signed in, and in English
        assert 'lang="en"' in client.get("/label/river").text


def test_the_worker_keeps_that_page_and_its_files_only(served: Served):
    with served.client(served.person("ann")) as client:
        script = client.get("/worker.js?language=ar")
        assert script.headers["content-type"].startswith("text/javascript")
        assert script.headers["content-security-policy"] == POLICY
        assert script.headers["cache-control"] == "no-store"
        kept = re.search(r"KEPT = \[(.*?)\];", script.text)[1].replace('"', "").split(", ")
        assert kept[0] == "/away?language=ar"
        assert all(re.fullmatch(r"/static/[\w.]+\?v=\w+", path) for path in kept[1:])
        page = client.get(kept[0])
        assert set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)) == set(kept[1:])
        assert not re.findall(r'(?:src|href)="https?:', page.text)
        assert client.get("/worker.js?language=xx").text.count("/away?language=en") == 1
        assert client.get("/worker.js?language=en").text != script.text


@pytest.mark.slow
def test_reloading_while_the_server_is_gone(served: Served, browser: Browser):
    context = browser.new_context(viewport={"width": 360, "height": 740})
    context.set_default_timeout(20_000)
    page = context.new_page()
    person = served.person("ann")
    served.visit(page, person)
    assert page.evaluate(READY) == 1
    page.reload()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.wait_for_load_state("networkidle")
    served.stop()
    texts = [post(page)]
    for _ in range(2):
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_function(CHANGED, arg=texts[-1])
        texts.append(post(page))
    page.reload()
    expect(page.locator("h1")).to_have_text("No connection")
    expect(page.locator("#waiting")).to_contain_text("2 answers are kept in this browser")
    assert not any(text in page.content() for text in texts)
    axe(page)
    assert fits(page)
    found = page.evaluate(KEPT)
    assert sorted(re.sub(r"\?.*", "", url.removeprefix(served.url)) for url in found) == [
        "/away", "/static/away.js", "/static/icon.svg", "/static/style.css",
    ]  # fmt: skip
    assert not any(text in body or person.rater_id in body for text in texts for body in found.values())
    served.start()
    page.wait_for_selector(".post-text")
    assert page.url == served.url + "/label/river"
    page.wait_for_function(SENT)
    assert len(served.answers(person)) == 2
    page.goto(served.url + "/you")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_function(f"() => ({LEFT})().then(left => left === 0)")
    context.close()
