"""Answers: stored whole, once, and before they are acknowledged; and taken back by the one who gave them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, RowMapping, bindparam, case, insert, select, update

from comoderate.annotation.assignment import Task, held_tasks, task_from
from comoderate.annotation.campaigns import Campaign, campaign_in
from comoderate.annotation.chance import new_id
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.journal import record
from comoderate.annotation.labelling_tables import (
    DONE,
    GOLD,
    HAS_PLACE,
    IS_LIVE,
    OPEN,
    SKIPPED,
    assignment_table,
    receipt_table,
    task_table,
)
from comoderate.annotation.leases import close
from comoderate.annotation.raters import Rater, rater_in
from comoderate.annotation.refusals import Conflict, NotFound
from comoderate.annotation.standings import exposure_today, save_standing, standing
from comoderate.annotation.tables import annotation_table
from comoderate.codebook import Codebook, holds
from comoderate.errors import ComoderateError

Status = Literal["stored", "already", "late"]
_a, _t, _r = assignment_table.c, task_table.c, receipt_table.c
_LONGEST = 2_000


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What became of an answer.

    Attributes:
        status: ``stored``; ``already``: this rater answered the post before, under another key, and that answer stays;
            ``late``: the time of the lease was over and others have filled the post, so the answer is not stored.
        repeated: whether the same key was acknowledged before; the rest is then as it was the first time.
        exposed: whether the answer says that the post was a burden, so that a caring word is due.
        exposure_today: how many such posts the rater answered today (UTC).
        break_due: whether a break should be suggested.
        dropped: questions whose answers were dropped since they were not asked, given the other answers.
    """

    status: Status
    repeated: bool = False
    exposed: bool = False
    exposure_today: int = 0
    break_due: bool = False
    dropped: tuple[str, ...] = ()


def submit(
    db: Database,
    rater_id: str,
    lease: str,
    answers: Mapping[str, Iterable[str]],
    *,
    idempotency_key: str,
    seconds: float | None = None,
    codebook: str | None = None,
    now: datetime | None = None,
) -> Receipt:
    """Store a rater's answers to one post.

    All in one transaction that is on the disk before this returns: a row for each answer, the end of the lease, the
    counts, the receipt. Sent again with the same key, the first receipt comes back and nothing is stored twice.

    A lease that ran out does not matter as long as nobody took the place: then the answer counts. Else it is ``late``
    and not stored: a post never has more answers than wanted. A paused or closed campaign still takes answers to the
    posts that it gave out.

    Args:
        db: the database.
        rater_id: who answers.
        lease: of the task.
        answers: question → the answers ticked (or the text written); unasked follow-ups are dropped.
        idempotency_key: made by the page, once for each answer; at most 100 characters.
        seconds: how long it took.
        codebook: label of the codebook that the page asked.
        now: the present, for tests.

    Raises:
        NotFound: there is no such rater, or the lease never was this rater's.
        Conflict: the page asked another codebook than the campaign's.
        ComoderateError: an answer is not in the codebook, or a required one is missing.
    """
    if not 0 < len(idempotency_key) <= 100:
        raise ComoderateError("an answer needs a key of 1 to 100 characters")
    given = {question: list(dict.fromkeys(ticked)) for question, ticked in answers.items()}
    at = moment(now)
    return db.write(
        lambda connection: _Submission(connection, rater_id, at).submit(
            lease, given, idempotency_key, seconds, codebook
        )
    )


def skip(db: Database, rater_id: str, lease: str, *, now: datetime | None = None) -> None:
    """Pass a post over, without a reason; it goes to others and does not come back to this rater.

    Raises:
        NotFound: the lease never was this rater's.
    """
    at = moment(now)

    def body(connection: Connection) -> None:
        who = rater_in(connection, rater_id, lock=True)
        row = assignment_in(connection, rater_id, lease)
        if row["state"] != OPEN:
            return
        close(connection, row["assignment_id"], row["task_id"], SKIPPED, at)
        found = campaign_in(connection, row["name"])
        mine = standing(connection, rater_id, found.campaign_id, who.cohort, at)
        save_standing(connection, {**mine, "skipped": mine["skipped"] + 1}, at)

    db.write(body)


