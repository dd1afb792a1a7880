"""Moderators decide: stored once, with what chose the post and whether a score had been seen; and taken back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping, exists, func, insert, select, update

from comoderate.annotation.chance import chance
from comoderate.annotation.claims import (
    DeskItem,
    allowed,
    decided_before,
    item_from,
    item_in,
    live_decisions,
)
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.desk_tables import (
    BLIND,
    DECIDED,
    ESCALATED,
    READABLE,
    SECOND,
    STAGES,
    THIRD,
    WAITING,
    decision_table,
    item_table,
)
from comoderate.annotation.desks import Desk, desk_in
from comoderate.annotation.journal import record
from comoderate.annotation.raters import rater_in
from comoderate.annotation.refusals import Conflict
from comoderate.errors import ComoderateError

ESCALATE = "escalate"
"""The action of one who passes a post on instead of deciding."""

_i, _d = item_table.c, decision_table.c
_KEPT = ("post_id", "target", "source", "scorer", "threshold", "proba", "review_score", "pi", "arm", "arm_probability")
_PUSHED = (*_KEPT, "action", "actor", "decided_at", "seconds", "note")
_BATCH = 2_000


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One decision on one post.

    Attributes:
        action: one of the desk's actions, or ``escalate``.
        actor: rater id of the one who decided, or what a push named.
        source: ``queue`` or ``audit``; a push may say ``appeal``.
        stage: ``first``, ``second`` or ``third`` (opinion), ``escalated``; ``pushed`` where it was made elsewhere.
        blind: whether it was made before the moderator could see any score.
        arm: the strategy that chose the post, in an experiment, with the probability of being followed.
    """

    decision_id: int
    item_id: int | None
    queue: str
    post_id: str
    target: str
    action: str
    actor: str
    source: str
    stage: str
    blind: bool
    scorer: str | None
    threshold: float | None
    proba: float | None
    review_score: float | None
    pi: float | None
    arm: str | None
    arm_probability: float | None
    decided_at: datetime
    seconds: float | None
    note: str | None


def decide(
    db: Database,
    moderator: str,
    item_id: int,
    action: str,
    *,
    idempotency_key: str,
    seconds: float | None = None,
    note: str | None = None,
    now: datetime | None = None,
) -> Decision:
    """Decide on a claimed post; on the disk before this returns. The same key again gives the same decision.

    A first decision may call for an independent second one, by chance (the desk's ``second_rate``) or because two were
    to read the post (its ``readings``). Where two differ, a third decides by siding with one of them
    (``third_reader``); three that differ, or with ``escalate_disagreement`` two, are sent on to be settled. Else the
    last decision stands.

    Raises:
        NotFound: there is no such post on the desk.
        NotAllowed: the person's role does not decide here.
        Conflict: somebody else has the post now, or has decided.
        ComoderateError: the action is none of the desk's.
    """
    step = _Step(action=action, key=idempotency_key, seconds=seconds, note=note, at=moment(now))
    return db.write(lambda connection: step.take(connection, moderator, item_id))


def ask_second(
    db: Database,
    moderator: str,
    item_id: int,
    action: str,
    *,
    idempotency_key: str,
    seconds: float | None = None,
    note: str | None = None,
    now: datetime | None = None,
) -> Decision:
    """Decide, and ask for a second opinion by another moderator, who does not see the first one. Else as decide."""
    step = _Step(action=action, key=idempotency_key, seconds=seconds, note=note, at=moment(now), second=True)
    return db.write(lambda connection: step.take(connection, moderator, item_id))


def escalate(
    db: Database,
    moderator: str,
    item_id: int,
    *,
    note: str,
    idempotency_key: str,
    seconds: float | None = None,
    now: datetime | None = None,
) -> Decision:
    """Pass a claimed post on to those who settle what is escalated, with a word why. Else as decide."""
    step = _Step(action=ESCALATE, key=idempotency_key, seconds=seconds, note=note, at=moment(now))
    return db.write(lambda connection: step.take(connection, moderator, item_id))


