"""Any sequence of what raters and the coordinator do, against a model kept in plain dictionaries."""

import itertools
import sys
import tempfile
from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from comoderate.annotation import (
    add_rater,
    load_tasks,
    next_task,
    open_database,
    record_consent,
    release_leases,
    skip,
    stream_annotations,
    submit,
    undo,
    withdraw_tasks,
)
from comoderate.annotation.labelling_tables import DONE, OPEN, assignment_table, task_table

RATERS, POSTS, OVERLAP, MINUTES = 3, 4, 2, 10
WHO = st.integers(0, RATERS - 1)


class Assignment(RuleBasedStateMachine):
    """The model knows who was acknowledged for what, and who may never see a post again."""

    @initialize()
    def begin(self):
        self.c = sys.modules["annotation_campaign"]
        self.folder = tempfile.TemporaryDirectory()
        self.db = open_database(f"sqlite:///{self.folder.name}/a.db")
        self.c.start(self.db, self.c.posts(POSTS), overlap=OVERLAP, lease_minutes=MINUTES)
        self.people = [add_rater(self.db).rater_id for _ in range(RATERS)]
        for rater in self.people:
            record_consent(self.db, rater, version="1")
        self.now, self.keys = self.c.NOON, itertools.count()
        self.held: dict[str, dict[str, str]] = {rater: {} for rater in self.people}  # lease -> post, as last offered
        self.stored: dict[tuple[str, str], str] = {}  # (rater, post) -> answer
        self.skipped: set[tuple[str, str]] = set()
        self.last: dict[str, list[str]] = {rater: [] for rater in self.people}  # posts answered, newest last
        self.sent: list[tuple[str, str, str, str]] = []
        self.withdrawn: set[str] = set()

    def teardown(self):
        if hasattr(self, "db"):
            self.db.close()
            self.folder.cleanup()

    @rule(who=WHO)
    def take(self, who):
        rater = self.people[who]
        task = next_task(self.db, rater, campaign="soups", now=self.now).task
        if task is None:
            return
        post = f"p{task.text.split('number ')[1].split()[0]}"
        assert (rater, post) not in self.stored
        assert (rater, post) not in self.skipped
        self.held[rater][task.lease] = post

    @rule(who=WHO, very=st.booleans())
    def answer(self, who, very):
        rater = self.people[who]
        if not self.held[rater]:
            return
        lease, post = next(iter(self.held[rater].items()))
        answers, key = (self.c.VERY if very else self.c.NO), str(next(self.keys))
        receipt = submit(self.db, rater, lease, answers, idempotency_key=key, now=self.now)
        del self.held[rater][lease]
        if receipt.status == "stored":
            assert (rater, post) not in self.stored
            self.stored[rater, post] = answers["rude"][0]
            self.skipped.discard((rater, post))
            self.last[rater].append(post)
            self.sent.append((rater, lease, key, receipt.status))
        else:
            assert receipt.status in {"late", "already"}
            if receipt.status == "late":
                others = sum(place == post for _, place in self.stored)
                assert others + self._open(post) >= OVERLAP or post in self.withdrawn

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data):
        rater, lease, key, status = data.draw(st.sampled_from(self.sent))
        receipt = submit(self.db, rater, lease, self.c.VERY, idempotency_key=key, now=self.now)
        assert receipt.repeated
        assert receipt.status == status

    @rule(who=WHO)
    def pass_over(self, who):
        rater = self.people[who]
        if not self.held[rater]:
            return
        lease, post = next(iter(self.held[rater].items()))
        was_open = lease in self._open_leases()
        skip(self.db, rater, lease, now=self.now)
        del self.held[rater][lease]
        if was_open:
            self.skipped.add((rater, post))

    @rule(who=WHO)
    def take_back(self, who):
        rater = self.people[who]
        task = undo(self.db, rater, campaign="soups", now=self.now)
        assert (task is None) == (not self.last[rater])
        if task is not None:
            post = self.last[rater].pop()
            assert f"number {post[1:]} " in task.text
            del self.stored[rater, post]
            self.held[rater][task.lease] = post

    @rule(who=WHO)
    def pause(self, who):
        release_leases(self.db, self.people[who], campaign="soups", now=self.now)

    @rule(minutes=st.integers(1, 2 * MINUTES))
    def wait(self, minutes):
        self.now += timedelta(minutes=minutes)

    @rule(post=st.integers(0, POSTS - 1))
    def withdraw(self, post):
        withdraw_tasks(self.db, [f"p{post}"], campaign="soups")
        self.withdrawn.add(f"p{post}")

    @rule()
    def load_again(self):
        load_tasks(self.db, self.c.posts(POSTS), campaign="soups")
        self.withdrawn.clear()

    @invariant()
    def what_was_acknowledged_is_stored_and_nothing_else(self):
        if not hasattr(self, "db"):
            return
        found = {
            (row["rater_id"], row["post_id"]): row["answer"]
            for rows in stream_annotations(self.db, question="rude")
            for row in rows
        }
        assert found == self.stored

    @invariant()
    def no_post_has_too_many_and_the_places_add_up(self):
        if not hasattr(self, "db"):
            return
        with self.db.reading() as connection:
            tasks = connection.execute(select(task_table)).mappings().all()
            pairs = connection.execute(select(assignment_table.c.task_id, assignment_table.c.state)).all()
        for task in tasks:
            done, held = pairs.count((task["task_id"], DONE)), pairs.count((task["task_id"], OPEN))
            assert done == task["done"]
            assert task["wanted"] == task["free"] + done + held <= OVERLAP
            assert min(task["free"], task["returned"]) >= 0

    def _open_leases(self):
        with self.db.reading() as connection:
            return set(connection.scalars(select(assignment_table.c.token).where(assignment_table.c.state == OPEN)))

    def _open(self, post):
        with self.db.reading() as connection:
            c = assignment_table.c
            return len(connection.execute(select(c.token).where(c.state == OPEN, c.post_id == post)).all())


def test_any_sequence_of_events_keeps_the_books(little_campaign):
    assert little_campaign.NO["rude"] == ["no"]  # loaded, so that the machine finds it
    run_state_machine_as_test(Assignment, settings=settings(max_examples=12, stateful_step_count=25))