def reveal(db: Database, rater_id: str, lease: str, *, now: datetime | None = None) -> None:
    """Note that a rater revealed the text of a post.

    Raises:
        NotFound: the lease never was this rater's.
    """
    at = moment(now)

    def body(connection: Connection) -> None:
        row = assignment_in(connection, rater_id, lease)
        record(connection, "revealed", at, actor=rater_id, subject=row["post_id"], campaign=row["name"])

    db.write(body, durable=False)


def undo(db: Database, rater_id: str, *, campaign: str, now: datetime | None = None) -> Task | None:
    """Take the rater's last answer back: its rows are superseded, and the post is the rater's to answer again.

    Exposure is not taken back: the post was read.

    Returns:
        The task with the answers as they were; None where there is nothing to take back.
    """
    at = moment(now)

    def body(connection: Connection) -> Task | None:
        found = campaign_in(connection, campaign)
        who = rater_in(connection, rater_id, lock=True)
        last = select(receipt_table).where(_r.rater_id == rater_id, _r.campaign_id == found.campaign_id, IS_LIVE)
        row = connection.execute(last.order_by(_r.receipt_id.desc()).limit(1)).mappings().first()
        return None if row is None else _take_back(connection, row, found, who, at)

    return db.write(body)


def take_break(db: Database, rater_id: str, *, campaign: str, now: datetime | None = None) -> None:
    """The rater takes a break: counting towards the next one begins anew."""
    at = moment(now)

    def body(connection: Connection) -> None:
        found = campaign_in(connection, campaign)
        who = rater_in(connection, rater_id, lock=True)
        mine = standing(connection, rater_id, found.campaign_id, who.cohort, at)
        save_standing(connection, {**mine, "since_break": 0}, at)

    db.write(body)


def checked(codebook: Codebook, given: Mapping[str, list[str]]) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """The answers to the questions that were asked, and the names of those dropped since they were not.

    Raises:
        ComoderateError: an answer is not in the codebook, or a required one is missing.
    """
    ticked = {question: [answer for answer in answers if answer.strip()] for question, answers in given.items()}
    ticked = {question: answers for question, answers in ticked.items() if answers}
    for question, answers in ticked.items():
        _check(codebook, question, answers)
    asked = codebook.asked({question: frozenset(answers) for question, answers in ticked.items()})
    missing = [name for name in asked if codebook.question[name].required and name not in ticked]
    if missing:
        raise ComoderateError(f"question {missing[0]!r} is not answered", do="answer it")
    kept = {name: ticked[name] for name in asked if name in ticked}
    return kept, tuple(name for name in ticked if name not in kept)


def _check(codebook: Codebook, question: str, answers: list[str]) -> None:
    if question not in codebook.question:
        raise ComoderateError(f"{question!r} is no question of codebook {codebook.label}")
    kind = codebook.question[question].kind
    if kind != "multiple" and len(answers) > 1:
        raise ComoderateError(f"question {question!r} takes one answer", do="choose one")
    for answer in answers:
        if codebook.question[question].refuses(answer):
            raise ComoderateError(f"{answer[:100]!r} is no answer to {question!r}", do="choose one that is listed")
        if len(answer) > _LONGEST:
            raise ComoderateError(f"the answer to {question!r} is longer than {_LONGEST} characters", do="shorten it")


