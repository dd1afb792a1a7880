"""The JSON API: tokens and scopes, pages, problem bodies, and nothing that makes it fail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance
from tests.web.serving import Served, run_apart
from tests.web.test_desk import write_desk

from comoderate import annotation as store
from comoderate.annotation import create_api_token, revoke_api_token
from comoderate.study import Study, snapshot
from comoderate.study.desk import QUEUE, DeskKeeper, collect
from comoderate.web.api import endpoints
from comoderate.web.api.application import LARGEST, Bounded
from comoderate.web.api.tokens import SCOPES
from comoderate.web.limits import Limiter

POST = {
    "post_id": "n1",
    "text": "The kettle is on",
    "created_at": "2026-03-04T09:00:00Z",
    "attributes": {"shouting": "no"},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = write_desk(tmp_path_factory.mktemp("api") / "study")
    snapshot.write(Study.open(folder))
    return folder


@pytest.fixture
def api(made, little, tmp_path):
    with Served(little.copy(made, tmp_path / "study")) as running:
        yield running


def client(running, *scopes):
    secret, _ = create_api_token(running.db, scopes=scopes or SCOPES, label="test")
    return httpx.Client(base_url=f"{running.url}/api/v1", headers={"Authorization": f"Bearer {secret}"}, timeout=60)


def problem(answer, status):
    """The answer is a problem body of this status."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    return body


def test_pushed_posts_reach_the_queue(api):
    with client(api, "posts:write") as web:
        posts = [{**POST, "post_id": f"n{n}"} for n in range(3)]
        assert web.post("/posts", json={"posts": posts}).json() == {"stored": 3, "known": []}
        again = web.post("/posts", json={"posts": [posts[0], {**POST, "post_id": "p001"}]})
        assert again.json() == {"stored": 0, "known": ["n0", "p001"]}
        assert again.status_code == 202
        wrong = problem(web.post("/posts", json={"posts": [{**POST, "created_at": None}]}), 422)
        assert "created_at" in wrong["detail"]
        unread = problem(web.post("/posts", content=b"{", headers={"content-type": "application/json"}), 400)
        assert "no JSON" in unread["detail"]
        assert problem(web.post("/posts", json={"posts": [{"post_id": ""}]}), 422)["errors"]
    study = Study.open(api.study.folder)
    study.review()
    assert {"n0", "n1", "n2"} <= set(study.scores("bayes")["post_id"])


def test_the_queue_comes_in_pages_without_scores(api):
    queue = api.study.queue()
    with client(api, "queue:read") as web:
        seen, after = [], 0
        while after is not None:
            page = web.get("/queue", params={"after": after, "limit": 10}).json()
            seen += page["items"]
            after = page["next"]
        assert [one["post_id"] for one in seen] == queue["post_id"].tolist()
        assert all(one["text"] and "@neighbour" not in one["text"] for one in seen)
        assert all(one[name] is None for one in seen for name in ("proba", "reason", "pi", "source", "review_score"))
    with client(api, "queue:read", "queue:scores") as web:
        items = web.get("/queue").json()["items"]
        assert {one["source"] for one in items} == {"queue", "audit"}


def test_pushed_decisions_are_decided_on_the_desk_and_flow_back(api):
    DeskKeeper(api.study, api.db).bring()
    queue = api.study.queue()["post_id"].tolist()
    made = [
        {"post_id": queue[0], "decision": "positive", "moderator": "kim", "key": "a", "seconds": 4},
        {"post_id": queue[1], "decision": "No", "moderator": "kim", "decided_at": "2026-05-01T10:00:00+02:00"},
    ]
    with client(api, "decisions:write", "annotations:read") as web:
        assert web.post("/decisions", json={"decisions": made}).json() == {"stored": 2}
        assert web.post("/decisions", json={"decisions": made}).json() == {"stored": 2}
        page = web.get("/decisions", params={"limit": 1}).json()
        assert [one["decision"] for one in page["items"]] == ["Somewhat"]
        rest = web.get("/decisions", params={"after": page["next"]}).json()
        assert [one["decided_at"] for one in rest["items"]] == ["2026-05-01T08:00:00Z"]
        assert rest["next"] is None
        stray = {"post_id": "p001", "decision": "No", "moderator": "kim"}
        assert "not in the queue" in problem(web.post("/decisions", json={"decisions": [stray]}), 422)["detail"]
        odd = {"post_id": queue[2], "decision": "Maybe", "moderator": "kim"}
        assert "no decision" in problem(web.post("/decisions", json={"decisions": [made[0], odd]}), 422)["detail"]
    assert store.desk_progress(api.db, QUEUE).decided == 2
    assert collect(api.study, api.db) == 2
    with api.study.store() as held:
        frame = held.snapshot()
    assert set(frame.loc[frame["rater_id"] == "api/kim", "source"]) <= {"queue", "audit"}


def test_estimates_and_annotations_are_read(api):
    with client(api, "estimates:read", "annotations:read") as web:
        found = web.get("/estimates").json()
        assert found["progress"][0]["target"] == "unkind"
        assert found["annotations"] == 80
        first = web.get("/annotations", params={"limit": 50}).json()
        second = web.get("/annotations", params={"limit": 50, "after": first["next"]}).json()
        assert len(first["items"]) + len(second["items"]) == 80
        assert second["next"] is None
        assert not {"v1", "v2"} & {one["rater_id"] for one in first["items"]}
    (api.study.folder / snapshot.FILE).unlink()
    with client(api) as web:
        problem(web.get("/estimates"), 404)


