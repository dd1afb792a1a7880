"""Who gets which post next: exactly as many distinct raters as wanted, whoever asks at the same time.

A task counts its free places; a place is taken in the same transaction that notes who took it, and comes back when the
time of its holder runs out. Every search goes along an index from the rater's own place in the order, so its cost does
not grow with the number of tasks; places that come back are kept in an index of their own and looked at first.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, RowMapping, Select, bindparam, select, update

from comoderate.annotation.campaigns import Campaign, campaign_in
from comoderate.annotation.chance import chance, new_id
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.labelling_tables import (
    BENIGN,
    GOLD,
    HAS_PLACE,
    IS_OPEN,
    OPEN,
    POST,
    assignment_table,
    campaign_table,
    task_table,
)
from comoderate.annotation.leases import give_back_expired
from comoderate.annotation.raters import Rater, rater_in
from comoderate.annotation.refusals import NotFound
from comoderate.annotation.searching import FRONT, ahead, came_back, held_by_others, place
from comoderate.annotation.standings import exposure_today, save_standing, standing
from comoderate.annotation.tasks import category_mask
from comoderate.annotation.upsert import upsert

Reason = Literal[
    "", "paused", "closed", "barred", "cohort", "consent", "tutorial", "qualification", "cap", "held", "later", "done"
]
_RESCAN_SECONDS = 5.0
_a, _t = assignment_table.c, task_table.c


@dataclass(frozen=True, kw_only=True)
class Task:
    """A post as a rater may see it; nothing here tells which post it is, who wrote it, or why it was chosen.

    Attributes:
        lease: what the answer is sent with.
        campaign: name of the campaign.
        codebook: label of the codebook to ask.
        text: what to judge.
        context: what is shown beside it.
        expires_at: until when it is kept for the rater.
        previous: the answers that were taken back, after an undo.
    """

    lease: str
    campaign: str
    codebook: str
    text: str
    context: dict[str, Any]
    expires_at: datetime
    previous: dict[str, list[str]] | None


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A task, or the reason why there is none.

    Reasons: the campaign is ``paused`` or ``closed``; the rater is ``barred``, of no invited role or ``cohort``, has
    yet to give ``consent``, finish the ``tutorial`` or pass the ``qualification``, reached the day's ``cap`` of
    exposure, or has all tasks ``held`` that may be held at once; what is left is with others, so ask again ``later``;
    or nothing is left for this rater: ``done``.
    """

    task: Task | None
    reason: Reason


def next_task(
    db: Database,
    rater_id: str,
    *,
    campaign: str,
    holding: Collection[str] = (),
    now: datetime | None = None,
) -> Offer:
    """The next post for a rater to answer.

    Until it is answered, skipped or expired, the same post comes again: after a reload, in a second tab.

    Args:
        db: the database.
        rater_id: who asks.
        campaign: its name.
        holding: leases that the page has in stock already; another one is wanted.
        now: the present, for tests.

    Raises:
        NotFound: there is no such rater or campaign.
    """
    at = moment(now)

    def body(connection: Connection) -> Offer:
        found = campaign_in(connection, campaign)
        who = rater_in(connection, rater_id, lock=True)
        return _Turn(connection, found, who, at).offer(holding)

    return db.write(body, durable=False)


def task(db: Database, rater_id: str, lease: str) -> Task:
    """A task that the rater holds.

    Raises:
        NotFound: the lease is not this rater's, or over.
    """
    with db.reading() as connection:
        mine = (_a.token == lease) & (_a.rater_id == rater_id) & IS_OPEN
        row = connection.execute(held_tasks().where(mine)).mappings().first()
    if row is None or row["text"] is None:
        raise NotFound("this post is not with you, or not any more", do="take the next one")
    return task_from(row)


def task_from(row: Mapping[Any, Any]) -> Task:
    """A task from its row, joined with assignment and campaign."""
    return Task(
        lease=row["token"],
        campaign=row["name"],
        codebook=row["codebook_label"],
        text=row["text"],
        context=json.loads(row["context"] or "{}"),
        expires_at=row["expires_at"],
        previous=json.loads(row["previous"]) if row["previous"] else None,
    )


