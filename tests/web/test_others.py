"""Another's ids in every address and every field: no page shows what is theirs, nothing of theirs changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.routing import Mount
from tests.web.serving import Served
from tests.web.test_desk import CROWD, write_desk
from tests.web.test_fuzz import Always

from comoderate import annotation as store
from comoderate.study.desk import QUEUE, DeskKeeper

BENCH = f"""
[sample.second]
design = "uniform"
of = "main"
size = 5

[campaign.bench]
sample = "second"
cohort = "experts"
roles = ["expert"]

{CROWD}
[review]
capacity = 24
audit_share = 0.25
strategy = "uncertainty"
"""
SENTENCES = ("an owl told me", "does the heron mean it", "let an expert see the kettle", "a friend of the mill")


def routes(app, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every address of an application, as it is written in the code, with every method that it takes."""
    for one in app.routes:
        if isinstance(one, Mount):
            if one.name != "static":
                yield from routes(one, prefix + one.path)
        elif hasattr(one, "original_router"):  # how FastAPI holds the routers of an application
            yield from routes(one.original_router, prefix)
        else:
            yield from ((method, prefix + one.path) for method in sorted(one.methods - {"HEAD"}))


class Theirs:
    """What belongs to others, and the ids that lead there."""

    def __init__(self, served: Served) -> None:
        db = self.db = served.db
        self.ann, self.al = served.person("ann"), served.person("al", role="moderator")
        expert = served.person("ex", role="expert")
        self.task = store.next_task(db, self.ann.rater_id, campaign="river").task
        assert self.task is not None
        store.ask(db, self.ann.rater_id, self.task.lease, SENTENCES[1])
        said = {"problem": ["Very"], "kind": ["Insult"], "note": [SENTENCES[0]]}
        store.submit(db, self.ann.rater_id, self.task.lease, said, idempotency_key="theirs")
        self.task = store.next_task(db, self.ann.rater_id, campaign="river").task
        self.expert_task = store.next_task(db, expert.rater_id, campaign="bench").task
        assert self.task is not None
        assert self.expert_task is not None
        DeskKeeper(served.study, db).bring()
        first, passed, self.item = (self._claim(step) for step in ("decide", "escalate", None))
        self.done = next(store.stream_decisions(db, queue=QUEUE)).decision_id
        self.enquiry = store.enquiries(db)[0].enquiry_id
        used, self.invitation = store.create_invitation(
            db, role="volunteer", cohort="volunteers", uses=1, note=SENTENCES[3]
        )
        joined = store.redeem_invitation(db, used, language="en", login="joined", password_hash=None)
        _, self.token = store.create_api_token(db, scopes=["queue:read"], label=SENTENCES[3])
        people = (self.ann.rater_id, self.al.rater_id, expert.rater_id, joined.rater_id)
        self.hidden = (*SENTENCES, *people, self.task.lease, self.expert_task.lease)
        self.texts = (self.item.text, passed.text, "You decided")  # on the desk; a volunteer may label the same posts
        self.ids = {
            "name": "bench", "secret": used, "rater_id": self.ann.rater_id, "number": str(self.enquiry),
            "done": str(self.done), "invitation_id": self.invitation.invitation_id, "token_id": self.token.token_id,
            "what": "film",
        }  # fmt: skip
        self.fields = {
            **self.ids, "lease": self.expert_task.lease, "shown": self.task.lease, "holding": self.task.lease,
            "item": str(self.item.item_id), "key": "theirs", "act": "=Very", "actor": self.al.rater_id,
            "campaign": "bench", "after": "0", "next": "/label/bench", "active": "no", "state": "closed",
            "text": "mine", "reply": "mine", "agree": "yes", "q.problem": "No", "seconds": "1", "note": "mine",
        }  # fmt: skip
        self.before = self.state()
        assert first.item_id != self.item.item_id

    def _claim(self, step: str | None) -> store.DeskItem:
        item = store.claim(self.db, QUEUE, self.al.rater_id).item
        assert item is not None
        if step == "decide":
            store.decide(self.db, self.al.rater_id, item.item_id, "Very", idempotency_key="theirs", note=SENTENCES[2])
        elif step == "escalate":
            store.escalate(self.db, self.al.rater_id, item.item_id, note=SENTENCES[2], idempotency_key="theirs 2")
        return item

    def state(self) -> tuple[object, ...]:
        """All of it, as it stands."""
        db, own = self.db, {self.ann.rater_id, self.al.rater_id}
        answers = [row for part in store.stream_annotations(db, rater_id=self.ann.rater_id) for row in part]
        return (
            answers,
            [one for one in store.stream_decisions(db) if one.actor in own],
            store.task(db, self.ann.rater_id, self.task.lease).text,
            store.claim(db, QUEUE, self.al.rater_id).item.item_id,
            [(one.rater_id, one.text, one.reply) for one in store.enquiries(db, rater_id=self.ann.rater_id)],
            store.invitations(db),
            store.api_tokens(db),
            [store.rater(db, one) for one in sorted(own)],
            [(one.name, one.state) for one in store.campaigns(db)],
            store.desk(db, QUEUE),
        )


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with Served(write_desk(tmp_path_factory.mktemp("others") / "study", more=BENCH)) as running:
        limits = running.app.state.web.limits
        limits.update({name: Always() for name in limits})
        yield running, Theirs(running)


@pytest.mark.parametrize("role", ["volunteer", pytest.param("moderator", marks=pytest.mark.slow), None])
def test_anothers_ids_in_every_address_lead_nowhere(house, role):
    served, theirs = house
    person = None if role is None else served.person(f"eve the {role}", role=role)
    tried, opened = 0, set()
    for method, address in routes(served.app):
        for name, lease in (("bench", theirs.expert_task.lease), ("river", theirs.task.lease)):
            ids = {**theirs.ids, "name": name}
            path = re.sub(r"{(\w+)}", lambda found, ids=ids: ids[found[1]], address)
            with served.client(person) as client:
                token = client.fields(client.get("/you"))["csrf"]
                fields = {**theirs.fields, "name": name, "lease": lease, "csrf": token}
                sent = {"params": fields} if method == "GET" else {"data": fields}
                answer = client.request(method, path, **sent)
            assert answer.status_code < 500, (method, path)
            for one in theirs.hidden if role == "volunteer" else (*theirs.hidden, *theirs.texts):
                assert one not in answer.text or one in path, (method, path, one)  # what was sent may come back
            tried += 1
            if answer.status_code == 200:
                opened.add(answer.url.path)
    assert tried > 100  # a new way to hold routes must not empty this test
    public = {"/", "/sign-in", "/healthy", "/robots.txt", "/worker.js", "/you", "/account", "/api/openapi.json"}
    own = {"volunteer": r"/label(/river.*)?", "moderator": r"/label|/desk(/(post|decided))?", None: r"$"}[role]
    assert {path for path in opened if not re.fullmatch(own, path)} <= public
    assert theirs.state() == theirs.before
