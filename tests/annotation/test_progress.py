"""Progress is counted as answers come in, and agrees with the annotations themselves."""

from comoderate.annotation import (
    campaign_progress,
    cohort_progress,
    next_task,
    rater_progress,
    raters_progress,
    skip,
    submit,
    undo,
)


def test_counts_agree_with_what_was_done(db, little_campaign):
    c = little_campaign
    gold = {"post_id": "g", "text": "Gold.", "kind": "gold", "gold": c.NO}
    c.start(db, [*c.posts(4), gold], overlap=2)
    first, second = c.people(db, 1) + c.people(db, 1, cohort="more")
    for k in range(3):
        lease = next_task(db, first, campaign="soups", now=c.NOON).task.lease
        submit(db, first, lease, c.VERY, idempotency_key=str(k), seconds=2, now=c.NOON)
    lease = next_task(db, second, campaign="soups", now=c.NOON).task.lease
    skip(db, second, lease, now=c.NOON)
    for k in range(2):
        lease = next_task(db, second, campaign="soups", now=c.later(hours=1)).task.lease
        submit(db, second, lease, c.NO, idempotency_key=str(k), seconds=3, now=c.later(hours=1))
    undo(db, second, campaign="soups", now=c.later(hours=1))
    progress = campaign_progress(db, "soups", now=c.later(hours=1))
    assert (progress.tasks, progress.wanted, progress.answers, progress.complete) == (4, 8, 4, 1)
    assert (progress.open_leases, progress.raters, progress.raters_active, progress.skipped) == (1, 2, 1, 1)
    names = ("cohort", "raters", "answers", "skipped", "seconds", "exposure")
    assert [tuple(getattr(row, name) for name in names) for row in cohort_progress(db, "soups")] == [
        ("more", 1, 1, 1, 3.0, 0),
        ("volunteers", 1, 3, 0, 6.0, 3),
    ]
    people = raters_progress(db, "soups", now=c.NOON)
    assert [row.rater_id for row in people] == sorted([first, second])
    assert raters_progress(db, "soups", after=people[0].rater_id, now=c.NOON) == people[1:]
    tomorrow = rater_progress(db, first, campaign="soups", now=c.later(days=1))
    assert (tomorrow.answered, tomorrow.answered_today, tomorrow.exposure, tomorrow.exposure_today) == (3, 0, 3, 0)
    assert rater_progress(db, "nobody", campaign="soups").answered == 0
