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

from sqlalchemy import Connection, RowMapping, Select, exists, insert, literal, select, tuple_, update

from comoderate.annotation.campaigns import Campaign, campaign_in
from comoderate.annotation.chance import chance, new_id
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.labelling_tables import (
    BENIGN,
    CAME_BACK,
    GOLD,
    HAS_PLACE,
    IS_OPEN,
    OPEN,
    POST,
    RETURNED,
    assignment_table,
    campaign_table,
    task_table,
)
from comoderate.annotation.leases import give_back_expired
from comoderate.annotation.raters import Rater, rater_in
from comoderate.annotation.refusals import NotFound
from comoderate.annotation.standings import exposure_today, save_standing, standing
from comoderate.annotation.tasks import category_mask

Reason = Literal[
    "", "paused", "closed", "barred", "cohort", "consent", "tutorial", "qualification", "cap", "held", "later", "done"
]
_FRONT = [-(2**31), -1e308, 0]
_RETURNED_LOOKED_AT = 50
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
        mine = (_a.rater_id == self.who.rater_id) & (_a.campaign_id == self.campaign.campaign_id) & IS_OPEN
        return list(self.connection.execute(held_tasks().where(mine).order_by(_a.leased_at)).mappings())

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
        """A task with a place taken, of the kind that is due; ordinary posts where that kind has none left."""
        u = chance(self.rules.seed, "mix", self.campaign.name, self.who.rater_id, self.standing["turns"])
        kind = (
            GOLD if u < self.rules.gold_rate else BENIGN if u < self.rules.gold_rate + self.rules.benign_rate else POST
        )
        found = self._search(kind) if kind != POST and self._any_post() else None
        return found or self._search(POST)

    def _any_post(self) -> bool:
        """Whether the search for ordinary posts did not just come to nothing: relief and gold alone are no work."""
        return not self._recently_empty(POST)

    def _search(self, kind: int) -> RowMapping | None:
        if kind == GOLD:
            return self._gold()
        place = self.places.get(str(kind), _FRONT)
        return self._returned(kind) or self._ahead(kind, place) or self._again(kind, place)

    def _gold(self) -> RowMapping | None:
        """Gold has no places: anybody may see it, each rater in turn from a place of their own."""
        first = [0, chance(self.rules.seed, "gold", self.who.rater_id), 0]
        place = self.places.get(str(GOLD), first)
        for start in (place, _FRONT):
            row = self.connection.execute(self._unseen(GOLD, start)).mappings().first()
            if row is not None:
                self.places[str(GOLD)] = _place(row)
                return row
        return None

    def _returned(self, kind: int) -> RowMapping | None:
        """A place that came back: the first that this rater may take, of so many looked at."""
        c = self.campaign.campaign_id
        front = select(task_table).where(_t.campaign_id == c, _t.kind == kind, CAME_BACK, _t.free >= 1)
        few = front.order_by(*_ORDER).limit(_RETURNED_LOOKED_AT).subquery()
        query = select(few.c.task_id).where(~self._met(few.c.post_id), self._welcome(few.c.categories))
        task_id = self.connection.scalar(query.order_by(few.c.tier, few.c.position, few.c.task_id).limit(1))
        if task_id is None:
            return None
        lock = select(task_table).where(_t.task_id == task_id, HAS_PLACE).with_for_update(skip_locked=True)
        return self._taken(self.connection.execute(lock).mappings().first())

    def _ahead(self, kind: int, place: list[Any], *, wait: bool = False) -> RowMapping | None:
        query = self._unseen(kind, place).with_for_update(skip_locked=not wait)
        row = self._taken(self.connection.execute(query).mappings().first())
        if row is not None:
            self.places[str(kind)] = _place(row)
        return row

    def _again(self, kind: int, place: list[Any]) -> RowMapping | None:
        """From the front once more, for what was locked or full when the rater came past; not at every turn."""
        if self._recently_empty(kind):
            return None
        row = self._ahead(kind, _FRONT, wait=True) if place != _FRONT else self._ahead(kind, place, wait=True)
        if row is None:
            self.places[f"empty{kind}"] = self.at.timestamp()
        return row

    def _recently_empty(self, kind: int) -> bool:
        return 0 <= self.at.timestamp() - float(self.places.get(f"empty{kind}", -1e9)) < _RESCAN_SECONDS

    def _unseen(self, kind: int, place: list[Any]) -> Select[Any]:
        """The first task behind ``place`` with a free place that this rater never met."""
        behind = tuple_(*_ORDER) > tuple_(*(literal(value) for value in place))
        mine = (_t.campaign_id == self.campaign.campaign_id, _t.kind == kind, HAS_PLACE, behind)
        query = select(task_table).where(*mine, ~self._met(_t.post_id), self._welcome(_t.categories))
        return query.order_by(*_ORDER).limit(1)

    def _met(self, post_id: Any) -> Any:
        met = (_a.rater_id == self.who.rater_id, _a.post_id == post_id, _a.state != RETURNED)
        query = exists().where(*met)
        return query.where(_a.campaign_id == self.campaign.campaign_id) if self.rules.again else query

    def _welcome(self, categories: Any) -> Any:
        return categories.op("&")(self.mask) == 0 if self.mask else literal(1) == 1

    def _taken(self, row: RowMapping | None) -> RowMapping | None:
        if row is None:
            return None
        take = update(task_table).where(_t.task_id == row["task_id"], HAS_PLACE)
        left = row["returned"] - 1 if row["returned"] else 0
        taken = self.connection.execute(take.values(free=_t.free - 1, returned=left)).rowcount
        return row if taken else None

    def _lease(self, row: RowMapping) -> Task:
        until, mine = self._until(), (_a.task_id == row["task_id"]) & (_a.rater_id == self.who.rater_id)
        renewed = {"state": OPEN, "leased_at": self.at, "expires_at": until, "closed_at": None}
        again = update(assignment_table).where(mine).values(**renewed).returning(_a.token)
        token = self.connection.scalar(again)  # it was theirs before, and came back unanswered
        if token is None:
            token = new_id()
            ids = {"campaign_id": self.campaign.campaign_id, "task_id": row["task_id"], "post_id": row["post_id"]}
            self.connection.execute(
                insert(assignment_table), {**renewed, **ids, "token": token, "rater_id": self.who.rater_id}
            )
        names = {"token": token, "name": self.campaign.name, "codebook_label": self.campaign.codebook.label}
        return task_from({**row, **names, "expires_at": until, "previous": None})

    def _others_hold(self) -> bool:
        """Whether somebody holds a post that this rater could still be given, should it come back."""
        open_now = select(_a.post_id).where(_a.campaign_id == self.campaign.campaign_id, IS_OPEN)
        held = open_now.where(_a.rater_id != self.who.rater_id).subquery()
        query = select(held.c.post_id).where(~self._met(held.c.post_id)).limit(1)
        return self.connection.scalar(query) is not None


_ORDER = (_t.tier, _t.position, _t.task_id)


def _place(row: RowMapping) -> list[Any]:
    return [row["tier"], row["position"], row["task_id"]]
