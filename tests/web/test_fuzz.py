"""Whatever is sent to a form, the server answers, and stores nothing that the codebook does not have."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.web.serving import Served, write_study

from comoderate import annotation as store
from comoderate.web.headers import LARGEST

FORMS = [
    "/language", "/sign-in", "/sign-out", "/join/x", "/reset/x", "/account", "/you", "/label/river/welcome",
    "/label/river/tutorial", "/label/river/tutorial/1", "/label/river/test", "/label/river/answer",
    "/label/river/skip", "/label/river/undo",
    "/label/river/reveal", "/label/river/ask", "/label/river/break", "/label/river/pause", "/label/brook/answer",
]  # fmt: skip
FIELDS = ["lease", "key", "codebook", "seconds", "q.problem", "q.kind", "q.note", "agree", "cap", "cover", "without"]
FIELDS += ["name", "old", "password", "again", "language", "next", "text", "p1.q.problem", ""]
WORDS = st.one_of(
    st.text(max_size=60), st.sampled_from(["No", "Very", "Insult", "-1", "1e999", "nan", "yes", "/you", "\x00"])
)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    with Served(write_study(tmp_path_factory.mktemp("fuzz") / "study")) as running:
        running.app.state.web.limits.update({name: Always() for name in running.app.state.web.limits})
        yield running


class Always:
    """No limit, so that the forms behind it are reached."""

    def allows(self, _key: str, *, cost: float = 1.0) -> bool:
        return True


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(FORMS),
    st.dictionaries(st.sampled_from(FIELDS), st.one_of(WORDS, st.lists(WORDS, max_size=3)), max_size=8),
    st.booleans(),
    st.booleans(),
)
def test_no_form_breaks_the_server(fuzzed: Served, path, fields, real, script):
    person = store.rater_by_login(fuzzed.db, "fay") or fuzzed.person("fay")
    with fuzzed.client(person) as client:
        page = client.get("/label/river")
        known = client.fields(page) if 'name="csrf"' in page.text else {}
        data = {**fields, **({name: known[name] for name in known if name in {"lease", "key"}} if real else {})}
        headers = {"Accept": "application/json"} if script else {}
        answer = client.post(path, data={**data, "csrf": known.get("csrf", "")}, headers=headers)
        assert answer.status_code < 500, (path, data, answer.text[:300])
        assert client.get(path, params={"said": "x", "lease": "\x00", "next": "//x"}).status_code < 500
    for row in fuzzed.answers().itertuples():
        question = fuzzed.study.settings.codebook.question[row.question]
        assert not question.refuses(row.answer)


def test_a_form_without_an_end_is_cut_off(fuzzed: Served):
    def endless():
        for _ in range(2 * LARGEST // 50_000):
            yield b"x" * 50_000

    with fuzzed.client(fuzzed.person("gus")) as client:
        sent = {"content-type": "application/x-www-form-urlencoded"}
        assert client.post("/you", content=endless(), headers=sent).status_code == 413


@pytest.mark.parametrize("cookie", ["x", "a.b.c", "comoderate=;;", "\x7f", "é"])
def test_broken_cookies_are_no_session(fuzzed: Served, cookie):
    with fuzzed.client() as client:
        answer = client.get("/you", headers={"Cookie": f"comoderate={cookie}".encode()})
        assert answer.url.path == "/sign-in"
