"""Tasks: the posts of a campaign with their text as raters see it, their place in the order, and who wants how many."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, case, func, select, update
from sqlalchemy.sql.dml import Update

from comoderate.annotation.bulk import among, insert_many
from comoderate.annotation.campaigns import Campaign, CampaignSettings, campaign_in
from comoderate.annotation.chance import chance
from comoderate.annotation.database import Database
from comoderate.annotation.labelling_tables import GOLD, KINDS, campaign_table, task_table
from comoderate.annotation.tables import SOURCES
from comoderate.errors import ComoderateError

_BATCH = 1_000
_UNDERTAKEN = task_table.c.wanted - task_table.c.free
"""Places of a task that are answered or held."""


class LoadCounts(NamedTuple):
    """What a loading did: rows that were not there before, and rows that were there with something else in them."""

    added: int
    changed: int


def load_tasks(db: Database, rows: Iterable[Mapping[str, Any]], *, campaign: str) -> LoadCounts:
    """Add tasks to a campaign, or bring those that are there up to date; answers and open places are kept.

    Streamed: rows are taken a thousand at a time, each thousand in a transaction of its own. To load again after an
    interruption, or with changes, is safe. A post that was forgotten stays so.

    Args:
        db: the database.
        rows: mappings with ``post_id`` and ``text``, and what else is known: ``context`` (a mapping, shown beside the
            text), ``kind`` (``post``, ``gold`` or ``benign``), ``source`` (``sample`` by default), ``phase``,
            ``order`` (smaller first; by default a random number that belongs to the post), ``tier`` (lower first,
            before ``order``), ``pi`` (inclusion probability), ``overlap``, ``categories`` (names of the campaign's),
            ``gold`` (question → right answers) and ``gold_note`` (what is said about it afterwards).
        campaign: its name.

    Raises:
        ComoderateError: a row is not like that; the thousands before it are loaded.
        NotFound: there is no such campaign.
    """
    with db.reading() as connection:
        found = campaign_in(connection, campaign)
    stream, added, changed = iter(rows), 0, 0
    while batch := {row["post_id"]: row for row in (_values(given, found) for given in islice(stream, _BATCH))}:
        counts = db.write(lambda connection, batch=batch: _merge(connection, batch, found.campaign_id))  # type: ignore[misc]
        added, changed = added + counts.added, changed + counts.changed
    if added or changed:
        _reordered(db, found.campaign_id)
    return LoadCounts(added, changed)


def reorder_tasks(db: Database, orders: Iterable[tuple[str, float]], *, campaign: str) -> int:
    """Give tasks a new place in the order, for instance by a scorer's uncertainty or by an assessment's choice.

    Args:
        db: the database.
        orders: post ids, each with its number; smaller comes first.
        campaign: its name.

    Returns:
        How many tasks have a new place; posts that are no tasks of the campaign are passed over.
    """
    with db.reading() as connection:
        found = campaign_in(connection, campaign)
    c = task_table.c
    move = (
        update(task_table)
        .where(c.campaign_id == found.campaign_id, c.post_id == bindparam("post"), c.position != bindparam("place"))
        .values(position=bindparam("place"))
    )
    total, stream = 0, iter(orders)
    while batch := [{"post": post, "place": float(place)} for post, place in islice(stream, _BATCH)]:
        total += db.write(lambda connection, batch=batch: int(connection.execute(move, batch).rowcount))  # type: ignore[misc]
    _reordered(db, found.campaign_id)
    return total


def withdraw_tasks(db: Database, post_ids: Iterable[str], *, campaign: str) -> int:
    """Give these posts to nobody any more; what is answered or held stays. Loading one again brings it back.

    Returns:
        How many tasks were not withdrawn before.
    """
    with db.reading() as connection:
        found = campaign_in(connection, campaign)
    c, total, stream = task_table.c, 0, iter(post_ids)
    while batch := list(islice(stream, _BATCH)):
        mine = (c.campaign_id == found.campaign_id) & among(db.dialect, c.post_id, batch) & (c.withdrawn == 0)
        close = update(task_table).where(mine).values(wanted=_UNDERTAKEN, free=0, returned=0, withdrawn=1)
        total += db.write(lambda connection, close=close: int(connection.execute(close).rowcount))  # type: ignore[misc]
    _reordered(db, found.campaign_id)
    return total


def stream_tasks(db: Database, *, campaign: str, batch: int = 5_000) -> Iterator[list[dict[str, Any]]]:
    """The tasks of a campaign in batches, in bounded memory.

    Each is a dictionary: post_id, kind, source, phase, tier, order, pi, overlap, done, text. The inclusion
    probabilities of the benign posts that were mixed in are here.
    """
    c = task_table.c
    names = {value: name for name, value in KINDS.items()}
    columns = (c.task_id, c.post_id, c.kind, c.source, c.phase, c.tier, c.position.label("order"), c.pi)
    query = select(*columns, c.wanted.label("overlap"), c.done, c.text).order_by(c.task_id).limit(batch)
    with db.reading() as connection:
        query = query.where(c.campaign_id == campaign_in(connection, campaign).campaign_id)
    after = 0
    while True:
        with db.reading() as connection:
            rows = connection.execute(query.where(c.task_id > after)).mappings().all()
        if not rows:
            return
        after = rows[-1]["task_id"]
        yield [{**row, "kind": names[row["kind"]]} for row in rows]


def category_mask(names: Iterable[str], settings: CampaignSettings) -> int:
    """The campaign's categories among ``names``, as bits."""
    wanted = set(names)
    return sum(1 << bit for bit, name in enumerate(settings.categories) if name in wanted)


def _values(row: Mapping[str, Any], campaign: Campaign) -> dict[str, Any]:
    """The columns of one task from a row as users give it."""
    where = f"task {row.get('post_id', '')!r}"
    if not row.get("post_id") or not isinstance(row.get("text"), str):
        raise ComoderateError("a task needs post_id and text", where=where)
    kind = row.get("kind", "post")
    if kind not in KINDS:
        raise ComoderateError(f"{kind!r} is no kind of task", where=where, do=f"choose one of {', '.join(KINDS)}")
    source = row.get("source") or ("gold" if kind == "gold" else "sample")
    if source not in SOURCES:
        raise ComoderateError(f"{source!r} is no source", where=where, do=f"choose one of {', '.join(SOURCES)}")
    if (kind == "gold") != bool(row.get("gold")):
        raise ComoderateError("a task of kind gold, and no other, has the right answers in gold", where=where)
    unknown = set(row.get("categories") or ()) - set(campaign.settings.categories)
    if unknown:
        raise ComoderateError(f"{sorted(unknown)[0]!r} is no category of campaign {campaign.name!r}", where=where)
    post_id, order, overlap = str(row["post_id"]), row.get("order"), row.get("overlap")
    return {
        "post_id": post_id,
        "kind": KINDS[kind],
        "source": source,
        "phase": row.get("phase"),
        "text": row["text"],
        "context": _json(row.get("context")),
        "tier": int(row.get("tier") or 0),
        "position": chance(campaign.settings.seed, "order", post_id) if order is None else float(order),
        "pi": row.get("pi"),
        "wanted": 1 if kind == "gold" else campaign.settings.overlap if overlap is None else int(overlap),
        "categories": category_mask(row.get("categories") or (), campaign.settings),
        "gold": _json(row.get("gold")),
        "gold_note": row.get("gold_note"),
    }


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False, default=str) if value else None


