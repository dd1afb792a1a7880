"""Moderators take posts off the queue, one after the other; a claim that runs out goes to somebody else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, RowMapping, exists, select, update

from comoderate.annotation.chance import chance
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.desk_tables import (
    BLIND,
    DECIDED,
    ESCALATED,
    LEFT,
    READABLE,
    STAGES,
    WAITING,
    decision_table,
    desk_table,
    item_table,
)
from comoderate.annotation.desks import Desk, day_of, desk_in
from comoderate.annotation.journal import record
from comoderate.annotation.raters import Rater, rater_in
from comoderate.annotation.refusals import NotAllowed, NotFound

_i, _d = item_table.c, decision_table.c
_HIDDEN = ("source", "rank", "pi", "proba", "review_score", "reason", "scorer", "threshold", "arm")


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """What somebody said before about an item that was passed on."""

    action: str
    note: str | None
    stage: str


@dataclass(frozen=True, kw_only=True)
class DeskItem:
    """A post as a moderator may see it.

    While ``withheld``, all that a score or the way of choosing could tell is None: before the decision on an audit
    post, on every post of a blind desk, and for a second or third opinion, which does not show the ones before either.

    Attributes:
        stage: ``first``, ``second``, ``third``, ``escalated``, ``decided`` or ``left`` (taken off the queue).
        claimed_until: until when it is kept for this moderator; None where it is not theirs.
        reason: why the post is here, in words.
        arm: the strategy that chose it, in an experiment.
        opinions: what was said before, of an escalated item.
    """

    item_id: int
    queue: str
    post_id: str
    target: str
    text: str
    context: dict[str, Any]
    stage: str
    claimed_until: datetime | None
    withheld: bool
    source: str | None
    rank: float | None
    pi: float | None
    proba: float | None
    review_score: float | None
    reason: str | None
    scorer: str | None
    threshold: float | None
    arm: str | None
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True, kw_only=True)
class DeskOffer:
    """An item, or the reason why there is none: ``empty``, ``capacity`` (of the day), ``paused`` or ``closed``."""

    item: DeskItem | None
    reason: Literal["", "empty", "capacity", "paused", "closed"]


def claim(
    db: Database, queue: str, moderator: str, *, escalated: bool = False, now: datetime | None = None
) -> DeskOffer:
    """The next post for a moderator; the same one comes again until it is decided or released.

    Posts that wait for a second or third opinion come first, to nobody who has decided on them. In an experiment a
    coin with known probability chooses the order that is followed, at every turn.

    Args:
        db: the database.
        queue: name of the desk.
        moderator: rater id of the one who asks.
        escalated: take what was escalated instead.
        now: the present, for tests.

    Raises:
        NotFound: there is no such desk or person.
        NotAllowed: the person's role does not decide here.
    """
    at = moment(now)

    def body(connection: Connection) -> DeskOffer:
        found = desk_in(connection, queue, lock=True)
        who = allowed(connection, found, moderator, escalated=escalated)
        if found.state != "open":
            return DeskOffer(item=None, reason=found.state)
        until = at + timedelta(minutes=found.settings.claim_minutes)
        stages = (ESCALATED,) if escalated else READABLE
        row: Mapping[Any, Any] | None = _mine(connection, found, who, stages)
        if row is None:
            if not escalated and _full(connection, found, at):
                return DeskOffer(item=None, reason="capacity")
            row = _next(connection, found, who, at, escalated=escalated)
            if row is None:
                return DeskOffer(item=None, reason="empty")
        claimed = {"claimed_by": moderator, "claimed_until": until, "claimed_at": at}
        values = {**claimed, "arm": row["arm"], "arm_probability": row["arm_probability"]}
        connection.execute(update(item_table).where(_i.item_id == row["item_id"]).values(**values))
        item = item_from(connection, {**row, **values}, found, moderator)
        seen = {"queue": queue, "withheld": item.withheld}
        record(connection, "claimed", at, actor=moderator, role=who.role, subject=row["post_id"], detail=seen)
        return DeskOffer(item=item, reason="")

    return db.write(body)


def desk_item(db: Database, item_id: int, moderator: str) -> DeskItem:
    """One item as this moderator may see it: with scores, unless they are withheld from them still.

    Raises:
        NotFound: there is no such item, or it is neither claimed nor decided by this moderator.
        NotAllowed: the person's role does not decide here.
    """
    with db.reading() as connection:
        row, found = item_in(connection, item_id)
        allowed(connection, found, moderator)
        if row["claimed_by"] != moderator and not decided_before(connection, item_id, moderator):
            raise NotFound("this post is not with you")
        return item_from(connection, row, found, moderator)


def release_item(db: Database, moderator: str, item_id: int) -> None:
    """Give a claimed post back undecided."""
    with db.writing() as connection:
        mine = (_i.item_id == item_id) & (_i.claimed_by == moderator)
        connection.execute(update(item_table).where(mine).values(claimed_by=None, claimed_until=None))


def allowed(connection: Connection, found: Desk, moderator: str, *, escalated: bool = False) -> Rater:
    """The person, where their role decides on this desk.

    Raises:
        NotAllowed: it does not.
    """
    who = rater_in(connection, moderator)
    roles = found.settings.escalation_roles if escalated else found.settings.roles
    if not who.active or who.role not in roles:
        raise NotAllowed(f"to decide here is for {', '.join(roles)}")
    return who


def item_in(connection: Connection, item_id: int, *, lock: bool = False) -> tuple[RowMapping, Desk]:
    """The item, locked on request, and its desk.

    Raises:
        NotFound: there is none, or its text was forgotten.
    """
    query = select(item_table).where(_i.item_id == item_id)
    row = connection.execute(query.with_for_update() if lock else query).mappings().first()
    if row is None or row["text"] is None:
        raise NotFound("there is no such post on the desk")
    queue = connection.scalar(select(desk_table.c.queue).where(desk_table.c.desk_id == row["desk_id"]))
    return row, desk_in(connection, str(queue))


def decided_before(connection: Connection, item_id: int, moderator: str) -> bool:
    """Whether this moderator ever decided on the item, taken back or not: since then they may know its score."""
    query = select(_d.decision_id).where(_d.item_id == item_id, _d.actor == moderator).limit(1)
    return connection.scalar(query) is not None


def item_from(connection: Connection, row: Any, found: Desk, moderator: str) -> DeskItem:
    """The item as this moderator may see it."""
    hides = row["source"] == "audit" or found.settings.blind or row["stage"] in BLIND
    withheld = hides and not decided_before(connection, row["item_id"], moderator)
    shown = {name: None if withheld else row[name] for name in _HIDDEN}
    if not withheld and row["arm"] is not None and found.settings.experiment is not None:
        shown["rank"] = row["rank"] if row["arm"] == found.settings.experiment.a else row["rank_b"]
    return DeskItem(
        **shown,
        item_id=row["item_id"],
        queue=found.queue,
        post_id=row["post_id"],
        target=row["target"],
        text=row["text"],
        context=json.loads(row["context"] or "{}"),
        stage=STAGES[row["stage"]],
        claimed_until=row["claimed_until"] if row["claimed_by"] == moderator else None,
        withheld=withheld,
        opinions=_opinions(connection, row["item_id"]) if row["stage"] in (ESCALATED, DECIDED, LEFT) else (),
    )


def live_decisions(item_id: int | None = None) -> Any:
    """Decisions that were not taken back, oldest first; of one item or of all."""
    undone = decision_table.alias()
    kept = (_d.action.is_not(None), ~exists().where(undone.c.supersedes == _d.decision_id))
    query = select(decision_table).where(*kept).order_by(_d.decision_id)
    return query if item_id is None else query.where(_d.item_id == item_id)


def _opinions(connection: Connection, item_id: int) -> tuple[Opinion, ...]:
    rows = connection.execute(live_decisions(item_id)).mappings()
    return tuple(Opinion(action=row["action"], note=row["note"], stage=row["stage"]) for row in rows)


def _mine(connection: Connection, found: Desk, who: Rater, stages: tuple[int, ...]) -> RowMapping | None:
    mine = (_i.desk_id == found.desk_id) & (_i.claimed_by == who.rater_id) & _i.stage.in_(stages)
    query = select(item_table).where(mine, _i.text.is_not(None)).order_by(_i.claimed_at).limit(1)
    return connection.execute(query.with_for_update()).mappings().first()


def _full(connection: Connection, found: Desk, at: datetime) -> bool:
    capacity = found.settings.capacity
    if capacity is None:
        return False
    return sum(day_of(connection, found, at)) >= capacity


def _next(connection: Connection, found: Desk, who: Rater, at: datetime, *, escalated: bool) -> dict[str, Any] | None:
    free = (_i.desk_id == found.desk_id) & _i.text.is_not(None) & (_i.claimed_by.is_(None) | (_i.claimed_until < at))
    if escalated:
        return _first(connection, free & (_i.stage == ESCALATED), _i.item_id, None, None)
    own = exists().where(_d.item_id == _i.item_id, _d.actor == who.rater_id)
    return _first(connection, free & _i.stage.in_(BLIND) & ~own, _i.item_id, None, None) or _in_order(
        connection, found, who, free & (_i.stage == WAITING)
    )


def _in_order(connection: Connection, found: Desk, who: Rater, free: ColumnElement[bool]) -> dict[str, Any] | None:
    """The front of the queue; in an experiment, of the order that the coin chose.

    Where that one is empty it is the other's, with probability 1: such items are no part of the comparison.
    """
    trial = found.settings.experiment
    if trial is None:
        return _first(connection, free & _i.rank.is_not(None), _i.rank, None, None)
    turn = connection.scalar(select(decision_table.c.decision_id).order_by(_d.decision_id.desc()).limit(1)) or 0
    heads = chance(found.settings.seed, "arm", found.queue, who.rater_id, turn) < trial.probability_a
    orders = [(trial.a, _i.rank, trial.probability_a), (trial.b, _i.rank_b, 1 - trial.probability_a)]
    (name, rank, probability), (other, other_rank, _) = orders if heads else reversed(orders)
    return _first(connection, free & rank.is_not(None), rank, name, probability) or _first(
        connection, free & other_rank.is_not(None), other_rank, other, 1.0
    )


def _first(
    connection: Connection, which: ColumnElement[bool], order: Any, arm: str | None, probability: float | None
) -> dict[str, Any] | None:
    query = select(item_table).where(which).order_by(order, _i.item_id).limit(1).with_for_update(skip_locked=True)
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    if row["stage"] != WAITING:  # it keeps the arm under which it was first read
        return dict(row)
    both = row["source"] == "audit"  # audits belong to neither order
    return {**row, "arm": None if both else arm, "arm_probability": None if both else probability}
