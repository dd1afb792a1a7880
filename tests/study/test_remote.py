"""Pages and pushes that the API hands on."""

import pytest

from comoderate.annotation import open_database
from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.remote import annotations_page, decisions_page, push_decisions, queue_page


def pages(read):
    """All items of a list, page by page."""
    items, after = [], 0
    while after is not None:
        page = read(after)
        items += page.items
        after = page.next
    return items


def test_pages_hold_everything_once(ran):
    study = Study.open(ran)
    queue = pages(lambda after: queue_page(study, after=after, limit=7, scores=False))
    assert [one["post_id"] for one in queue] == study.queue()["post_id"].tolist()
    assert set(queue[0]) == {"rank", "post_id", "target", "text"}
    assert "source" in queue_page(study, after=0, limit=1, scores=True).items[0]
    with open_database(study.store_url) as db:
        notes = pages(lambda after: annotations_page(study, db, after=after, limit=500))
        assert len(notes) == len(study.annotations())
        assert annotations_page(study, db, after=10**9, limit=5) == ([], None)
        assert decisions_page(db, after=0, limit=5).items == []


def test_decisions_are_checked_before_any_is_stored(changing):
    study = Study.open(changing)
    post = study.queue()["post_id"].iloc[0]
    good = {"post_id": post, "decision": "negative", "moderator": "kim"}
    with open_database(study.store_url) as db:
        for bad in ({"decision": "Maybe"}, {"post_id": "nowhere"}):
            with pytest.raises(ComoderateError):
                push_decisions(study, db, [good, {**good, **bad}])
        assert decisions_page(db, after=0, limit=5).items == []
        assert push_decisions(study, db, [good, good]) == 2
        found = decisions_page(db, after=0, limit=5).items
        assert [(one["actor"], one["decision"]) for one in found] == [("api/kim", "No")]


def test_without_a_queue_there_is_nothing_to_read(fresh):
    with pytest.raises(ComoderateError, match="no queue"):
        queue_page(Study.open(fresh), after=0, limit=5, scores=False)