def held_tasks() -> Select[Any]:
    """Assignments with their task and campaign: what :func:`task_from` reads."""
    return (
        select(
            _a.assignment_id,
            _a.token,
            _a.rater_id,
            _a.post_id,
            _a.state,
            _a.expires_at,
            _a.previous,
            _t.task_id,
            _t.kind,
            _t.source,
            _t.text,
            _t.context,
            _t.gold,
            _t.gold_note,
            campaign_table.c.name,
            campaign_table.c.codebook_label,
        )
        .join(task_table, _t.task_id == _a.task_id)
        .join(campaign_table, campaign_table.c.campaign_id == _a.campaign_id)
    )


class _Turn:
    """One rater's turn within one transaction; the rater is locked."""

    def __init__(self, connection: Connection, campaign: Campaign, who: Rater, at: datetime) -> None:
        self.connection, self.campaign, self.who, self.at = connection, campaign, who, at
        self.rules = campaign.settings
        self.mask = category_mask(who.opted_out, self.rules)
        self.names = {"campaign": campaign.campaign_id, "rater": who.rater_id, "mask": self.mask}

    def offer(self, holding: Collection[str]) -> Offer:
        reason = self._barrier()
        if reason:
            return Offer(task=None, reason=reason)
        held = self._holds()
        for row in held:
            if row["token"] not in holding and row["text"] is not None:
                return Offer(task=self._renew(row), reason="")
        if len(held) >= self.rules.hold:
            return Offer(task=None, reason="held")
        self.standing = standing(
            self.connection, self.who.rater_id, self.campaign.campaign_id, self.who.cohort, self.at
        )
        cap = self._cap()
        if cap is not None and exposure_today(self.connection, self.who.rater_id, self.at) >= cap:
            return Offer(task=None, reason="cap")
        give_back_expired(self.connection, self.campaign.campaign_id, self.at)
        return self._take()

    def _barrier(self) -> Reason:
        """Why this rater gets nothing here, whatever is left."""
        who, rules, label = self.who, self.rules, self.campaign.codebook.label
        checks: tuple[tuple[bool, Reason], ...] = (
            (self.campaign.state == "paused", "paused"),
            (self.campaign.state == "closed", "closed"),
            (not who.active, "barred"),
            (who.role not in rules.roles or who.cohort not in (rules.cohorts or (who.cohort,)), "cohort"),
            (rules.needs_consent and who.consented_at is None, "consent"),
            (rules.needs_tutorial and who.tutorial_codebook != label, "tutorial"),
            (
                rules.needs_qualification and not (who.qualified and who.qualification_codebook == label),
                "qualification",
            ),
        )
        return next((reason for fails, reason in checks if fails), "")

    def _cap(self) -> int | None:
        caps = [cap for cap in (self.who.exposure_cap, self.rules.exposure_cap) if cap is not None]
        return min(caps) if caps else None

    def _holds(self) -> list[RowMapping]:
        return list(self.connection.execute(_HELD, self.names).mappings())

    def _renew(self, row: RowMapping) -> Task:
        until = self._until()
        mine = _a.assignment_id == row["assignment_id"]
        self.connection.execute(update(assignment_table).where(mine).values(expires_at=until))
        return task_from({**row, "expires_at": until})

    def _until(self) -> datetime:
        return self.at + timedelta(minutes=self.rules.lease_minutes)

    def _take(self) -> Offer:
        s = self.standing
        if s["epoch"] != self.campaign.epoch:
            s |= {"epoch": self.campaign.epoch, "places": "{}"}
        self.places: dict[str, Any] = json.loads(s["places"])
        row = self._chosen()
        if row is not None:
            s["turns"] += 1
        s["places"] = json.dumps(self.places)
        save_standing(self.connection, s, self.at)
        if row is None:
            return Offer(task=None, reason="later" if self._others_hold() else "done")
        return Offer(task=self._lease(row), reason="")

    def _chosen(self) -> RowMapping | None:
        """A task with a place taken, of the kind that is due; an ordinary post where that kind has none left.

        Relief and gold alone are no work: they come only while there are ordinary posts.
        """
        u, rules = chance(self.rules.seed, "mix", self.who.rater_id, self.standing["turns"]), self.rules
        kind = GOLD if u < rules.gold_rate else BENIGN if u < rules.gold_rate + rules.benign_rate else POST
        found = self._search(kind) if kind != POST and self._peek(POST) else None
        return found or self._search(POST)

    def _search(self, kind: int) -> RowMapping | None:
        if kind == GOLD:
            return self._gold()
        return self._returned(kind) or self._ahead(kind, self._place(kind), wait=False) or self._again(kind)

    def _place(self, kind: int) -> dict[str, Any]:
        return dict(self.places.get(str(kind), FRONT))

    def _gold(self) -> RowMapping | None:
        """Gold has no places: anybody may see it, each rater in turn from a place of their own."""
        first = {**FRONT, "tier": 0, "position": chance(self.rules.seed, "gold", self.who.rater_id)}
        row = self._peek(GOLD, self.places.get(str(GOLD), first)) or self._peek(GOLD, FRONT)
        if row is not None:
            self.places[str(GOLD)] = place(row)
        return row

    def _peek(self, kind: int, start: dict[str, Any] | None = None) -> RowMapping | None:
        """The next task of a kind, without taking it."""
        query = ahead(again=self.rules.again, masked=bool(self.mask), wait=None)
        where = self._place(kind) if start is None else start
        return self.connection.execute(query, {**self.names, "kind": kind, **where}).mappings().first()

    def _returned(self, kind: int) -> RowMapping | None:
        """A place that came back."""
        query = came_back(again=self.rules.again, masked=bool(self.mask))
        task_id = self.connection.scalar(query, {**self.names, "kind": kind})
        if task_id is None:
            return None
        return self._taken(self.connection.execute(_LOCK, {"task": task_id}).mappings().first())

    def _ahead(self, kind: int, start: dict[str, Any], *, wait: bool) -> RowMapping | None:
        query = ahead(again=self.rules.again, masked=bool(self.mask), wait=wait)
        found = self.connection.execute(query, {**self.names, "kind": kind, **start}).mappings().first()
        row = self._taken(found)
        if row is not None:
            self.places[str(kind)] = place(row)
        return row

    def _again(self, kind: int) -> RowMapping | None:
        """From the front once more, for what was locked or full when the rater came past; not at every turn."""
        last = float(self.places.get(f"empty{kind}", -1e9))
        if 0 <= self.at.timestamp() - last < _RESCAN_SECONDS:
            return None
        row = self._ahead(kind, FRONT, wait=True)
        if row is None:
            self.places[f"empty{kind}"] = self.at.timestamp()
        return row

    def _taken(self, row: RowMapping | None) -> RowMapping | None:
        if row is None:
            return None
        left = row["returned"] - 1 if row["returned"] else 0
        taken = self.connection.execute(_TAKE, {"task": row["task_id"], "left": left}).rowcount
        return row if taken else None

    def _lease(self, row: RowMapping) -> Task:
        """The assignment of a task that was taken; it may have been this rater's before, and come back unanswered."""
        until = self._until()
        opened = {"state": OPEN, "leased_at": self.at, "expires_at": until, "closed_at": None}
        ids = {"campaign_id": self.campaign.campaign_id, "rater_id": self.who.rater_id, "token": new_id()}
        ids |= {"task_id": row["task_id"], "post_id": row["post_id"]}
        insertion = upsert(self.connection, assignment_table).values(**opened, **ids)
        changed = {name: insertion.excluded[name] for name in opened}
        store = insertion.on_conflict_do_update(index_elements=["task_id", "rater_id"], set_=changed)
        token = self.connection.scalar(store.returning(_a.token))
        names = {"token": token, "name": self.campaign.name, "codebook_label": self.campaign.codebook.label}
        return task_from({**row, **names, "expires_at": until, "previous": None})

    def _others_hold(self) -> bool:
        return self.connection.scalar(held_by_others(again=self.rules.again), self.names) is not None


_HELD = (
    held_tasks()
    .where(_a.rater_id == bindparam("rater"), _a.campaign_id == bindparam("campaign"), IS_OPEN)
    .order_by(_a.leased_at)
)
_TAKE = (
    update(task_table)
    .where(_t.task_id == bindparam("task"), HAS_PLACE)
    .values(free=_t.free - 1, returned=bindparam("left"))
)
_LOCK = select(task_table).where(_t.task_id == bindparam("task"), HAS_PLACE).with_for_update(skip_locked=True)