def _merge(connection: Connection, batch: dict[str, dict[str, Any]], campaign_id: int) -> LoadCounts:
    c = task_table.c
    mine = (c.campaign_id == campaign_id) & among(connection.dialect.name, c.post_id, batch)
    query = select(task_table).where(mine).with_for_update()
    known = {row["post_id"]: row for row in connection.execute(query).mappings()}
    new = [row for post_id, row in batch.items() if post_id not in known]
    added = 0
    if new:
        state = {"campaign_id": campaign_id, "done": 0, "returned": 0, "withdrawn": 0}
        begun = [{**row, **state, "free": row["wanted"]} for row in new]
        added = insert_many(connection, task_table, begun, known="skip")
    changed = [
        {**row, "id": known[post_id]["task_id"]}
        for post_id, row in batch.items()
        if post_id in known and _differs(row, known[post_id])
    ]
    if changed:
        connection.execute(_update_of(tuple(changed[0])), [{f"new_{k}": v for k, v in row.items()} for row in changed])
    return LoadCounts(added, len(changed))


def _differs(row: dict[str, Any], known: Mapping[Any, Any]) -> bool:
    """Whether a task that was not forgotten has anything new in its row, or comes back after it was withdrawn."""
    other = known["withdrawn"] or any(known[name] != value for name, value in row.items())
    return known["text"] is not None and bool(other)


def _update_of(names: Sequence[str]) -> Update:
    """The statement that overwrites a task; more or fewer raters wanted opens or shuts places that nobody took."""
    c = task_table.c
    free: Any = bindparam("new_wanted") - _UNDERTAKEN
    open_places = case((c.kind == GOLD, 1), (free > 0, free), else_=0)
    plain: dict[str, Any] = {name: bindparam(f"new_{name}") for name in names if name not in {"id", "wanted"}}
    wanted = case((c.kind == GOLD, 1), (free > 0, bindparam("new_wanted")), else_=_UNDERTAKEN)
    return (
        update(task_table)
        .where(c.task_id == bindparam("new_id"))
        .values(**plain, wanted=wanted, free=open_places, withdrawn=0)
    )


def _reordered(db: Database, campaign_id: int) -> None:
    """Void the raters' places in the order, so that each looks from the front again, and count the tasks."""
    c = campaign_table.c
    mine = (task_table.c.campaign_id == campaign_id) & (task_table.c.kind != GOLD)
    counts = select(func.count(), func.coalesce(func.sum(task_table.c.wanted), 0)).where(mine)

    def body(connection: Connection) -> None:
        tasks, wanted = connection.execute(counts).one()
        new = {"epoch": c.epoch + 1, "tasks": tasks, "wanted": wanted}
        connection.execute(update(campaign_table).where(c.campaign_id == campaign_id).values(**new))

    db.write(body)
