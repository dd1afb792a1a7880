"""A new password: by the old one, by a link of the coordinator's, by the command line; never with single sign-on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser
from tests.web.serving import PASSWORD, TOML, Served, axe, write_study
from tests.web.walk import fits

from comoderate import annotation as store
from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.web.passwords import fits as is_password
from comoderate.web.recovery import reset_path

NEW = "three loud geese"


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with Served(write_study(tmp_path_factory.mktemp("recovery") / "study")) as running:
        running.co = running.person("co", role="coordinator")
        yield running


def has(house: Served, name: str, password: str) -> bool:
    found = store.rater_by_login(house.db, name)
    return found is not None and is_password(password, found.password_hash)


def events(house: Served, person: store.Rater) -> list[str]:
    return [entry.event for entry in store.stream_journal(house.db, subject=person.rater_id)]


@pytest.mark.parametrize("role", ["volunteer", "moderator", "coordinator"])
def test_who_knows_the_password_changes_it_and_is_signed_out_elsewhere(house: Served, role):
    ann = house.person(f"ann the {role}", role=role)
    with house.client(ann) as client, house.client(ann) as elsewhere:
        assert 'href="/account"' in client.get("/you").text
        assert elsewhere.get("/account").status_code == 200
        page = client.get("/account")
        assert f"<strong>ann the {role}</strong>" in page.text
        for fields, said in (
            ({"old": "not this one", "password": NEW, "again": NEW}, "That is not your password."),
            ({"old": PASSWORD, "password": "short", "again": "short"}, "at least 10 characters."),
            ({"old": PASSWORD, "password": NEW, "again": NEW + "!"}, "The two passwords differ."),
            ({"old": PASSWORD, "password": PASSWORD, "again": PASSWORD}, "That is the password you have."),
            ({}, "That is not your password."),
        ):
            wrong = client.fill(page, "/account", **fields)
            assert wrong.status_code == 422
            assert said in wrong.text
            assert NEW not in wrong.text
        assert has(house, ann.login, PASSWORD)
        done = client.fill(wrong, "/account", old=PASSWORD, password=NEW, again=NEW)
        assert "The password is changed" in done.text
        assert client.get("/account").status_code == 200
        assert elsewhere.get("/account").url.path == "/sign-in"
    assert has(house, ann.login, NEW)
    assert events(house, ann) == ["consented", "finished tutorial", "took qualification", "password changed"]
    with house.client() as client:
        assert client.get("/account").url.path == "/sign-in"


def test_guessing_the_old_password_is_slowed_down(house: Served):
    with house.client(house.person("gil")) as client:
        page = client.get("/account")
        codes = [client.fill(page, "/account", old=f"guess {n}").status_code for n in range(12)]
    assert (codes[0], codes[-1]) == (422, 429)


def test_who_forgot_it_gets_a_link_that_works_once(house: Served):
    bo = house.person("bo")
    with house.client(house.co) as client, house.client(bo) as inside:
        assert 'href="/dashboard/reset"' in client.get("/dashboard/invite").text
        page = client.get("/dashboard/reset")
        nobody = client.fill(page, "/dashboard/reset", name="nobody")
        assert nobody.status_code == 422
        assert "Nobody who may sign in has this name" in nobody.text
        assert client.fill(page, "/dashboard/reset", name="").status_code == 422
        first, link = (
            re.search(r"http://[^<]+(/reset/[\w-]+)", client.fill(page, "/dashboard/reset", name=name).text)[1]
            for name in ("bo", bo.rater_id)
        )
        assert link not in client.get("/dashboard/reset").text
        assert inside.get("/you").url.path == "/you"
        with house.client() as guest:
            assert guest.get(first).status_code == 404  # a newer one took its place
            page = guest.get(link)
            assert "<strong>bo</strong>" in page.text
            for fields in ({"password": "short", "again": "short"}, {"password": NEW, "again": NEW + "!"}, {}):
                assert guest.fill(page, link, **fields).status_code == 422
            assert has(house, "bo", PASSWORD)
            done = guest.fill(page, link, password=NEW, again=NEW)
            assert done.url.path == "/label/river"
            assert guest.get(link).status_code == 404
            assert guest.post(link, data=guest.fields(done)).status_code == 404
        assert inside.get("/you").url.path == "/sign-in"
    assert has(house, "bo", NEW)
    assert events(house, bo)[-3:] == ["password link made", "password link made", "password reset"]
    made = next(store.stream_journal(house.db, event="password link made", subject=bo.rater_id))
    assert made.actor == house.co.rater_id


def test_only_coordinators_make_links_and_none_for_those_who_are_out(house: Served):
    eve = house.person("eve")
    with house.client(eve) as client:
        assert client.get("/dashboard/reset").status_code == 403
        fields = client.fields(client.get("/account"), "/account")
        assert client.post("/dashboard/reset", data={**fields, "name": "co"}).status_code == 403
    link = f"/reset/{store.create_reset(house.db, eve.rater_id)}"
    store.update_rater(house.db, eve.rater_id, active=False)
    with house.client() as guest, house.client(house.co) as client:
        assert guest.get(link).status_code == 404
        assert "is older than a day" in guest.get(link).text
        assert client.fill(client.get("/dashboard/reset"), "/dashboard/reset", name="eve").status_code == 422


def test_a_coordinator_who_is_locked_out_has_the_command_line(house: Served):
    kay = house.person("kay", role="coordinator")
    link = reset_path(house.study, "kay")
    with house.client() as guest:
        assert guest.fill(guest.get(link), link, password=NEW, again=NEW).url.path == "/dashboard"
    assert has(house, "kay", NEW)
    assert events(house, kay)[-2:] == ["password link made", "password reset"]
    with pytest.raises(ComoderateError, match=r"The coordinators are .*kay"):
        reset_path(house.study, "key")


def test_with_single_sign_on_there_are_no_passwords(tmp_path):
    setting = '[web]\nproxies = ["127.0.0.1"]\nuser_header = "X-Remote-User"'
    with (
        Served(write_study(tmp_path / "sso", toml=TOML.replace("[web]", setting))) as served,
        served.client() as client,
    ):
        co = served.person("co@example.org", role="coordinator")
        client.headers["X-Remote-User"] = "co@example.org"
        assert client.get("/dashboard").status_code == 200
        for path in ("/account", "/dashboard/reset", f"/reset/{store.create_reset(served.db, co.rater_id)}"):
            assert client.get(path).status_code == 404
        for path in ("/you", "/dashboard/invite", "/dashboard/people"):
            text = client.get(path).text
            assert "/account" not in text
            assert "/dashboard/reset" not in text
        with pytest.raises(ComoderateError, match="sign in elsewhere"):
            reset_path(Study.open(tmp_path / "sso"), "co@example.org")


@pytest.mark.slow
def test_the_pages_pass_axe(house: Served, browser: Browser):
    page = browser.new_page(viewport={"width": 360, "height": 740})
    di = house.person("di")
    link = f"/reset/{store.create_reset(house.db, di.rater_id)}"
    for path in ("/sign-in", link, "/reset/nothing"):
        page.goto(house.url + path)
        axe(page)
        assert fits(page)
    page.goto(house.url + link)
    page.locator("main button.main").click()
    axe(page)
    house.visit(page, di, "/account")
    page.locator("main button.main").click()
    axe(page)
    assert fits(page)
    house.visit(page, house.co, "/dashboard/reset")
    page.locator("#name").fill("di")
    page.keyboard.press("Enter")
    page.wait_for_selector(".secret")
    axe(page)
    assert fits(page)
    page.close()