def undo_decision(db: Database, moderator: str, *, queue: str, now: datetime | None = None) -> DeskItem | None:
    """Take the moderator's last decision on a desk back; the post is theirs again, as it was.

    None where there is nothing to take back, or somebody has decided further on the post since. A decision after an
    undo is never ``blind``: its score may have been seen in between.
    """
    at = moment(now)

    def body(connection: Connection) -> DeskItem | None:
        found = desk_in(connection, queue)
        who = rater_in(connection, moderator, lock=True)
        mine = live_decisions().where(_d.queue == queue, _d.actor == moderator, _d.item_id.is_not(None))
        last = connection.execute(mine.order_by(None).order_by(_d.decision_id.desc()).limit(1)).mappings().first()
        if last is None:
            return None
        row, found = item_in(connection, last["item_id"], lock=True)
        later = live_decisions(last["item_id"]).where(_d.decision_id > last["decision_id"])
        if connection.execute(later).first() is not None:
            return None
        if row["claimed_by"] not in (None, moderator) and row["claimed_until"] >= at:
            return None
        gone = {name: last[name] for name in ("desk_id", "item_id", "queue", "post_id", "target", "actor", "source")}
        gone |= {"stage": last["stage"], "decided_at": at, "day": at.date().isoformat(), "blind": False}
        gone |= {"key": f"undo/{last['decision_id']}", "supersedes": last["decision_id"]}
        connection.execute(insert(decision_table), gone)
        until = at + timedelta(minutes=found.settings.claim_minutes)
        values = {"stage": STAGES.index(last["stage"]), "claimed_by": moderator, "claimed_until": until}
        values |= {"claimed_at": at}
        connection.execute(update(item_table).where(_i.item_id == row["item_id"]).values(**values))
        record(connection, "decision taken back", at, actor=moderator, role=who.role, subject=row["post_id"])
        return item_from(connection, {**row, **values}, found, moderator)

    return db.write(body)


def push_decision(
    db: Database, row: Mapping[str, Any], *, queue: str, idempotency_key: str, now: datetime | None = None
) -> Decision:
    """Store a decision that was made elsewhere; a post of that queue is then decided.

    Args:
        db: the database.
        row: ``post_id``, ``action``, ``actor`` and what else is known of a :class:`Decision`.
        queue: name of the queue; there need not be a desk for it.
        idempotency_key: the same key of the same actor again gives the same decision.
        now: the present, for tests; ``decided_at`` of the row, where given, is what is stored.

    Raises:
        ComoderateError: something needed is missing, or the row says more than a decision has.
    """
    missing = [name for name in ("post_id", "action", "actor") if not row.get(name)]
    unknown = sorted(set(row) - set(_PUSHED))
    if missing or unknown:
        raise ComoderateError(f"a decision needs {missing[0]}" if missing else f"a decision has no {unknown[0]!r}")
    source = row.get("source") or "queue"
    if source not in {"queue", "audit", "appeal"}:
        raise ComoderateError(f"source {source!r} is none of queue, audit and appeal")
    at = row.get("decided_at") or moment(now)
    values = {name: row.get(name) for name in _PUSHED}
    values |= {"source": source, "target": row.get("target") or "", "decided_at": at, "day": at.date().isoformat()}
    values |= {"queue": queue, "stage": "pushed", "key": idempotency_key, "blind": False}

    def body(connection: Connection) -> Decision:
        known = _known(connection, str(row["actor"]), idempotency_key)
        if known is not None:
            return known
        decision = _from(connection.execute(_append(values)).mappings().one())
        mine = (_i.post_id == values["post_id"]) & (_i.target == values["target"]) & (_i.stage == WAITING)
        connection.execute(update(item_table).where(mine).values(stage=DECIDED, claimed_by=None))
        record(connection, "decision pushed", moment(now), actor=values["actor"], subject=values["post_id"])
        return decision

    return db.write(body)


def count_decisions(db: Database, actor: str, *, queue: str) -> int:
    """How many decisions of ``actor`` on a queue stand; posts that were passed on are not counted."""
    mine = live_decisions().where(_d.queue == queue, _d.actor == actor, _d.action != ESCALATE).order_by(None)
    with db.reading() as connection:
        return int(connection.scalar(select(func.count()).select_from(mine.subquery())) or 0)


