"""Decisions are stored once with what led to them, can be taken back, and come from elsewhere too."""

import pytest

from comoderate.annotation import (
    Conflict,
    DeskSettings,
    NotAllowed,
    NotFound,
    ask_second,
    claim,
    count_decisions,
    create_desk,
    decide,
    desk_progress,
    escalate,
    load_queue,
    push_decision,
    stream_decisions,
    undo_decision,
)
from comoderate.errors import ComoderateError


@pytest.fixture
def two(db, little_campaign):
    create_desk(db, "today", DeskSettings(actions=("remove", "keep", "warn")))
    rows = [{"post_id": f"p{k}", "text": "Salty.", "rank": k, "proba": 0.25, "scorer": "b@1"} for k in range(6)]
    load_queue(db, rows, queue="today")
    return little_campaign.people(db, 2, role="moderator")


def test_a_decision_says_what_led_to_it(db, two, little_campaign):
    c = little_campaign
    item = claim(db, "today", two[0], now=c.NOON).item
    made = decide(db, two[0], item.item_id, "warn", idempotency_key="k", seconds=8, note="Mild.", now=c.NOON)
    assert (made.post_id, made.action, made.actor, made.source, made.stage) == ("p0", "warn", two[0], "queue", "first")
    assert (made.scorer, made.proba, made.seconds, made.note, made.blind) == ("b@1", 0.25, 8.0, "Mild.", False)
    assert made.decided_at == c.NOON
    assert decide(db, two[0], item.item_id, "keep", idempotency_key="k", now=c.NOON) == made
    assert list(stream_decisions(db)) == list(stream_decisions(db, queue="today")) == [made]
    assert list(stream_decisions(db, after=made.decision_id)) == list(stream_decisions(db, queue="x")) == []


def test_own_decisions_are_counted_as_they_stand(db, two):
    for n in range(3):
        decide(db, two[0], claim(db, "today", two[0]).item.item_id, "keep", idempotency_key=str(n))
    escalate(db, two[0], claim(db, "today", two[0]).item.item_id, note="Is it?", idempotency_key="e")
    assert count_decisions(db, two[0], queue="today") == 3
    undo_decision(db, two[0], queue="today")  # of the escalation
    undo_decision(db, two[0], queue="today")
    assert count_decisions(db, two[0], queue="today") == 2
    assert count_decisions(db, two[1], queue="today") == count_decisions(db, two[0], queue="x") == 0


def test_only_who_has_the_post_decides_and_only_what_the_desk_knows(db, two):
    item = claim(db, "today", two[0]).item
    with pytest.raises(Conflict, match="not with you"):
        decide(db, two[1], item.item_id, "keep", idempotency_key="1")
    with pytest.raises(ComoderateError, match="no action"):
        decide(db, two[0], item.item_id, "burn", idempotency_key="1")
    with pytest.raises(ComoderateError, match="key"):
        decide(db, two[0], item.item_id, "keep", idempotency_key="")
    with pytest.raises(NotFound):
        decide(db, two[0], 999, "keep", idempotency_key="1")
    decide(db, two[0], item.item_id, "keep", idempotency_key="1")
    with pytest.raises(Conflict):
        decide(db, two[0], item.item_id, "remove", idempotency_key="2")


def test_the_last_decision_can_be_taken_back_and_the_next_one_is_not_blind(db, little_campaign):
    c = little_campaign
    create_desk(db, "blind", DeskSettings(blind=True))
    load_queue(db, [{"post_id": "p", "text": "Salty.", "rank": 1}], queue="blind")
    (person,) = c.people(db, 1, role="moderator")
    assert undo_decision(db, person, queue="blind") is None
    item = claim(db, "blind", person).item
    assert decide(db, person, item.item_id, "keep", idempotency_key="1").blind
    back = undo_decision(db, person, queue="blind")
    assert (back.item_id, back.stage) == (item.item_id, "first")
    assert list(stream_decisions(db)) == []
    assert desk_progress(db, "blind").decided_today == 0
    assert not decide(db, person, item.item_id, "remove", idempotency_key="2").blind
    assert [made.action for made in stream_decisions(db)] == ["remove"]


def test_what_somebody_decided_further_on_is_not_taken_back(db, two, little_campaign):
    item = claim(db, "today", two[0]).item
    ask_second(db, two[0], item.item_id, "keep", idempotency_key="1")
    held = claim(db, "today", two[1]).item
    assert undo_decision(db, two[0], queue="today") is None
    decide(db, two[1], held.item_id, "remove", idempotency_key="1")
    assert undo_decision(db, two[0], queue="today") is None
    assert undo_decision(db, two[1], queue="today").stage == "second"


