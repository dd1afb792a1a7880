"""Who gets which post: overlap, leases, order, mixing in, opting out, and the reasons for giving none."""

from collections import Counter
from itertools import count

import pytest

from comoderate.annotation import (
    NotFound,
    change_campaign,
    expire_leases,
    load_tasks,
    next_task,
    record_qualification,
    record_tutorial,
    release_leases,
    reorder_tasks,
    set_campaign_state,
    skip,
    stream_annotations,
    submit,
    task,
    update_rater,
    withdraw_tasks,
)

KEYS = count()


def give(db, c, rater_id, at, *, campaign="soups", answers=None, **more):
    """The rater takes a post and answers it at once; its text, or the reason for none."""
    offer = next_task(db, rater_id, campaign=campaign, now=at, **more)
    if offer.task is None:
        return offer.reason
    submit(db, rater_id, offer.task.lease, answers or c.NO, idempotency_key=str(next(KEYS)), now=at)
    return offer.task.text


def number(text):
    return int(text.split("number ")[1].split()[0])


def test_every_post_goes_to_so_many_raters_and_no_more_in_order(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(4), overlap=2)
    first, second, third = c.people(db, 3)
    assert [number(give(db, c, first, c.NOON)) for _ in range(4)] == [0, 1, 2, 3]
    assert [number(give(db, c, second, c.NOON)) for _ in range(4)] == [0, 1, 2, 3]
    assert give(db, c, first, c.NOON) == give(db, c, third, c.NOON) == "done"
    votes = Counter(row["post_id"] for rows in stream_annotations(db) for row in rows)
    assert votes == dict.fromkeys(("p0", "p1", "p2", "p3"), 2)


def test_the_same_post_comes_until_it_is_answered(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(3))
    (rater,) = c.people(db, 1)
    one = next_task(db, rater, campaign="soups", now=c.NOON).task
    again = next_task(db, rater, campaign="soups", now=c.later(minutes=5)).task
    assert again.lease == one.lease
    assert again.expires_at > one.expires_at
    assert task(db, rater, one.lease).text == one.text


def test_a_stock_of_posts_can_be_held_to_work_offline(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(5), hold=3)
    (rater,) = c.people(db, 1)
    held = []
    for _ in range(3):
        held.append(next_task(db, rater, campaign="soups", holding=held, now=c.NOON).task.lease)
    assert len(set(held)) == 3
    assert next_task(db, rater, campaign="soups", holding=held, now=c.NOON).reason == "held"
    assert next_task(db, rater, campaign="soups", holding=held[:1], now=c.NOON).task.lease in held[1:]


def test_a_lease_that_runs_out_comes_back_to_others_first_and_to_its_rater_too(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(2), overlap=1, lease_minutes=10)
    slow, quick = c.people(db, 2)
    lease = next_task(db, slow, campaign="soups", now=c.NOON).task.lease
    assert number(give(db, c, quick, c.NOON)) == 1
    assert next_task(db, quick, campaign="soups", now=c.NOON).reason == "later"
    late = c.later(minutes=11)
    assert expire_leases(db, now=late) == 1
    again = next_task(db, slow, campaign="soups", now=late).task
    assert number(again.text) == 0
    assert again.lease == lease
    assert release_leases(db, slow, campaign="soups", now=late) == 1
    assert number(give(db, c, quick, late)) == 0
    assert give(db, c, slow, late) == "done"


def test_a_skipped_post_goes_to_others_only(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(1), overlap=1)
    first, second = c.people(db, 2)
    skip(db, first, next_task(db, first, campaign="soups", now=c.NOON).task.lease, now=c.NOON)
    assert next_task(db, first, campaign="soups", now=c.NOON).reason == "done"
    assert number(give(db, c, second, c.NOON)) == 0


def test_nobody_sees_another_raters_task(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(1))
    first, second = c.people(db, 2)
    lease = next_task(db, first, campaign="soups", now=c.NOON).task.lease
    for act in (task, skip):
        with pytest.raises(NotFound):
            act(db, second, lease)
    with pytest.raises(NotFound):
        submit(db, second, lease, c.NO, idempotency_key="k")
    with pytest.raises(NotFound):
        next_task(db, "nobody", campaign="soups")
    with pytest.raises(NotFound):
        next_task(db, first, campaign="stews")


def test_the_reasons_for_giving_nothing(db, little_campaign):
    c = little_campaign
    rules = {"needs_tutorial": True, "needs_qualification": True, "cohorts": ("volunteers", "more")}
    c.start(db, c.posts(9), state="paused", exposure_cap=1, **rules)
    (rater,) = c.people(db, 1, cohort="strangers")
    label = c.CODEBOOK.label

    def reason():
        return next_task(db, rater, campaign="soups", now=c.NOON).reason

    assert reason() == "paused"
    set_campaign_state(db, "soups", "open")
    assert reason() == "cohort"
    update_rater(db, rater, cohort="volunteers", active=False)
    assert reason() == "barred"
    update_rater(db, rater, active=True)
    assert reason() == "tutorial"
    record_tutorial(db, rater, codebook=label)
    assert reason() == "qualification"
    record_qualification(db, rater, codebook=label, score=0.4, passed=False)
    assert reason() == "qualification"
    record_qualification(db, rater, codebook=label, score=0.9, passed=True)
    assert give(db, c, rater, c.NOON, answers=c.VERY).startswith("Your soup")
    assert reason() == "cap"
    assert next_task(db, rater, campaign="soups", now=c.later(days=1)).task is not None
    set_campaign_state(db, "soups", "closed")
    assert reason() == "closed"