def stream_decisions(db: Database, *, queue: str | None = None, after: int = 0) -> Iterator[Decision]:
    """Decisions that were not taken back, oldest first, with an id above ``after``, in bounded memory."""
    query = live_decisions().limit(_BATCH)
    query = query if queue is None else query.where(_d.queue == queue)
    while True:
        with db.reading() as connection:
            rows = connection.execute(query.where(_d.decision_id > after)).mappings().all()
        yield from (_from(row) for row in rows)
        if len(rows) < _BATCH:
            return
        after = rows[-1]["decision_id"]


@dataclass(frozen=True, kw_only=True)
class _Step:
    """One thing that a moderator does with an item, within one transaction."""

    action: str
    key: str
    seconds: float | None
    note: str | None
    at: datetime
    second: bool = False

    def take(self, connection: Connection, moderator: str, item_id: int) -> Decision:
        who = rater_in(connection, moderator, lock=True)
        known = _known(connection, moderator, self.key)
        if known is not None:
            return known
        row, found = item_in(connection, item_id, lock=True)
        allowed(connection, found, moderator, escalated=row["stage"] == ESCALATED)
        self._check(row, found, moderator)
        first_time = not decided_before(connection, item_id, moderator)
        hidden = row["source"] == "audit" or found.settings.blind or row["stage"] in BLIND
        values = {name: row[name] for name in (*_KEPT, "item_id", "desk_id")}
        values |= {"queue": found.queue, "stage": STAGES[row["stage"]], "action": self.action, "actor": moderator}
        values |= {"decided_at": self.at, "day": self.at.date().isoformat(), "seconds": self.seconds}
        values |= {"note": self.note, "key": self.key, "blind": bool(hidden and first_time)}
        after = {"stage": self._stage_after(connection, row, found), "claimed_by": None, "claimed_until": None}
        decision = _from(connection.execute(_append(values)).mappings().one())
        connection.execute(update(item_table).where(_i.item_id == item_id).values(**after))
        said = {"action": self.action, "queue": found.queue, "stage": decision.stage, "blind": decision.blind}
        record(connection, "decided", self.at, actor=moderator, role=who.role, subject=row["post_id"], detail=said)
        return decision

    def _check(self, row: RowMapping, found: Desk, moderator: str) -> None:
        if self.action != ESCALATE and self.action not in found.settings.actions:
            raise ComoderateError(
                f"{self.action!r} is no action of this desk", do=f"choose one of {', '.join(found.settings.actions)}"
            )
        if row["claimed_by"] != moderator or row["stage"] not in (*READABLE, ESCALATED):
            raise Conflict("this post is not with you any more", do="take the next one")
        if self.action == ESCALATE and row["stage"] == ESCALATED:
            raise Conflict("this post is escalated already", do="decide on it")

    def _stage_after(self, connection: Connection, row: RowMapping, found: Desk) -> int:
        rules = found.settings
        if self.action == ESCALATE:
            return ESCALATED
        if row["stage"] == WAITING:
            lot = chance(rules.seed, "second", found.queue, row["post_id"], row["target"])
            return SECOND if self.second or row["readings"] > 1 or lot < rules.second_rate else DECIDED
        if row["stage"] in BLIND and not self._sided(connection, row["item_id"]):
            if row["stage"] == SECOND and rules.third_reader:
                return THIRD
            return ESCALATED if row["stage"] == THIRD or rules.escalate_disagreement else DECIDED
        return DECIDED

    def _sided(self, connection: Connection, item_id: int) -> bool:
        """Whether somebody said the same before: both of two, or two of three, who then are the majority."""
        same = live_decisions(item_id).where(_d.action == self.action)
        return bool(connection.scalar(select(exists(same.subquery().select()))))


def _append(values: dict[str, Any]) -> Any:
    return insert(decision_table).values(**values).returning(decision_table)


def _known(connection: Connection, actor: str, key: str) -> Decision | None:
    if not 0 < len(key) <= 100:
        raise ComoderateError("a decision needs a key of 1 to 100 characters")
    query = select(decision_table).where(_d.actor == actor, _d.key == key)
    row = connection.execute(query).mappings().first()
    return None if row is None else _from(row)


def _from(row: RowMapping) -> Decision:
    return Decision(**{name: row[name] for name in Decision.__dataclass_fields__})
