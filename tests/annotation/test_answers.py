"""Answers are stored whole and once, whatever is hidden, late, sent twice or taken back."""

import pytest

from comoderate.annotation import (
    Conflict,
    create_campaign,
    next_task,
    rater_progress,
    reveal,
    set_campaign_state,
    skip,
    stream_annotations,
    stream_journal,
    submit,
    take_break,
    undo,
    who_saw,
)
from comoderate.annotation.answers import checked
from comoderate.errors import ComoderateError


@pytest.fixture
def c(db, little_campaign):
    little_campaign.start(db, little_campaign.posts(5), overlap=2, lease_minutes=10, break_every=2)
    return little_campaign


def rows(db, **which):
    return [row for batch in stream_annotations(db, **which) for row in batch]


def take(db, c, rater, at=None):
    return next_task(db, rater, campaign="soups", now=at or c.NOON).task


def test_a_row_for_each_answer_with_who_when_and_how_long(db, c):
    (rater,) = c.people(db, 1)
    receipt = submit(
        db, rater, take(db, c, rater).lease, c.VERY, idempotency_key="k", seconds=7.5, now=c.later(seconds=9)
    )
    assert (receipt.status, receipt.exposed, receipt.exposure_today, receipt.break_due) == ("stored", True, 1, False)
    found = rows(db)
    assert [(row["question"], row["answer"]) for row in found] == [
        ("rude", "very"),
        ("about", "weather"),
        ("about", "cooking"),
    ]
    first = {name: found[0][name] for name in ("post_id", "codebook", "source", "cohort", "campaign", "seconds")}
    assert tuple(first.values()) == ("p0", "rudeness@1", "sample", "volunteers", "soups", 7.5)
    assert found[0]["rater_id"] == rater


def test_answers_to_hidden_follow_ups_are_dropped(db, c):
    (rater,) = c.people(db, 1)
    given = {"about": ["weather"], "rude": ["no"], "remark": ["  "]}
    receipt = submit(db, rater, take(db, c, rater).lease, given, idempotency_key="k", now=c.NOON)
    assert receipt.dropped == ("about",)
    assert [row["question"] for row in rows(db)] == ["rude"]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"rude": ["yes"]}, "no answer to 'rude'"),
        ({"rude": ["no", "very"]}, "takes one answer"),
        ({"rude": ["very"]}, "'about' is not answered"),
        ({}, "'rude' is not answered"),
        ({"mood": ["good"]}, "no question"),
        ({"rude": ["no"], "remark": ["x" * 2001]}, "longer than 2000"),
    ],
)
def test_wrong_answers_are_refused_in_one_line(little_campaign, given, what):
    with pytest.raises(ComoderateError, match=what):
        checked(little_campaign.CODEBOOK, given)


def test_nothing_of_a_refused_answer_is_stored(db, c):
    (rater,) = c.people(db, 1)
    lease = take(db, c, rater).lease
    with pytest.raises(ComoderateError):
        submit(db, rater, lease, {"rude": ["very"]}, idempotency_key="k", now=c.NOON)
    with pytest.raises(ComoderateError, match="key"):
        submit(db, rater, lease, c.NO, idempotency_key="", now=c.NOON)
    with pytest.raises(Conflict, match="rudeness@1"):
        submit(db, rater, lease, c.NO, idempotency_key="k", codebook="rudeness@2", now=c.NOON)
    assert not rows(db)
    assert submit(db, rater, lease, c.NO, idempotency_key="k", now=c.NOON).status == "stored"


def test_the_same_key_again_stores_nothing_and_gives_the_first_receipt(db, c):
    first, second = c.people(db, 2)
    lease = take(db, c, first).lease
    receipt = submit(db, first, lease, c.VERY, idempotency_key="k", now=c.NOON)
    again = submit(db, first, lease, c.NO, idempotency_key="k", now=c.later(days=3))
    assert again.repeated
    assert (again.status, again.exposed, again.exposure_today) == (receipt.status, True, 1)
    assert len(rows(db)) == 3
    assert submit(db, second, take(db, c, second).lease, c.NO, idempotency_key="k", now=c.NOON).status == "stored"


def test_a_second_tab_with_another_key_changes_nothing(db, c):
    (rater,) = c.people(db, 1)
    lease = take(db, c, rater).lease
    submit(db, rater, lease, c.NO, idempotency_key="one", now=c.NOON)
    assert submit(db, rater, lease, c.VERY, idempotency_key="two", now=c.NOON).status == "already"
    assert [row["answer"] for row in rows(db)] == ["no"]


def test_an_answer_after_the_lease_counts_while_a_place_is_free(db, c):
    slow, second, third = c.people(db, 3)
    lease = take(db, c, slow).lease
    late = c.later(minutes=30)
    for rater in (second, third):  # p0 is wanted twice: it came back, and both places are taken again
        submit(db, rater, take(db, c, rater, late).lease, c.NO, idempotency_key="k", now=late)
    assert submit(db, slow, lease, c.NO, idempotency_key="k", now=late).status == "late"
    assert len(rows(db)) == 2
    lease = take(db, c, slow, late).lease
    take(db, c, second, c.later(minutes=60))  # gives back what ran out
    assert submit(db, slow, lease, c.NO, idempotency_key="k2", now=c.later(minutes=60)).status == "stored"