def test_a_rater_who_has_not_agreed_gets_nothing(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(1))
    from comoderate.annotation import add_rater

    assert next_task(db, add_rater(db).rater_id, campaign="soups").reason == "consent"
    expert = c.people(db, 1, role="expert")[0]
    assert next_task(db, expert, campaign="soups").reason == "cohort"


def test_gold_and_relief_are_mixed_in_at_their_rates_and_cannot_be_told_apart(db, little_campaign):
    c = little_campaign
    gold = [{"post_id": f"g{k}", "text": f"Gold number {k} here", "kind": "gold", "gold": c.NO} for k in range(30)]
    benign = [{"post_id": f"b{k}", "text": f"Benign number {k} here", "kind": "benign", "pi": 0.25} for k in range(60)]
    c.start(db, [*c.posts(150), *gold, *benign], gold_rate=0.1, benign_rate=0.2, overlap=4)
    raters = c.people(db, 4)
    kinds = Counter(give(db, c, rater, c.NOON).split()[0] for rater in raters for _ in range(120))
    # raters' identifiers are drawn anew each time, and with them what is mixed in: five standard deviations
    assert 15 < kinds["Gold"] < 81  # 48 expected
    assert 52 < kinds["Benign"] < 140  # 96 expected
    fields = next_task(db, raters[0], campaign="soups", now=c.NOON).task.__dataclass_fields__
    assert not {"kind", "gold", "post_id", "source", "pi"} & set(fields)


def test_gold_may_go_to_everybody(db, little_campaign):
    c = little_campaign
    gold = [{"post_id": "g", "text": "Gold number 0 here", "kind": "gold", "gold": c.NO}]
    c.start(db, [*c.posts(40), *gold], gold_rate=0.5, overlap=9)
    for rater in c.people(db, 4):
        seen = [give(db, c, rater, c.NOON) for _ in range(20)]
        assert seen.count("Gold number 0 here") == 1


def test_what_a_rater_opted_out_of_is_not_given(db, little_campaign):
    c = little_campaign
    rows = c.posts(6)
    for row in rows[:4]:
        row["categories"] = ["salt"] if row["post_id"] in {"p0", "p2"} else ["pepper", "salt"]
    c.start(db, rows, categories=("pepper", "salt"), overlap=1)
    (rater,) = c.people(db, 1)
    update_rater(db, rater, opted_out=["pepper"])
    assert [number(give(db, c, rater, c.NOON)) for _ in range(4)] == [0, 2, 4, 5]
    assert give(db, c, rater, c.NOON) == "done"
    update_rater(db, rater, opted_out=[])
    assert number(give(db, c, rater, c.NOON)) == 1


def test_tiers_come_before_the_order_and_the_order_can_change(db, little_campaign):
    c = little_campaign
    rows = [dict(row, tier=int(row["post_id"] in {"p0", "p1"})) for row in c.posts(4)]
    c.start(db, rows, overlap=1)
    (rater,) = c.people(db, 1)
    assert number(give(db, c, rater, c.NOON)) == 2
    assert reorder_tasks(db, [("p0", 5), ("p1", 1), ("p3", 3), ("nowhere", 9)], campaign="soups") == 1
    assert [number(give(db, c, rater, c.NOON)) for _ in range(3)] == [3, 1, 0]


def test_withdrawn_posts_are_given_to_nobody_until_loaded_again(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(3), overlap=1, lease_minutes=10)
    slow, quick = c.people(db, 2)
    next_task(db, slow, campaign="soups", now=c.NOON)
    assert withdraw_tasks(db, ["p0", "p1", "p0"], campaign="soups") == 2
    assert number(give(db, c, quick, c.later(minutes=11))) == 2
    assert give(db, c, quick, c.later(minutes=11)) == "done"
    assert load_tasks(db, c.posts(2), campaign="soups").changed == 2
    assert [number(give(db, c, quick, c.later(minutes=11))) for _ in range(2)] == [0, 1]


def test_a_post_met_in_one_campaign_comes_again_in_another_only_on_request(db, little_campaign):
    c = little_campaign
    for name, again in (("soups", False), ("stews", False), ("sauces", True)):
        c.start(db, c.posts(1), name=name, again=again)
    (rater,) = c.people(db, 1)
    assert number(give(db, c, rater, c.NOON)) == 0
    assert give(db, c, rater, c.NOON, campaign="stews") == "done"
    assert number(give(db, c, rater, c.NOON, campaign="sauces")) == 0


def test_new_posts_are_found_after_everything_was_done(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(2), overlap=1)
    (rater,) = c.people(db, 1)
    assert [give(db, c, rater, c.NOON) for _ in range(3)][-1] == "done"
    load_tasks(db, [{"post_id": "new", "text": "Soup number 77 again", "order": -5}], campaign="soups")
    assert number(give(db, c, rater, c.NOON)) == 77


def test_changed_rules_hold_at_the_next_turn(db, little_campaign):
    c = little_campaign
    c.start(db, c.posts(2))
    (rater,) = c.people(db, 1)
    from comoderate.annotation import CampaignSettings

    change_campaign(db, "soups", settings=CampaignSettings(roles=("expert",)))
    assert next_task(db, rater, campaign="soups", now=c.NOON).reason == "cohort"
