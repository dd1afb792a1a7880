"""The review desk: queues of posts for moderators, how much a day they can read, and in which order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection, RowMapping, func, or_, select, update

from comoderate.annotation.campaigns import State
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.desk_tables import DECIDED, LEFT, STAGES, WAITING, decision_table, desk_table, item_table
from comoderate.annotation.journal import record
from comoderate.annotation.refusals import NotFound
from comoderate.annotation.tasks import LoadCounts
from comoderate.annotation.upsert import upsert
from comoderate.errors import ComoderateError

_i, _d = item_table.c, decision_table.c
_BATCH = 500
_GIVEN = ("text", "context", "source", "rank", "rank_b", "pi", "proba", "review_score", "reason", "scorer", "threshold")
_READINGS = (1, 2)
_PASSED_ON = ("second", "third", "escalated")


class Experiment(BaseModel):
    """Two orders of the queue compared on the same moderators: at each turn a coin says which one is followed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    a: str = Field(description="Name of the strategy that gives `rank`.")
    b: str = Field(description="Name of the strategy that gives `rank_b`.")
    probability_a: float = Field(default=0.5, gt=0, lt=1, description="How often the first one is followed.")


class DeskSettings(BaseModel):
    """The rules of a review desk."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    capacity: int | None = Field(default=None, ge=0, description="Posts that the whole desk reads a day (UTC).")
    claim_minutes: float = Field(default=15, gt=0, description="How long a post is kept for the one who has it.")
    actions: tuple[str, ...] = Field(default=("remove", "keep"), min_length=2, description="What can be decided.")
    roles: tuple[str, ...] = Field(default=("moderator", "expert", "coordinator"), description="Who decides.")
    escalation_roles: tuple[str, ...] = Field(
        default=("expert", "coordinator"), description="Who settles what was escalated."
    )
    blind: bool = Field(default=False, description="Whether no score is shown before a decision, for audits or not.")
    second_rate: float = Field(
        default=0, ge=0, le=1, description="Share of posts that a second moderator judges independently, by chance."
    )
    third_reader: bool = Field(
        default=False,
        description="Whether two who disagree send a post to a third moderator, and three who differ on to be settled.",
    )
    escalate_disagreement: bool = Field(
        default=False, description="Whether two moderators who disagree send a post on to be settled at once."
    )
    experiment: Experiment | None = Field(default=None, description="Two strategies to compare.")
    seed: int = Field(default=0, description="Decides what is left to chance.")


@dataclass(frozen=True, kw_only=True)
class Desk:
    """One review desk as it stands."""

    queue: str
    state: State
    settings: DeskSettings
    created_at: datetime
    desk_id: int


@dataclass(frozen=True, kw_only=True)
class DeskProgress:
    """How far a queue is: items by stage, those with moderators now among them, and what was decided today (UTC)."""

    waiting: int
    claimed: int
    second: int
    third: int
    escalated: int
    decided: int
    decided_today: int
    capacity: int | None


def create_desk(
    db: Database,
    queue: str,
    settings: DeskSettings | None = None,
    *,
    state: State = "open",
    actor: str | None = None,
    now: datetime | None = None,
) -> Desk:
    """Make a desk for the queue called ``queue``, or change the rules of the one that is there."""
    at, rules = moment(now), (settings or DeskSettings()).model_dump_json()

    def body(connection: Connection) -> Desk:
        values = {"queue": queue, "state": state, "settings": rules, "created_at": at}
        make = upsert(connection, desk_table).on_conflict_do_update(index_elements=["queue"], set_={"settings": rules})
        connection.execute(make, values)
        record(connection, "desk set up", at, actor=actor, subject=queue, detail={"settings": json.loads(rules)})
        return desk_in(connection, queue)

    return db.write(body)


def set_desk_state(
    db: Database, queue: str, state: Literal["open", "paused", "closed"], *, actor: str | None = None,
    now: datetime | None = None,
) -> Desk:  # fmt: skip
    """Open, pause or close a desk; what moderators have claimed they can still decide."""
    at = moment(now)

    def body(connection: Connection) -> Desk:
        found = desk_in(connection, queue, lock=True)
        connection.execute(update(desk_table).where(desk_table.c.desk_id == found.desk_id).values(state=state))
        record(connection, f"desk {state}", at, actor=actor, subject=queue)
        return desk_in(connection, queue)

    return db.write(body)


def desk(db: Database, queue: str) -> Desk:
    """The desk of the queue called ``queue``.

    Raises:
        NotFound: there is none.
    """
    with db.reading() as connection:
        return desk_in(connection, queue)


def desks(db: Database) -> list[Desk]:
    """All desks, oldest first."""
    with db.reading() as connection:
        query = select(desk_table).order_by(desk_table.c.desk_id)
        return [_desk(row) for row in connection.execute(query).mappings()]


def load_queue(
    db: Database,
    rows: Iterable[Mapping[str, Any]],
    *,
    queue: str,
    replace: bool = True,
    actor: str | None = None,
    now: datetime | None = None,
) -> LoadCounts:
    """Put posts on a desk, in one transaction; what was decided stays decided.

    Args:
        db: the database.
        rows: mappings with ``post_id``, ``text`` and ``rank`` (1 is read first), and what else is known: ``target``,
            ``context``, ``source`` (``queue``, or ``audit`` for the random posts among them), ``rank_b`` (the order of
            an experiment's second strategy; a post that one of them would not show has no rank there), ``pi``,
            ``proba``, ``review_score``, ``reason`` (in words), ``scorer``, ``threshold``, ``readings`` (2 where two
            moderators judge the post independently, whatever the desk's ``second_rate``; else 1).
        queue: its name; the desk must be there.
        replace: take posts off that are not in ``rows`` and on which nobody has decided.
        actor: who loads.
        now: the present, for tests.

    Returns:
        Posts that were not on the desk before, and posts that were.

    Raises:
        NotFound: there is no such desk.
        ComoderateError: a row is not like that; nothing is changed then.
    """
    at = moment(now)

    def body(connection: Connection) -> LoadCounts:
        found = desk_in(connection, queue, lock=True)
        batch = int(connection.scalar(select(func.max(_i.batch)).where(_i.desk_id == found.desk_id)) or 0) + 1
        stream, added, total = iter(rows), 0, 0
        while part := [_values(row, found.desk_id, batch, at) for row in islice(stream, _BATCH)]:
            added += _merge(connection, part)
            total += len(part)
        if replace:
            old = (_i.desk_id == found.desk_id) & (_i.batch < batch) & (_i.stage == WAITING)
            gone = update(item_table).where(old, _i.claimed_by.is_(None) | (_i.claimed_until < at))
            connection.execute(gone.values(stage=LEFT, claimed_by=None))
        record(connection, "queue loaded", at, actor=actor, subject=queue, detail={"posts": total})
        return LoadCounts(added, total - added)

    return db.write(body)


def desk_progress(db: Database, queue: str, *, now: datetime | None = None) -> DeskProgress:
    """How far the queue called ``queue`` is.

    Raises:
        NotFound: there is no such desk.
    """
    at = moment(now)
    with db.reading() as connection:
        found = desk_in(connection, queue)
        by_stage = select(_i.stage, func.count()).where(_i.desk_id == found.desk_id).group_by(_i.stage)
        counts = {int(stage): int(n) for stage, n in connection.execute(by_stage)}
        decided, claimed = day_of(connection, found, at)
        return DeskProgress(
            **{name: counts.get(stage, 0) for stage, name in enumerate(STAGES) if name in _PASSED_ON},
            waiting=counts.get(WAITING, 0),
            decided=counts.get(DECIDED, 0),
            claimed=claimed,
            decided_today=decided,
            capacity=found.settings.capacity,
        )


def day_of(connection: Connection, found: Desk, at: datetime) -> tuple[int, int]:
    """What a desk has done and has under way: decided today (UTC), and with moderators now.

    Escalations count, decisions that were taken back do not. Both are counted at the same moment, so that a post that
    is being decided on is in one of them, and in one only.
    """
    undone = select(_d.supersedes).where(_d.supersedes.is_not(None), _d.queue == found.queue)
    today = (_d.queue == found.queue, _d.day == at.date().isoformat(), _d.action.is_not(None), _d.item_id.is_not(None))
    done = select(func.count()).select_from(decision_table).where(*today, _d.decision_id.not_in(undone))
    held = (_i.desk_id == found.desk_id, _i.claimed_by.is_not(None), _i.claimed_until >= at)
    under_way = select(func.count()).select_from(item_table).where(*held)
    decided, claimed = connection.execute(select(done.scalar_subquery(), under_way.scalar_subquery())).one()
    return int(decided), int(claimed)


def desk_in(connection: Connection, queue: str, *, lock: bool = False) -> Desk:
    """The desk within a transaction; locked on request, so that one moderator claims after the other."""
    query = select(desk_table).where(desk_table.c.queue == queue)
    row = connection.execute(query.with_for_update(key_share=True) if lock else query).mappings().first()
    if row is None:
        raise NotFound(f"there is no review desk {queue!r}")
    return _desk(row)


def _desk(row: RowMapping) -> Desk:
    return Desk(**{**row, "settings": DeskSettings.model_validate_json(row["settings"])})


def _values(row: Mapping[str, Any], desk_id: int, batch: int, at: datetime) -> dict[str, Any]:
    where = f"post {row.get('post_id', '')!r} of the queue"
    if not row.get("post_id") or not isinstance(row.get("text"), str):
        raise ComoderateError("a post on the desk needs post_id and text", where=where)
    source = row.get("source") or "queue"
    if source not in {"queue", "audit"}:
        raise ComoderateError(f"source {source!r} is neither queue nor audit", where=where)
    if source == "audit" and row.get("pi") is None:
        raise ComoderateError("an audit post needs pi, its inclusion probability", where=where)
    readings = 1 if row.get("readings") is None else row["readings"]
    if readings not in _READINGS:
        raise ComoderateError(f"a post is read by one or two moderators, not by {readings}", where=where)
    values: dict[str, Any] = {**{name: row.get(name) for name in _GIVEN}, "readings": int(readings)}
    values |= {"source": source, "context": json.dumps(row.get("context") or {}, ensure_ascii=False, default=str)}
    if source == "audit" and values["rank_b"] is None:  # audits come in both orders of an experiment
        values["rank_b"] = values["rank"]
    if values["rank"] is None and values["rank_b"] is None:
        raise ComoderateError("a post on the desk needs a rank", where=where)
    names = {"desk_id": desk_id, "post_id": str(row["post_id"]), "target": str(row.get("target") or "")}
    return {**values, **names, "batch": batch, "added_at": at, "stage": WAITING}


def _merge(connection: Connection, part: list[dict[str, Any]]) -> int:
    """Insert or update one part; how many are new. Decided, second and escalated items keep their stage and text."""
    desk_id = part[0]["desk_id"]
    posts = [row["post_id"] for row in part]
    known = select(_i.post_id, _i.target).where(_i.desk_id == desk_id, _i.post_id.in_(posts))
    there = {(post_id, target) for post_id, target in connection.execute(known)}
    insertion = upsert(connection, item_table)
    changed = {name: insertion.excluded[name] for name in (*_GIVEN, "readings", "batch", "stage")}
    open_still = or_(_i.stage == WAITING, _i.stage == LEFT) & _i.text.is_not(None)
    keys = ["desk_id", "post_id", "target"]
    connection.execute(insertion.on_conflict_do_update(index_elements=keys, set_=changed, where=open_still), part)
    return len({(row["post_id"], row["target"]) for row in part} - there)