def test_an_answer_after_a_skip_counts_while_a_place_is_free(db, c):
    (rater,) = c.people(db, 1)
    lease = take(db, c, rater).lease
    skip(db, rater, lease, now=c.NOON)
    skip(db, rater, lease, now=c.NOON)
    assert rater_progress(db, rater, campaign="soups", now=c.NOON).skipped == 1
    assert submit(db, rater, lease, c.NO, idempotency_key="k", now=c.NOON).status == "stored"


def test_a_closed_campaign_takes_the_answers_to_what_it_gave_out(db, c):
    (rater,) = c.people(db, 1)
    lease = take(db, c, rater).lease
    set_campaign_state(db, "soups", "closed")
    assert submit(db, rater, lease, c.NO, idempotency_key="k", now=c.NOON).status == "stored"


def test_the_last_answer_can_be_taken_back_and_given_anew(db, c):
    (rater,) = c.people(db, 1)
    assert undo(db, rater, campaign="soups") is None
    text = take(db, c, rater).text
    submit(db, rater, take(db, c, rater).lease, c.VERY, idempotency_key="k", seconds=4, now=c.NOON)
    back = undo(db, rater, campaign="soups", now=c.later(minutes=1))
    assert (back.text, back.previous) == (text, c.VERY)
    assert not rows(db)
    assert len(rows(db, history=True)) == 6
    assert take(db, c, rater, c.later(minutes=1)).lease == back.lease
    progress = rater_progress(db, rater, campaign="soups", now=c.NOON)
    assert (progress.answered, progress.seconds, progress.exposure_today) == (0, 0, 1)
    submit(db, rater, back.lease, c.NO, idempotency_key="k2", now=c.later(minutes=2))
    assert [row["answer"] for row in rows(db)] == ["no"]
    undo(db, rater, campaign="soups", now=c.later(minutes=3))
    assert undo(db, rater, campaign="soups", now=c.later(minutes=3)) is None


def test_a_burden_that_is_answered_anew_counts_once(db, c):
    (rater,) = c.people(db, 1)
    submit(db, rater, take(db, c, rater).lease, c.VERY, idempotency_key="1", now=c.NOON)
    again = undo(db, rater, campaign="soups", now=c.NOON).lease
    receipt = submit(db, rater, again, c.VERY, idempotency_key="2", now=c.NOON)
    assert (receipt.exposed, receipt.exposure_today) == (True, 1)
    submit(db, rater, take(db, c, rater).lease, c.VERY, idempotency_key="3", now=c.NOON)
    assert rater_progress(db, rater, campaign="soups", now=c.NOON).exposure == 2


def test_an_answer_taken_back_leaves_its_place_to_its_rater(db, c):
    first, second, third = c.people(db, 3)
    for rater in (first, second):
        submit(db, rater, take(db, c, rater).lease, c.NO, idempotency_key="k", now=c.NOON)
    lease = undo(db, first, campaign="soups", now=c.NOON).lease
    assert "number 1" in take(db, c, third).text
    assert submit(db, first, lease, c.NO, idempotency_key="k2", now=c.NOON).status == "stored"


def test_breaks_are_due_after_so_many_posts(db, c):
    (rater,) = c.people(db, 1)

    def due(key):
        return submit(db, rater, take(db, c, rater).lease, c.NO, idempotency_key=key, now=c.NOON).break_due

    assert [due("1"), due("2"), due("3")] == [False, True, True]
    take_break(db, rater, campaign="soups", now=c.NOON)
    assert [due("4"), due("5")] == [False, True]


def test_what_a_rater_revealed_is_in_the_journal(db, c):
    (rater,) = c.people(db, 1)
    lease = take(db, c, rater).lease
    reveal(db, rater, lease)
    (entry,) = stream_journal(db, event="revealed")
    assert (entry.actor, entry.subject, entry.campaign) == (rater, "p0", "soups")
    assert {sighting.what for sighting in who_saw(db, "p0")} == {"open", "revealed"}


def test_gold_is_counted_apart_and_marked_in_the_annotations(db, little_campaign):
    c = little_campaign
    rows_ = [{"post_id": f"g{k}", "text": "Gold", "kind": "gold", "gold": c.VERY} for k in range(8)] + c.posts(20)
    c.start(db, rows_, gold_rate=0.5)
    (rater,) = c.people(db, 1)
    for k in range(20):
        offered = next_task(db, rater, campaign="soups", now=c.NOON).task
        right = {"rude": ["very"], "about": ["cooking", "weather"]} if k % 2 else c.NO
        submit(db, rater, offered.lease, right, idempotency_key=str(k), now=c.NOON)
    progress = rater_progress(db, rater, campaign="soups", now=c.NOON)
    gold = rows(db, sources=["gold"], question="rude")
    assert progress.gold_seen == len(gold) > 0  # at a rate of one half, 20 times none is one in a million
    assert progress.gold_right == sum(row["answer"] == "very" for row in gold)
    assert progress.answered == 20 - len(gold)
    assert progress.answered_today == 20


def test_a_changed_codebook_never_takes_answers_for_the_old_one(db, c):
    changed = c.CODEBOOK.model_copy(update={"version": "2"})
    with pytest.raises(Conflict, match="never mixed"):
        create_campaign(db, "soups", changed)
