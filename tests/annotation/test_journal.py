"""The journal keeps what it is told, in order, and tells who saw a post."""

from comoderate.annotation import (
    claim,
    create_desk,
    decide,
    load_queue,
    next_task,
    reveal,
    stream_journal,
    submit,
    who_saw,
    write_journal,
)


def test_lines_come_back_in_order_and_by_what_they_say(db, little_campaign):
    c = little_campaign
    write_journal(db, "logged in", actor="a", role="coordinator", detail={"way": "password"}, now=c.NOON)
    write_journal(db, "exported", actor="b", subject="p1", campaign="soups")
    write_journal(db, "logged in", actor="b")
    first, second, third = stream_journal(db)
    assert (first.event, first.at, first.detail, first.role) == (
        "logged in",
        c.NOON,
        {"way": "password"},
        "coordinator",
    )
    assert (second.subject, second.campaign, second.detail) == ("p1", "soups", {})
    assert list(stream_journal(db, event="logged in")) == [first, third]
    assert list(stream_journal(db, actor="b", after=second.number)) == [third]
    assert list(stream_journal(db, subject="p1", limit=5)) == [second]
    assert list(stream_journal(db, limit=2)) == [first, second]
    assert list(stream_journal(db, limit=2, newest=True)) == [third, second]
    assert list(stream_journal(db, after=second.number, newest=True)) == [first]
    assert list(stream_journal(db, actor="b", newest=True)) == [third, second]


def test_all_who_were_shown_a_post_are_named(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(1), overlap=2)
    one, two = c.people(db, 2)
    (moderator,) = c.people(db, 1, role="moderator")
    lease = next_task(db, one, campaign="soups", now=c.NOON).task.lease
    reveal(db, one, lease, now=c.later(seconds=1))
    submit(db, one, lease, c.NO, idempotency_key="k", now=c.later(seconds=2))
    next_task(db, two, campaign="soups", now=c.later(seconds=3))
    create_desk(db, "q")
    load_queue(db, [{"post_id": "p0", "text": "Salty.", "rank": 1}], queue="q")
    item = claim(db, "q", moderator, now=c.later(seconds=4)).item
    decide(db, moderator, item.item_id, "keep", idempotency_key="k", now=c.later(seconds=5))
    assert [(found.rater_id, found.what) for found in who_saw(db, "p0")] == [
        (one, "answered"),
        (one, "revealed"),
        (two, "open"),
        (moderator, "claimed"),
        (moderator, "keep"),
    ]
