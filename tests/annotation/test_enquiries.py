"""Raters ask about the posts that they were given; the coordinator replies."""

import pytest

from comoderate.annotation import NotFound, ask, enquiries, next_task, reply
from comoderate.errors import ComoderateError


def test_a_question_and_its_reply(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(1))
    first, second = c.people(db, 2)
    lease = next_task(db, first, campaign="soups").task.lease
    asked = ask(db, first, lease, "  Is soup rude?  ", now=c.NOON)
    assert (asked.text, asked.post_id, asked.reply) == ("Is soup rude?", "p0", None)
    with pytest.raises(NotFound):
        ask(db, second, lease, "And mine?")
    assert enquiries(db, open_only=True) == [asked]
    answered = reply(db, asked.enquiry_id, "Never.", actor="boss", now=c.later(hours=1))
    assert (answered.reply, answered.replied_by, answered.replied_at) == ("Never.", "boss", c.later(hours=1))
    assert enquiries(db, rater_id=first) == enquiries(db, campaign="soups") == [answered]
    assert enquiries(db, open_only=True) == enquiries(db, rater_id=second) == []
    for text in ("", " ", "x" * 2001):
        with pytest.raises(ComoderateError, match="characters"):
            ask(db, first, lease, text)
    with pytest.raises(NotFound):
        reply(db, 99, "What?", actor="boss")
