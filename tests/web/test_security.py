"""What nobody may do: forge forms, read others' things, inject scripts, guess passwords, come in by a header."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect
from tests.web.serving import PASSWORD, TOML, Client, Served, write_study

from comoderate import annotation as store
from comoderate.annotation import create_invitation
from comoderate.web.headers import LARGEST, POLICY
from comoderate.web.passwords import fits, hashed

SCRIPT = "<script>window.cracked = 1</script><img src=x onerror='window.cracked=1'>\"'{{ 7 * 7 }}"


def test_every_answer_carries_the_headers(served: Served):
    with served.client() as client:
        for path in ("/", "/sign-in", "/nowhere", "/healthy", "/static/style.css", "/label/river"):
            headers = client.get(path).headers
            assert headers["content-security-policy"] == POLICY
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            if not path.startswith("/static"):
                assert headers["cache-control"] == "no-store"
            assert "strict-transport-security" not in headers


def test_cookies_are_safe(served: Served, tmp_path):
    with served.client() as client:
        cookie = client.get("/sign-in").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    with Served(write_study(tmp_path / "tls"), secure=True) as tls, tls.client() as client:
        answer = client.get("/sign-in")
        assert answer.headers["set-cookie"].startswith("__Host-comoderate=")
        assert "; Secure" in answer.headers["set-cookie"]
        assert "strict-transport-security" in answer.headers


def test_a_form_without_our_token_is_refused(served: Served):
    person = served.person("ann")
    with served.client(person) as client:
        page = client.get("/you")
        token = client.fields(page, "/you")["csrf"]
        assert client.post("/you", data={"cover": "yes"}).status_code == 403
        assert client.post("/you", data={"cover": "yes", "csrf": "x" * 32}).status_code == 403
        cross = client.post("/you", data={"csrf": token}, headers={"Sec-Fetch-Site": "cross-site"})
        assert cross.status_code == 403
        assert client.post("/you", data={"csrf": token}).status_code == 200
    with served.client(served.person("bo")) as other:
        other.get("/you")
        assert other.post("/you", data={"csrf": token}).status_code == 403


def test_signing_in_and_out(served: Served):
    served.person("ann")
    with served.client() as client:
        page = client.get("/sign-in?next=/you")
        before = client.cookies["comoderate"]
        wrong = client.fill(page, "/sign-in", name="ann", password="not this one")
        assert wrong.status_code == 422
        assert "do not match" in wrong.text
        unknown = client.fill(page, "/sign-in", name="nobody", password="not this one")
        assert unknown.text.count("do not match") == 1
        inside = client.fill(page, "/sign-in", name="ann", password=PASSWORD)
        assert inside.url.path == "/you"
        stolen = client.cookies["comoderate"]
        assert stolen != before
        client.fill(inside, "/sign-out")
    with Client(served.url, {"comoderate": stolen}) as thief:
        assert thief.get("/you").url.path == "/sign-in"


@pytest.mark.parametrize(
    "address", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "javascript:1"]
)
def test_nobody_is_sent_elsewhere(served: Served, address):
    served.person("ann")
    with served.client() as client:
        page = client.get("/sign-in", params={"next": address})
        fields = {**client.fields(page, "/sign-in"), "next": address, "name": "ann", "password": PASSWORD}
        answer = client.post("/sign-in", data=fields, follow_redirects=False)
        assert answer.headers["location"] == "/"


def test_guessing_is_slowed_down(served: Served):
    with served.client() as client:
        page = client.get("/sign-in")
        codes = [client.fill(page, "/sign-in", name="ann", password=f"guess {n}").status_code for n in range(14)]
        assert codes[0] == 422
        assert codes[-1] == 429
        links = [client.get(f"/join/guess{n}").status_code for n in range(70)]
        assert links[0] == 404
        assert links[-1] == 429


def test_invitations_are_for_one_and_end(served: Served):
    link = served.invite("moderator").removeprefix(served.url)
    with served.client() as client:
        page = client.get(link)
        short = client.fill(page, link, name="mo", password="short", again="short")
        assert short.status_code == 422
        assert "at least 10" in short.text
        differ = client.fill(page, link, name="mo", password=PASSWORD, again=PASSWORD + "!")
        assert "differ" in differ.text
        served.person("taken")
        assert "taken" in client.fill(page, link, name="taken", password=PASSWORD, again=PASSWORD).text
        joined = client.fill(page, link, name="mo", password=PASSWORD, again=PASSWORD)
        assert joined.url.path != link
    with served.client() as another:
        assert another.get(link).status_code == 404
    found = store.rater_by_login(served.db, "mo")
    assert found is not None
    assert found.role == "moderator"
    assert PASSWORD not in (found.password_hash or "")


def test_another_persons_things_are_not_there(served: Served):
    ann, eve = served.person("ann"), served.person("eve")
    expert = served.person("ex", role="expert")
    offer = store.next_task(served.db, ann.rater_id, campaign="river")
    assert offer.task is not None
    lease = offer.task.lease
    with served.client(eve) as client:
        page = client.get("/label/river")
        assert lease not in page.text
        fields = {**client.fields(page, "/label/river/answer"), "lease": lease}
        assert (
            "already answered or given back"
            in client.post("/label/river/answer", data={**fields, "q.problem": "No"}).text
        )
        assert client.post("/label/river/reveal", data=fields).status_code == 404
        assert client.post("/label/river/ask", data={**fields, "text": "What is it?"}).status_code == 404
        client.post("/label/river/skip", data=fields)
        assert lease not in client.get(f"/label/river?lease={lease}").text
        assert client.get("/label/nowhere").status_code == 404
    with served.client(expert) as client:
        for path in ("", "/welcome", "/tutorial", "/tutorial/1", "/test", "/break", "/next", "/film/film"):
            assert client.get(f"/label/river{path}").status_code == 404
    assert store.task(served.db, ann.rater_id, lease).lease == lease
    assert len(served.answers()) == 0


def test_those_who_are_out_are_out(served: Served):
    person = served.person("ann")
    with served.client(person) as client:
        assert client.get("/you").url.path == "/you"
        store.update_rater(served.db, person.rater_id, active=False)
        assert client.get("/you").url.path == "/sign-in"
    with served.client() as client:
        for path in ("/you", "/label", "/label/river", "/label/river/welcome", "/label/river/film/film"):
            assert client.get(path).url.path == "/sign-in"
        assert client.get("/label/river/next", headers={"Accept": "application/json"}).status_code == 401


def test_nothing_of_a_post_but_its_text_reaches_the_page(served: Served):
    with served.client(served.person("ann")) as client:
        text = (
            client.get("/label/river").text
            + client.get("/label/river/next", headers={"Accept": "application/json"}).text
        )
    assert "@neighbour" not in text
    assert not re.search(r"\bp0\d\d\b", text)


def test_scripts_in_every_text_stay_text(tmp_path, page: Page):
    toml = TOML.replace('title = "Kindness on the river"', f"title = '''{SCRIPT}'''")
    toml = toml.replace('No = "Nobody is attacked."', f"No = '''{SCRIPT}'''").replace('"Mockery"', f"'''{SCRIPT}'''")
    folder = write_study(tmp_path / "script", toml=toml.replace("size = 40", "size = 8"), posts=8)
    lines = (folder / "posts.csv").read_text().splitlines()
    quoted = SCRIPT.replace('"', '""')
    lines[1:] = [f'p{n},"{quoted} {n}",2026-03-01T10:00:00Z,1,"{quoted}",no' for n in range(8)]
    (folder / "posts.csv").write_text("\n".join(lines) + "\n")
    with Served(folder) as served:
        person = served.person(SCRIPT)
        served.visit(page, person)
        expect(page.locator(".post-text")).to_contain_text("<script>window.cracked = 1</script>")
        page.keyboard.press("3")
        page.keyboard.press("1")
        page.locator("textarea").first.fill(SCRIPT)
        page.locator("details.ask summary").click()
        page.locator("#ask-text").fill(SCRIPT)
        page.locator("details.ask button").click()
        expect(page.locator("#said")).to_contain_text("was sent")
        page.locator("[data-act=save]").click()
        expect(page.locator(".done-count")).to_have_attribute("data-count", "1")
        page.goto(served.url + "/you")
        expect(page.locator(".enquiry")).to_contain_text("onerror")
        for path in (
            "/label/river",
            "/label/river/welcome",
            f"/sign-in?next={SCRIPT}",
            f"/{SCRIPT}",
            "/label/river/tutorial/1",
        ):
            page.goto(served.url + path)
            assert page.evaluate("() => window.cracked === undefined")
            assert "49" not in page.locator("main").inner_text()
        found = served.answers(person)
        assert SCRIPT in set(found["answer"])


def test_single_sign_on_only_by_the_trusted_proxy(tmp_path):
    setting = '[web]\nproxies = ["127.0.0.1"]\nuser_header = "X-Remote-User"'
    with Served(write_study(tmp_path / "sso", toml=TOML.replace("[web]", setting))) as served:
        served.person("ann@example.org")
        with served.client() as client:
            assert client.get("/you").status_code == 403
            known = client.get("/you", headers={"X-Remote-User": "ann@example.org", "X-Forwarded-For": "9.9.9.9"})
            assert known.url.path == "/you"
            for name in ("stranger", "Ann@example.org"):  # what the proxy says is taken to the letter
                assert client.get("/you", headers={"X-Remote-User": name}).status_code == 403
            secret, _ = create_invitation(served.db, role="volunteer", cohort="volunteers", uses=1)
            named = {"X-Remote-User": "new@example.org"}
            page = client.get(f"/join/{secret}", headers=named)
            assert "new@example.org" in page.text
            client.post(f"/join/{secret}", headers=named, data=client.fields(page, f"/join/{secret}"))
            assert store.rater_by_login(served.db, "new@example.org") is not None
    with Served(write_study(tmp_path / "off")) as served, served.client() as client:
        served.person("ann@example.org")
        assert client.get("/you", headers={"X-Remote-User": "ann@example.org"}).url.path == "/sign-in"


def test_large_and_broken_forms(served: Served):
    with served.client(served.person("ann")) as client:
        page = client.get("/label/river")
        fields = client.fields(page, "/label/river/answer")
        assert client.post("/label/river/answer", content=b"x" * (LARGEST + 1)).status_code == 413
        assert client.post("/label/river/answer", data=fields).status_code == 422
        assert client.post("/label/river/answer", data={**fields, "q.problem": "Unheard of"}).status_code == 422
        assert client.post("/label/river/answer", data={**fields, "q.problem": ["No", "Very"]}).status_code == 422
        assert client.get("/label/river/tutorial/99").status_code == 404
        assert client.get("/label/river/tutorial/x").status_code == 422
        assert client.post("/label/river/next").status_code in {403, 405}
        hidden = {**fields, "q.problem": "No", "q.kind": "Threat", "q.note": "hidden"}
        assert "Saved" in client.post("/label/river/answer", data=hidden).text
    found = served.answers()
    assert found[["question", "answer"]].to_numpy().tolist() == [["problem", "No"]]


def test_the_same_key_stores_once(served: Served):
    with served.client(served.person("ann")) as client:
        fields = {**client.fields(client.get("/label/river"), "/label/river/answer"), "q.problem": "No"}
        for _ in range(3):
            answer = client.post("/label/river/answer", data=fields, headers={"Accept": "application/json"})
            assert answer.json()["status"] == "stored"
        assert answer.json()["repeated"] is True
    assert len(served.answers()) == 1


def test_passwords():
    stored = hashed(PASSWORD)
    assert stored.startswith("$argon2id$")
    assert fits(PASSWORD, stored)
    assert not fits(PASSWORD + "x", stored)
    assert not fits(PASSWORD, None)
    assert not fits(PASSWORD, "not a hash")
    began = time.perf_counter()
    fits("x", None)
    nobody = time.perf_counter() - began
    began = time.perf_counter()
    fits("x", stored)
    assert nobody > (time.perf_counter() - began) / 20  # who does not exist takes no noticeably shorter time