def test_chance_calls_for_second_opinions_and_disagreement_may_go_up(db, little_campaign):
    c = little_campaign
    create_desk(db, "q", DeskSettings(second_rate=1, escalate_disagreement=True))
    load_queue(db, [{"post_id": f"p{k}", "text": "Salty.", "rank": k} for k in range(2)], queue="q")
    one, two = c.people(db, 2, role="moderator")
    for k in range(2):
        decide(db, one, claim(db, "q", one).item.item_id, "keep", idempotency_key=str(k))
    assert claim(db, "q", one).reason == "empty"
    for action in ("keep", "remove"):
        decide(db, two, claim(db, "q", two).item.item_id, action, idempotency_key=action)
    progress = desk_progress(db, "q")
    assert (progress.second, progress.escalated, progress.decided) == (0, 1, 1)
    (expert,) = c.people(db, 1, role="expert")
    up = claim(db, "q", expert, escalated=True).item
    with pytest.raises(NotAllowed):
        decide(db, one, up.item_id, "keep", idempotency_key="9")
    with pytest.raises(Conflict, match="already"):
        escalate(db, expert, up.item_id, note="Higher?", idempotency_key="9")
    assert decide(db, expert, up.item_id, "keep", idempotency_key="9").stage == "escalated"


def test_a_post_that_two_are_to_read_is_decided_by_two(db, little_campaign):
    c = little_campaign
    create_desk(db, "q", DeskSettings(blind=True))
    load_queue(
        db,
        [{"post_id": f"p{k}", "text": "Salty.", "rank": k, "proba": 0.5, "readings": 2 - k} for k in range(2)],
        queue="q",
    )
    one, two = c.people(db, 2, role="moderator")
    for k in range(2):
        decide(db, one, claim(db, "q", one).item.item_id, "keep", idempotency_key=str(k))
    assert claim(db, "q", one).reason == "empty"  # the second reader is somebody else
    progress = desk_progress(db, "q")
    assert (progress.second, progress.decided, progress.decided_today) == (1, 1, 2)
    again = claim(db, "q", two).item
    assert (again.post_id, again.stage, again.withheld, again.opinions) == ("p0", "second", True, ())
    made = decide(db, two, again.item_id, "remove", idempotency_key="0")
    assert (made.stage, made.blind) == ("second", True)
    assert desk_progress(db, "q").decided == 2
    assert undo_decision(db, two, queue="q").stage == "second"


@pytest.mark.parametrize(("third", "stage"), [("remove", "decided"), ("keep", "decided"), ("warn", "escalated")])
def test_two_who_disagree_send_a_post_to_a_third_who_makes_the_majority(db, little_campaign, third, stage):
    c = little_campaign
    create_desk(db, "q", DeskSettings(actions=("remove", "keep", "warn"), third_reader=True))
    load_queue(db, [{"post_id": "p", "text": "Salty.", "rank": 1, "proba": 0.5, "readings": 2}], queue="q")
    people = c.people(db, 3, role="moderator")
    for who, said in zip(people, ("keep", "remove"), strict=False):
        decide(db, who, claim(db, "q", who).item.item_id, said, idempotency_key="1")
    progress = desk_progress(db, "q")
    assert (progress.second, progress.third, progress.escalated, progress.decided) == (0, 1, 0, 0)
    assert [claim(db, "q", who).reason for who in people[:2]] == ["empty", "empty"]  # it is somebody else's
    item = claim(db, "q", people[2]).item
    assert (item.stage, item.withheld, item.opinions) == ("third", True, ())
    assert undo_decision(db, people[1], queue="q") is None  # it is being read
    made = decide(db, people[2], item.item_id, third, idempotency_key="1")
    assert (made.stage, made.blind) == ("third", True)
    progress = desk_progress(db, "q")
    assert (progress.third, getattr(progress, stage)) == (0, 1)
    assert undo_decision(db, people[2], queue="q").stage == "third"


def test_two_who_agree_need_no_third_and_a_second_decision_can_be_taken_back_from_the_third(db, little_campaign):
    c = little_campaign
    create_desk(db, "q", DeskSettings(second_rate=1, third_reader=True))
    load_queue(db, [{"post_id": "p", "text": "Salty.", "rank": 1}], queue="q")
    one, two = c.people(db, 2, role="moderator")
    decide(db, one, claim(db, "q", one).item.item_id, "keep", idempotency_key="1")
    decide(db, two, claim(db, "q", two).item.item_id, "remove", idempotency_key="1")
    assert desk_progress(db, "q").third == 1
    item = undo_decision(db, two, queue="q")
    assert item.stage == "second"
    decide(db, two, item.item_id, "keep", idempotency_key="2")
    progress = desk_progress(db, "q")
    assert (progress.third, progress.decided) == (0, 1)


def test_decisions_made_elsewhere_come_in_once_and_take_the_post_off(db, two, little_campaign):
    c = little_campaign
    row = {"post_id": "p1", "action": "remove", "actor": "bot", "source": "appeal", "decided_at": c.NOON}
    made = push_decision(db, row, queue="today", idempotency_key="a")
    assert (made.stage, made.source, made.decided_at, made.item_id) == ("pushed", "appeal", c.NOON, None)
    assert push_decision(db, row, queue="today", idempotency_key="a") == made
    assert [claim(db, "today", person).item.post_id for person in two] == ["p0", "p2"]
    for wrong, what in (
        ({"post_id": "p"}, "needs action"),
        ({**row, "mood": 1}, "no 'mood'"),
        ({**row, "source": "x"}, "none of"),
    ):
        with pytest.raises(ComoderateError, match=what):
            push_decision(db, wrong, queue="today", idempotency_key="b")
