"""The searches for a task that a rater may be given, built once each: along an index, from a place in the order.

Their parameters: ``campaign``, ``kind``, ``rater``, ``mask`` (the categories that the rater does not want, as bits),
and for a search from a place in the order ``tier``, ``position`` and ``task``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, exists, select, true, tuple_
from sqlalchemy.sql.expression import FromClause

from comoderate.annotation.labelling_tables import (
    CAME_BACK,
    HAS_PLACE,
    IS_OPEN,
    RETURNED,
    assignment_table,
    task_table,
)

FRONT: dict[str, Any] = {"tier": -(2**31), "position": -1e308, "task": 0}
"""The place before all tasks."""
LOOKED_AT = 50
"""How many places that came back are looked at: a rater who has met all of these goes on elsewhere."""

_a, _t = assignment_table.c, task_table.c
_ORDER = (_t.tier, _t.position, _t.task_id)


def place(row: Mapping[Any, Any]) -> dict[str, Any]:
    """The place of a task in the order."""
    return {"tier": row["tier"], "position": row["position"], "task": row["task_id"]}


@cache
def ahead(*, again: bool, masked: bool, wait: bool | None) -> Select[Any]:
    """The first task behind a place that has room and that the rater never met.

    Args:
        again: whether only meetings in this campaign count.
        masked: whether the rater opted out of anything.
        wait: lock it, waiting for others who have it locked (True) or passing over what they have (False); None for
            not locking it.
    """
    behind = tuple_(*_ORDER) > tuple_(bindparam("tier"), bindparam("position"), bindparam("task"))
    found = select(task_table).where(*_pool(), HAS_PLACE, behind, *_fits(task_table, again, masked))
    first = found.order_by(*_ORDER).limit(1)
    return first if wait is None else first.with_for_update(skip_locked=not wait)


@cache
def came_back(*, again: bool, masked: bool) -> Select[Any]:
    """The id of the first task with a place that came back and that the rater never met, of :data:`LOOKED_AT`."""
    few = select(task_table).where(*_pool(), CAME_BACK, _t.free >= 1).order_by(*_ORDER).limit(LOOKED_AT).subquery()
    found = select(few.c.task_id).where(*_fits(few, again, masked))
    return found.order_by(few.c.tier, few.c.position, few.c.task_id).limit(1)


@cache
def held_by_others(*, again: bool) -> Select[Any]:
    """A post that somebody else holds and that the rater could still be given, should it come back."""
    open_now = (_a.campaign_id == bindparam("campaign"), IS_OPEN, _a.rater_id != bindparam("rater"))
    held = select(_a.post_id).where(*open_now).subquery()
    return select(held.c.post_id).where(*_fits(held, again, False)).limit(1)


def _pool() -> tuple[ColumnElement[bool], ...]:
    return _t.campaign_id == bindparam("campaign"), _t.kind == bindparam("kind")


def _fits(tasks: FromClause, again: bool, masked: bool) -> tuple[ColumnElement[bool], ...]:
    """The rater never met the post, and did not opt out of it."""
    met = exists().where(_a.rater_id == bindparam("rater"), _a.post_id == tasks.c.post_id, _a.state != RETURNED)
    met = met.where(_a.campaign_id == bindparam("campaign")) if again else met
    return ~met, tasks.c.categories.op("&")(bindparam("mask")) == 0 if masked else true()