class _Submission:
    """One answer coming in, within one transaction; the rater is locked first."""

    def __init__(self, connection: Connection, rater_id: str, at: datetime) -> None:
        self.connection, self.at = connection, at
        self.who = rater_in(connection, rater_id, lock=True)

    def submit(
        self, lease: str, given: dict[str, list[str]], key: str, seconds: float | None, codebook: str | None
    ) -> Receipt:
        known = select(_r.body).where(_r.rater_id == self.who.rater_id, _r.key == key)
        if (body := self.connection.scalar(known)) is not None:
            return replace(_receipt(json.loads(body)), repeated=True)
        row = assignment_in(self.connection, self.who.rater_id, lease)
        campaign = campaign_in(self.connection, row["name"])
        if codebook is not None and codebook != campaign.codebook.label:
            raise Conflict(
                f"the campaign asks codebook {campaign.codebook.label}, not {codebook}", do="load the page again"
            )
        kept, dropped = checked(campaign.codebook, given)
        if row["state"] == DONE:
            return Receipt(status="already")
        if row["text"] is None or not self._place_is_ours(row):
            return Receipt(status="late")
        return self._store(row, campaign, kept, dropped, key, seconds)

    def _place_is_ours(self, row: RowMapping) -> bool:
        """Whether the answer has a place: its own still, or one that is free again."""
        if row["state"] == OPEN or row["kind"] == GOLD:
            return True
        take = update(task_table).where(_t.task_id == row["task_id"], HAS_PLACE)
        left = case((_t.returned > 0, _t.returned - 1), else_=0)
        return bool(self.connection.execute(take.values(free=_t.free - 1, returned=left)).rowcount)

    def _store(
        self,
        row: RowMapping,
        campaign: Campaign,
        kept: dict[str, list[str]],
        dropped: tuple[str, ...],
        key: str,
        seconds: float | None,
    ) -> Receipt:
        ids = self._append(row, campaign, kept, seconds)
        mine = _a.assignment_id == row["assignment_id"]
        self.connection.execute(update(assignment_table).where(mine).values(state=DONE, closed_at=self.at))
        exposed = self._exposes(campaign, kept)
        counts = self._count(row, campaign, kept, exposed, seconds)
        today = exposure_today(self.connection, self.who.rater_id, self.at)
        every = campaign.settings.break_every
        due = every is not None and counts["since_break"] >= every
        receipt = Receipt(status="stored", exposed=exposed, exposure_today=today, break_due=due, dropped=dropped)
        body = {**asdict(receipt), "rows": ids, "answers": kept, "seconds": seconds, "gold": self._gold(row, kept)}
        names = {"rater_id": self.who.rater_id, "key": key, "assignment_id": row["assignment_id"]}
        names |= {"campaign_id": campaign.campaign_id, "at": self.at, "live": 1}
        self.connection.execute(insert(receipt_table), {**names, "body": json.dumps(body, ensure_ascii=False)})
        return receipt

    def _append(
        self, row: RowMapping, campaign: Campaign, kept: dict[str, list[str]], seconds: float | None
    ) -> list[str]:
        base = {
            "post_id": row["post_id"],
            "rater_id": self.who.rater_id,
            "cohort": self.who.cohort,
            "source": row["source"],
            "codebook": campaign.codebook.label,
            "created_at": self.at,
            "seconds": seconds,
            "campaign": campaign.name,
        }
        start = f"web/{new_id()}"
        pairs = [(question, answer) for question, answers in kept.items() for answer in answers]
        rows = [
            {**base, "response_id": f"{start}/{n}", "question": question, "answer": answer}
            for n, (question, answer) in enumerate(pairs)
        ]
        if rows:
            self.connection.execute(insert(annotation_table), rows)
        return [entry["response_id"] for entry in rows]

    def _exposes(self, campaign: Campaign, kept: dict[str, list[str]]) -> bool:
        condition = campaign.settings.exposing or campaign.codebook.care.after
        return bool(condition) and holds(condition, {question: frozenset(ticked) for question, ticked in kept.items()})

    def _exposed_before(self, row: RowMapping) -> bool:
        """Whether an answer to this post was counted as a burden and taken back: the post was read once."""
        if row["previous"] is None:
            return False
        before = select(_r.body).where(_r.rater_id == self.who.rater_id, _r.assignment_id == row["assignment_id"])
        return any(json.loads(body)["exposed"] for body in self.connection.scalars(before))

    def _gold(self, row: RowMapping, kept: dict[str, list[str]]) -> bool | None:
        """Whether a gold post was answered right in all questions that have a known answer; None for other posts."""
        if row["kind"] != GOLD:
            return None
        right = json.loads(row["gold"])
        return all(set(kept.get(question, ())) == set(answers) for question, answers in right.items())

    def _count(
        self, row: RowMapping, campaign: Campaign, kept: dict[str, list[str]], exposed: bool, seconds: float | None
    ) -> dict[str, Any]:
        changed = standing(self.connection, self.who.rater_id, campaign.campaign_id, self.who.cohort, self.at)
        gold = self._gold(row, kept)
        exposed = exposed and not self._exposed_before(row)
        steps = {
            "answered": int(gold is None),
            "answered_today": 1,
            "since_break": 1,
            "exposure": int(exposed),
            "exposure_today": int(exposed),
            "gold_seen": int(gold is not None),
            "gold_right": int(gold is True),
            "seconds": seconds or 0.0,
        }
        changed |= {name: changed[name] + step for name, step in steps.items()}
        _fill(self.connection, row, 1)
        save_standing(self.connection, changed, self.at)
        return changed


