"""An odd value in each field of each form of the labelling, of accounts and invitations, on both databases."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_from_bytes, urlencode

import pytest
from tests.web.serving import PASSWORD, TOML, Client, Served, write_study
from tests.web.test_fuzz import Always

from comoderate import annotation as store

ODD = {
    "empty": b"",
    "negative": b"-1",
    "long-number": b"9" * 400,
    "other-digits": "٣".encode(),
    "not-a-number": b"nan",
    "nul": b"a\x00b",
    "not-utf-8": b"\xff\xfe",
    "surrogate": b"\xed\xa0\x80",
    "right-to-left": "\u202eabc\u2066".encode(),
    "script": b"<script>1</script>'\"{{ 7 * 7 }}",
    "lines": b"a\r\nSet-Cookie: b=c\r\n",
    "long": "ß".encode() * 3_000,
}


@pytest.fixture
def served(tmp_path, database_url):
    toml = TOML.replace("[web]", f"[web]\ndatabase = '{database_url}'").replace(
        "pass_mark = 0.5", "pass_mark = 1\ntries = 1000"
    )
    with Served(write_study(tmp_path / "study", toml=toml, posts=40)) as running:
        limits = running.app.state.web.limits
        limits.update({name: Always() for name in limits})
        yield running


def encoded(fields: dict[str, Any]) -> bytes:
    """A form as browsers send it; bytes may be anything."""
    pairs = ((name, value if isinstance(value, bytes) else str(value).encode()) for name, value in fields.items())
    return b"&".join(f"{urlencode({name: ''})}{quote_from_bytes(value)}".encode() for name, value in pairs)


def refuses(client: Client, path: str, fields: dict[str, Any]) -> None:
    """Send a form once as it should be but for one field, for each field and each odd value, and once with a file."""
    headers = {"content-type": "application/x-www-form-urlencoded"}
    for name in fields:
        for kind, value in ODD.items():
            answer = client.post(path, content=encoded({**fields, name: value}), headers=headers)
            assert answer.status_code < 500, (path, name, kind)
        rest = {key: value for key, value in fields.items() if key != name}
        answer = client.post(path, data=rest, files={name: ("a.txt", b"a file")})
        assert answer.status_code < 500, (path, name, "a file")
        answer = client.post(path, data={**rest, name: ["a", "b"]})
        assert answer.status_code < 500, (path, name, "two values")


def csrf(client: Client) -> dict[str, str]:
    return {"csrf": client.fields(client.get("/you"), "/language")["csrf"]}


@pytest.mark.slow
def test_odd_values_in_accounts_and_invitations(served: Served):
    served.person("ann")
    secret, _ = store.create_invitation(served.db, role="volunteer", cohort="volunteers", uses=None)
    with served.client() as client:
        for path, fields in (
            (f"/join/{secret}", {"name": "ann", "password": PASSWORD, "again": PASSWORD}),
            ("/sign-in", {"name": "ann", "password": PASSWORD + "!", "next": "/you"}),
            ("/language", {"language": "en", "next": "/you"}),
        ):
            refuses(client, path, {**fields, **csrf(client)})
        for kind, value in ODD.items():
            odd = quote_from_bytes(value, safe="")
            for path in (f"/join/{odd}", f"/sign-in?next={odd}", f"/{odd}", f"/label/{odd}"):
                assert client.get(path).status_code < 500, (path[:9], kind)
        page = client.post("/sign-in", data={**csrf(client), "name": "ann", "password": PASSWORD, "next": "/you"})
        assert page.url.path == "/you"
    assert store.rater_by_login(served.db, "ann") is not None


@pytest.mark.slow
def test_odd_values_in_new_passwords(served: Served):
    ann = served.person("ann")
    reset = f"/reset/{store.create_reset(served.db, ann.rater_id)}"
    new = {"password": PASSWORD, "again": PASSWORD + "!"}
    with served.client(ann) as client:
        refuses(client, "/account", {**csrf(client), "old": PASSWORD + "!", **new})
        refuses(client, reset, {**csrf(client), **new})
        for value in ODD.values():
            assert client.get(f"/reset/{quote_from_bytes(value, safe='')}").status_code < 500
    with served.client(served.person("co", role="coordinator")) as client:
        refuses(client, "/dashboard/reset", {**csrf(client), "name": "ann"})


@pytest.mark.slow
def test_odd_values_in_the_labelling(served: Served):
    new = served.person("new", ready=False)
    with served.client(new) as client:
        page = client.get("/label/river")
        refuses(client, "/label/river/welcome", {**client.fields(page, "/label/river/welcome"), "agree": "yes"})
        store.record_consent(served.db, new.rater_id, version=served.consent)
        answers = {"q.problem": "Very", "q.kind": "Insult", "q.note": "loud"}
        refuses(client, "/label/river/tutorial/2", {**csrf(client), **answers})
        refuses(client, "/label/river/tutorial", csrf(client))
        test = {f"p{number}.{name}": value for number in (1, 2) for name, value in answers.items()}
        refuses(client, "/label/river/test", {**csrf(client), **test})
    ann = served.person("ann")
    with served.client(ann) as client:
        refuses(client, "/you", {**csrf(client), "cap": "3", "cover": "", "without": "shouting"})
        fields = {**client.fields(client.get("/label/river"), "/label/river/answer"), "seconds": "2.5", **answers}
        own = {name: fields[name] for name in ("csrf", "lease")}
        refuses(client, "/label/river/ask", {**own, "text": "What is it?"})
        refuses(client, "/label/river/reveal", own)
        for name in ("lease", "key", "codebook", "seconds", *answers):  # each odd value with a post that is open still
            for kind, value in ODD.items():
                open_now = client.fields(client.get("/label/river"), "/label/river/answer")
                content = encoded({**fields, **open_now, name: value})
                headers = {"content-type": "application/x-www-form-urlencoded"}
                answer = client.post("/label/river/answer", content=content, headers=headers)
                assert answer.status_code < 500, (name, kind)
                client.post("/label/river/undo", data=own)
        for path in ("skip", "undo", "break", "pause"):
            refuses(client, f"/label/river/{path}", own)
        for kind, value in ODD.items():
            odd = quote_from_bytes(value, safe="")
            for path in (
                f"?lease={odd}&said={odd}&shown={odd}",
                f"/next?holding={odd}",
                f"/tutorial/{odd}",
                f"/film/{odd}",
            ):
                assert client.get(f"/label/river{path}").status_code < 500, (path[:9], kind)
    book = served.study.settings.codebook
    for row in served.answers().itertuples():
        assert not book.question[row.question].refuses(row.answer)
        assert "\x00" not in row.answer
