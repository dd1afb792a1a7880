"""Queues on the review desk: loading, replacing, and counting."""

import pytest

from comoderate.annotation import (
    DeskSettings,
    Experiment,
    NotFound,
    claim,
    create_desk,
    decide,
    desk,
    desk_progress,
    desks,
    load_queue,
    set_desk_state,
)
from comoderate.errors import ComoderateError


def rows(ranks, **values):
    return [{"post_id": f"p{k}", "text": f"Soup {k}.", "rank": k, "proba": 0.5, **values} for k in ranks]


def test_a_desk_comes_back_and_its_rules_can_change(db):
    made = create_desk(db, "today", DeskSettings(capacity=5, experiment=Experiment(a="x", b="y")))
    assert desk(db, "today") == made
    assert create_desk(db, "today", DeskSettings(capacity=7)).settings.capacity == 7
    assert [found.queue for found in desks(db)] == ["today"]
    assert set_desk_state(db, "today", "paused").state == "paused"
    with pytest.raises(NotFound):
        desk(db, "tomorrow")


def test_a_newer_queue_takes_the_place_of_what_nobody_decided(db, little_campaign):
    c = little_campaign
    create_desk(db, "today")
    person, other = c.people(db, 2, role="moderator")
    assert load_queue(db, rows(range(4)), queue="today", now=c.NOON) == (4, 0)
    first = claim(db, "today", person, now=c.NOON).item
    decide(db, person, first.item_id, "keep", idempotency_key="1", now=c.NOON)
    held = claim(db, "today", person, now=c.NOON).item
    assert load_queue(db, rows([0, 3, 9, 8], text="New."), queue="today", now=c.NOON) == (2, 2)
    progress = desk_progress(db, "today", now=c.NOON)
    assert (progress.waiting, progress.claimed, progress.decided, progress.decided_today) == (4, 1, 1, 1)
    seen = []
    while (item := claim(db, "today", other, now=c.NOON).item) is not None:
        seen.append((item.post_id, item.text))
        decide(db, other, item.item_id, "keep", idempotency_key=item.post_id, now=c.NOON)
    assert seen == [("p3", "New."), ("p8", "New."), ("p9", "New.")]
    assert held.post_id == "p1"
    load_queue(db, rows([2]), queue="today", replace=False, now=c.NOON)
    assert desk_progress(db, "today", now=c.NOON).waiting == 2


def test_one_post_may_stand_on_a_desk_for_several_targets(db, little_campaign):
    create_desk(db, "today")
    load_queue(db, [*rows([1], target="rude"), *rows([1], target="spam")], queue="today")
    assert desk_progress(db, "today").waiting == 2


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"post_id": "x", "rank": 1}, "post_id and text"),
        ({"post_id": "x", "text": "y"}, "rank"),
        ({"post_id": "x", "text": "y", "rank": 1, "source": "gold"}, "neither queue nor audit"),
        ({"post_id": "x", "text": "y", "rank": 1, "source": "audit"}, "pi"),
        ({"post_id": "x", "text": "y", "rank": 1, "readings": 0}, "one or two moderators"),
        ({"post_id": "x", "text": "y", "rank": 1, "readings": "two"}, "one or two moderators"),
    ],
)
def test_a_wrong_row_changes_nothing(sqlite_url, row, what):
    from comoderate.annotation import open_database

    with open_database(sqlite_url) as db:
        create_desk(db, "today")
        with pytest.raises(ComoderateError, match=what):
            load_queue(db, [*rows([1]), row], queue="today")
        assert desk_progress(db, "today").waiting == 0