def _fill(connection: Connection, row: Mapping[Any, Any], step: int) -> None:
    """Count an answer of a task up or down."""
    mine = (_t.task_id == row["task_id"]) & (_t.kind != GOLD)
    connection.execute(update(task_table).where(mine).values(done=_t.done + step))


def _take_back(connection: Connection, receipt: RowMapping, found: Campaign, who: Rater, at: datetime) -> Task | None:
    mine = _a.assignment_id == receipt["assignment_id"]
    row = connection.execute(held_tasks().where(mine).with_for_update(of=assignment_table)).mappings().one()
    if row["text"] is None:
        return None
    body = json.loads(receipt["body"])
    blank = {"post_id": row["post_id"], "rater_id": who.rater_id, "cohort": who.cohort, "source": row["source"]}
    blank |= {"codebook": found.codebook.label, "question": "", "created_at": at, "campaign": found.name}
    if body["rows"]:
        gone = [{**blank, "response_id": f"{name}!", "answer": None, "supersedes": name} for name in body["rows"]]
        connection.execute(insert(annotation_table), gone)
    connection.execute(update(receipt_table).where(_r.receipt_id == receipt["receipt_id"]).values(live=0))
    until = at + timedelta(minutes=found.settings.lease_minutes)
    previous = json.dumps(body["answers"], ensure_ascii=False)
    again = {"state": OPEN, "expires_at": until, "closed_at": None, "previous": previous}
    connection.execute(update(assignment_table).where(mine).values(**again))
    changed = standing(connection, who.rater_id, found.campaign_id, who.cohort, at)
    gold = body["gold"]
    changed["answered"] -= int(gold is None)
    changed["gold_seen"] -= int(gold is not None)
    changed["gold_right"] -= int(gold is True)
    _fill(connection, row, -1)
    changed["seconds"] -= body["seconds"] or 0.0
    for name in ("answered_today", "since_break"):
        changed[name] = max(0, changed[name] - 1)
    save_standing(connection, changed, at)
    record(connection, "answer taken back", at, actor=who.rater_id, subject=row["post_id"], campaign=found.name)
    return task_from({**row, "expires_at": until, "previous": previous})


_GIVEN = (
    held_tasks()
    .where(_a.token == bindparam("lease"), _a.rater_id == bindparam("rater"))
    .with_for_update(of=assignment_table)
)


def assignment_in(connection: Connection, rater_id: str, lease: str) -> RowMapping:
    """The assignment that ``lease`` names, locked, with its task and campaign.

    Raises:
        NotFound: it never was this rater's.
    """
    row = connection.execute(_GIVEN, {"lease": lease, "rater": rater_id}).mappings().first()
    if row is None:
        raise NotFound("this post was not given to you", do="take the next one")
    return row


def _receipt(body: dict[str, Any]) -> Receipt:
    fields = {name: body[name] for name in Receipt.__dataclass_fields__}
    return Receipt(**{**fields, "dropped": tuple(fields["dropped"])})
