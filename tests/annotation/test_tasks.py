"""Loading, reordering and reading back the tasks of a campaign."""

import pytest

from comoderate.annotation import campaign, create_campaign, load_tasks, next_task, stream_tasks
from comoderate.errors import ComoderateError


def tasks(db):
    return {row["post_id"]: row for batch in stream_tasks(db, campaign="soups", batch=3) for row in batch}


def test_loading_twice_changes_nothing_and_changes_are_told_from_additions(db, little_campaign):
    c = little_campaign
    create_campaign(db, "soups", c.CODEBOOK)
    assert load_tasks(db, iter(c.posts(7)), campaign="soups") == (7, 0)
    assert load_tasks(db, c.posts(7), campaign="soups") == (0, 0)
    rows = c.posts(8)
    rows[2]["text"] = "Soup number 2 needs salt."
    assert load_tasks(db, rows, campaign="soups") == (1, 1)
    assert tasks(db)["p2"]["text"] == "Soup number 2 needs salt."
    assert (campaign(db, "soups").tasks, campaign(db, "soups").wanted) == (8, 24)


def test_what_is_known_of_a_post_comes_back(db, little_campaign):
    c = little_campaign
    row = {"post_id": "b", "text": "Fine soup.", "kind": "benign", "pi": 0.125, "phase": "relief", "order": 2.5}
    gold = {"post_id": "g", "text": "Bad soup.", "kind": "gold", "gold": c.VERY, "gold_note": "So it says."}
    c.start(db, [row, gold, {"post_id": "a", "text": "Soup?", "source": "assess", "overlap": 5}])
    found = tasks(db)
    assert {name: found["b"][name] for name in ("kind", "source", "phase", "order", "pi", "overlap", "done")} == {
        "kind": "benign", "source": "sample", "phase": "relief", "order": 2.5, "pi": 0.125, "overlap": 3, "done": 0,
    }  # fmt: skip
    assert (found["g"]["kind"], found["g"]["source"]) == ("gold", "gold")
    assert (found["a"]["source"], found["a"]["overlap"]) == ("assess", 5)
    assert (campaign(db, "soups").tasks, campaign(db, "soups").wanted) == (2, 8)


def test_the_order_of_posts_without_one_belongs_to_seed_and_post(db, little_campaign):
    c = little_campaign
    rows = [{"post_id": f"p{k}", "text": "Soup."} for k in range(20)]
    c.start(db, rows, seed=1)
    c.start(db, rows[::-1], name="again", seed=1)
    c.start(db, rows, name="other", seed=2)
    orders = [
        {row["post_id"]: row["order"] for batch in stream_tasks(db, campaign=name) for row in batch}
        for name in ("soups", "again", "other")
    ]
    assert orders[0] == orders[1] != orders[2]
    assert all(0 <= order < 1 for order in orders[0].values())


def test_a_raised_overlap_opens_places_and_a_lowered_one_takes_none_away(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(1), overlap=1)
    first, second = c.people(db, 2)
    assert next_task(db, first, campaign="soups", now=c.NOON).task is not None
    assert next_task(db, second, campaign="soups", now=c.NOON).task is None
    load_tasks(db, c.posts(1, overlap=2), campaign="soups")
    assert next_task(db, second, campaign="soups", now=c.NOON).task is not None
    load_tasks(db, c.posts(1, overlap=1), campaign="soups")
    assert tasks(db)["p0"]["overlap"] == 2


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"post_id": "x"}, "post_id and text"),
        ({"post_id": "x", "text": "y", "kind": "silver"}, "no kind"),
        ({"post_id": "x", "text": "y", "source": "rumour"}, "no source"),
        ({"post_id": "x", "text": "y", "kind": "gold"}, "right answers"),
        ({"post_id": "x", "text": "y", "gold": {"rude": ["no"]}}, "right answers"),
        ({"post_id": "x", "text": "y", "categories": ["salt"]}, "no category"),
    ],
)
def test_a_wrong_row_is_refused_with_its_name(sqlite_url, little_campaign, row, what):
    from comoderate.annotation import open_database

    with open_database(sqlite_url) as db:
        create_campaign(db, "soups", little_campaign.CODEBOOK)
        with pytest.raises(ComoderateError, match=what) as error:
            load_tasks(db, [row], campaign="soups")
        assert "'x'" in str(error.value)