ADDRESSES = [
    ("POST", "/posts", "posts:write"), ("GET", "/queue", "queue:read"), ("POST", "/decisions", "decisions:write"),
    ("GET", "/decisions", "annotations:read"), ("GET", "/annotations", "annotations:read"),
    ("GET", "/estimates", "estimates:read"),
]  # fmt: skip


def test_every_address_wants_a_token_with_its_scope(api):
    for method, path, scope in ADDRESSES:
        others = [name for name in SCOPES if name != scope]
        with client(api, *others) as web:
            assert scope in problem(web.request(method, path), 403)["detail"]
        with httpx.Client(base_url=f"{api.url}/api/v1") as web:
            for header in (
                {},
                {"Authorization": "Bearer x"},
                {"Authorization": "Basic x"},
                {"Authorization": "Bearer"},
            ):
                found = web.request(method, path, headers=header)
                assert problem(found, 401)
                assert found.headers["www-authenticate"] == "Bearer"
    person = api.person("co", role="coordinator")
    with api.client(person) as web:
        assert web.get("/api/v1/estimates").status_code == 401


def test_tokens_end(api):
    secret, one = create_api_token(api.db, scopes=["estimates:read"], label="t")
    header = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(f"{api.url}/api/v1/estimates", headers=header).status_code == 200
    revoke_api_token(api.db, one.token_id)
    assert httpx.get(f"{api.url}/api/v1/estimates", headers=header).status_code == 401
    past = datetime.now(UTC) - timedelta(days=1)
    old, _ = create_api_token(api.db, scopes=["estimates:read"], label="t", expires_at=past)
    assert httpx.get(f"{api.url}/api/v1/estimates", headers={"Authorization": f"Bearer {old}"}).status_code == 401
    dump = b"".join(path.read_bytes() for path in api.study.folder.glob("annotations.db*"))
    assert secret.encode() not in dump


def test_who_asks_too_often_is_told_to_wait(api):
    api.app.state.web.limits |= {name: Limiter(burst=3, per_minute=1) for name in ("api", "api-unknown")}
    with client(api) as web:
        answers = [web.get("/queue") for _ in range(5)]
        assert [one.status_code for one in answers] == [200] * 3 + [429] * 2
        assert problem(answers[-1], 429)
        assert int(answers[-1].headers["retry-after"]) > 0
    unknown = [httpx.get(f"{api.url}/api/v1/queue").status_code for _ in range(5)]
    assert unknown == [401] * 3 + [429] * 2


def test_what_is_not_there_is_a_problem_too(api):
    with client(api) as web:
        assert problem(web.get("/nothing"), 404)
        problem(web.delete("/queue"), 405)
        problem(web.get("/queue", params={"limit": 0}), 422)
        problem(web.get("/queue", params={"after": "9" * 50}), 422)
        problem(web.post("/posts", content=b" " * (LARGEST + 1)), 413)


def test_the_description_needs_no_token_and_names_no_other_host(api):
    found = httpx.get(f"{api.url}/api/openapi.json").json()
    assert found["servers"] == [{"url": "/api"}]
    assert set(found["paths"]) == {f"/v1{path}" for _, path, _ in ADDRESSES}
    assert "HTTPBearer" in found["components"]["securitySchemes"]
    assert "HTTPValidationError" not in str(found)
    told = str(found)
    for one in (endpoints.push_posts, endpoints.read_queue, endpoints.push_decisions, endpoints.read_estimates):
        assert one.__doc__.split(".")[0] in told


def test_a_body_that_does_not_say_how_large_it_is_ends_at_the_bound(api):
    """What comes after it is not read: the connection ends."""
    sent = []

    async def app(_scope, receive, _send):
        while (message := await receive())["type"] == "http.request":
            sent.append(len(message["body"]))

    async def receive():
        return {"type": "http.request", "body": b" " * 10**6, "more_body": True}

    run_apart(Bounded(app), {"type": "http", "headers": []}, receive, None)
    assert sum(sent) <= LARGEST


def test_a_study_without_a_queue_says_so(served: Served):
    with client(served) as web:
        assert "no queue" in problem(web.get("/queue"), 422)["detail"]
        one = {"post_id": "p001", "decision": "No", "moderator": "kim"}
        assert "no queue" in problem(web.post("/decisions", json={"decisions": [one]}), 422)["detail"]
        assert web.get("/annotations").json() == {"items": [], "next": None}


@pytest.fixture(scope="module")
def fuzzed(made, little, tmp_path_factory):
    with Served(little.copy(made, tmp_path_factory.mktemp("fuzz") / "study")) as running:
        DeskKeeper(running.study, running.db).bring()
        running.app.state.web.limits |= {
            "api": Limiter(burst=10**9, per_minute=1),
            "api-unknown": Limiter(burst=10**9, per_minute=1),
        }
        yield running


CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]
FUZZ = settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize(("method", "path"), [(method, f"/v1{path}") for method, path, _ in ADDRESSES])
def test_schemathesis_finds_nothing(fuzzed, method, path):
    schema = schemathesis.openapi.from_url(f"{fuzzed.url}/api/openapi.json")
    secret, _ = create_api_token(fuzzed.db, scopes=SCOPES, label="fuzz")

    tried = []

    @FUZZ
    @given(case=schema[path][method].as_strategy())
    def run(case):
        tried.append(case)
        answer = case.call(base_url=f"{fuzzed.url}/api", headers={"Authorization": f"Bearer {secret}"})
        case.validate_response(answer, checks=CHECKS)

    run()
    assert tried
