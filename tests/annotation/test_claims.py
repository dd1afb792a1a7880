"""Who gets which post of the queue, and what of it may be seen before a decision."""

from collections import Counter

import pytest

from comoderate.annotation import (
    DeskSettings,
    Experiment,
    NotAllowed,
    NotFound,
    ask_second,
    claim,
    create_desk,
    decide,
    desk_item,
    escalate,
    load_queue,
    release_item,
    set_desk_state,
    stream_journal,
)

SCORES = ("source", "rank", "pi", "proba", "review_score", "reason", "scorer", "threshold", "arm")


def row(k, **values):
    known = {"proba": 0.6, "review_score": 0.3, "reason": "uncertain", "scorer": "bayes@1", "threshold": 0.5, "pi": 0.1}
    return {"post_id": f"p{k}", "text": f"Soup {k}.", "rank": k, **known, **values}


def test_the_front_of_the_queue_first_and_the_same_until_decided(db, little_campaign):
    c = little_campaign
    create_desk(db, "today")
    load_queue(db, [row(2), row(1), row(3)], queue="today")
    one, two = c.people(db, 2, role="moderator")
    first = claim(db, "today", one, now=c.NOON).item
    assert (first.post_id, first.proba, first.reason, first.withheld) == ("p1", 0.6, "uncertain", False)
    assert claim(db, "today", one, now=c.NOON).item.item_id == first.item_id
    assert claim(db, "today", two, now=c.NOON).item.post_id == "p2"
    release_item(db, two, first.item_id)
    release_item(db, one, first.item_id)
    assert desk_item_refused(db, first.item_id, one)
    assert claim(db, "today", one, now=c.later(minutes=1)).item.post_id == "p1"
    assert {entry.actor for entry in stream_journal(db, event="claimed", subject="p1")} == {one}


def desk_item_refused(db, item_id, person):
    with pytest.raises(NotFound):
        desk_item(db, item_id, person)
    return True


def test_a_claim_that_runs_out_goes_to_somebody_else(db, little_campaign):
    c = little_campaign
    create_desk(db, "today", DeskSettings(claim_minutes=5))
    load_queue(db, [row(1)], queue="today")
    one, two = c.people(db, 2, role="moderator")
    item = claim(db, "today", one, now=c.NOON).item
    assert claim(db, "today", two, now=c.NOON).reason == "empty"
    assert claim(db, "today", two, now=c.later(minutes=6)).item.item_id == item.item_id
    assert desk_item_refused(db, item.item_id, one)


@pytest.mark.parametrize(("settings", "source"), [({"blind": True}, "queue"), ({}, "audit")])
def test_no_score_is_shown_before_the_decision(db, little_campaign, settings, source):
    c = little_campaign
    create_desk(db, "today", DeskSettings(**settings))
    load_queue(db, [row(1, source=source)], queue="today")
    (person,) = c.people(db, 1, role="moderator")
    item = claim(db, "today", person).item
    assert item.withheld
    assert [getattr(item, name) for name in SCORES] == [None] * len(SCORES)
    assert desk_item(db, item.item_id, person).withheld
    assert decide(db, person, item.item_id, "keep", idempotency_key="1").blind
    shown = desk_item(db, item.item_id, person)
    assert (shown.withheld, shown.stage, shown.proba, shown.source) == (False, "decided", 0.6, source)


def test_a_second_opinion_is_somebody_elses_and_sees_neither_score_nor_first_opinion(db, little_campaign):
    c = little_campaign
    create_desk(db, "today")
    load_queue(db, [row(1), row(2)], queue="today")
    one, two = c.people(db, 2, role="moderator")
    item = claim(db, "today", one).item
    ask_second(db, one, item.item_id, "keep", idempotency_key="1", note="Not sure.")
    assert claim(db, "today", one).item.post_id == "p2"
    second = claim(db, "today", two).item
    assert (second.item_id, second.stage, second.withheld, second.opinions) == (item.item_id, "second", True, ())
    assert decide(db, two, item.item_id, "remove", idempotency_key="1").blind
    assert [opinion.action for opinion in desk_item(db, item.item_id, two).opinions] == ["keep", "remove"]


def test_what_is_escalated_goes_to_those_who_settle_it_with_what_was_said(db, little_campaign):
    c = little_campaign
    create_desk(db, "today")
    load_queue(db, [row(1)], queue="today")
    person, expert = c.people(db, 1, role="moderator") + c.people(db, 1, role="expert")
    item = claim(db, "today", person).item
    escalate(db, person, item.item_id, note="Ask a cook.", idempotency_key="1")
    with pytest.raises(NotAllowed):
        claim(db, "today", person, escalated=True)
    up = claim(db, "today", expert, escalated=True).item
    assert (up.stage, up.opinions[0].action, up.opinions[0].note) == ("escalated", "escalate", "Ask a cook.")


def test_volunteers_do_not_moderate_and_a_paused_desk_gives_nothing(db, little_campaign):
    c = little_campaign
    create_desk(db, "today", DeskSettings(capacity=0))
    load_queue(db, [row(1)], queue="today")
    volunteer, person = c.people(db, 1) + c.people(db, 1, role="moderator")
    with pytest.raises(NotAllowed):
        claim(db, "today", volunteer)
    assert claim(db, "today", person).reason == "capacity"
    set_desk_state(db, "today", "paused")
    assert claim(db, "today", person).reason == "paused"


def test_an_experiment_follows_both_orders_with_the_known_probability(db, little_campaign):
    c = little_campaign
    create_desk(db, "today", DeskSettings(experiment=Experiment(a="doubt", b="random", probability_a=0.5)))
    queue = [row(k, rank_b=100 - k) for k in range(1, 41)]
    audits = [row(f"a{k}", rank=k * 10 + 0.5, source="audit") for k in range(2)]
    load_queue(db, [*queue, *audits, row(99, rank=None, rank_b=0.5)], queue="today")
    (person,) = c.people(db, 1, role="moderator")
    arms = Counter()
    for turn in range(43):
        item = claim(db, "today", person).item
        made = decide(db, person, item.item_id, "keep", idempotency_key=str(turn))
        arms[made.arm] += 1
        if made.arm is not None:
            assert item.rank == (int(item.post_id[1:]) if made.arm == "doubt" else made_rank(item.post_id))
            assert made.arm_probability in {0.5, 1.0}
    assert arms[None] == 2
    assert min(arms["doubt"], arms["random"]) >= 9


def made_rank(post_id):
    return 0.5 if post_id == "p99" else 100 - int(post_id[1:])
