"""The tables of labelling: campaigns, their tasks, who holds or answered which, and what each rater did so far."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)

from comoderate.annotation.clock import Moment
from comoderate.annotation.tables import metadata

POST, BENIGN, GOLD = 0, 1, 2
"""Kinds of tasks: what is to be labelled, posts mixed in for relief, and posts whose answer is known."""
KINDS: dict[str, int] = {"post": POST, "benign": BENIGN, "gold": GOLD}

OPEN, DONE, SKIPPED, RETURNED = 0, 1, 2, 3
"""States of an assignment; a returned one had its time run out or was given back unanswered."""

campaign_table = Table(
    "campaigns",
    metadata,
    Column("campaign_id", Integer, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("state", String(10), nullable=False),
    Column("codebook_label", String(200), nullable=False),
    Column("codebook", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("tasks", Integer, nullable=False),
    Column("wanted", Integer, nullable=False),
)
"""``epoch`` grows when the order of tasks changes: raters' places in the order are then void.
``tasks`` and ``wanted`` are counted whenever tasks are loaded or withdrawn."""

task_table = Table(
    "tasks",
    metadata,
    Column("task_id", Integer, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), nullable=False),
    Column("post_id", String(200), nullable=False),
    Column("kind", SmallInteger, nullable=False),
    Column("source", String(20), nullable=False),
    Column("phase", String(100)),
    Column("text", Text),
    Column("context", Text),
    Column("tier", Integer, nullable=False),
    Column("position", Float(53), nullable=False),
    Column("pi", Float(53)),
    Column("wanted", Integer, nullable=False),
    Column("free", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("returned", Integer, nullable=False),
    Column("withdrawn", SmallInteger, nullable=False),
    Column("categories", BigInteger, nullable=False),
    Column("gold", Text),
    Column("gold_note", Text),
    UniqueConstraint("campaign_id", "post_id", name="tasks_by_post"),
    Index(
        "tasks_free",
        "campaign_id",
        "kind",
        "tier",
        "position",
        "task_id",
        sqlite_where=text("free > 0"),
        postgresql_where=text("free > 0"),
    ),
    Index(
        "tasks_returned",
        "campaign_id",
        "kind",
        "tier",
        "position",
        "task_id",
        sqlite_where=text("returned > 0"),
        postgresql_where=text("returned > 0"),
    ),
    Index("tasks_of_post", "post_id"),
    Index(
        "tasks_complete",
        "campaign_id",
        sqlite_where=text("done > 0 AND done >= wanted AND kind < 2"),
        postgresql_where=text("done > 0 AND done >= wanted AND kind < 2"),
    ),
)
"""``wanted`` = ``free`` + ``done`` + open assignments, always; a withdrawn task has no free place."""

assignment_table = Table(
    "assignments",
    metadata,
    Column("assignment_id", Integer, primary_key=True),
    Column("token", String(32), nullable=False, unique=True),
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), nullable=False),
    Column("task_id", ForeignKey("tasks.task_id"), nullable=False),
    Column("post_id", String(200), nullable=False),
    Column("rater_id", String(32), nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("leased_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("closed_at", Moment),
    Column("previous", Text),
    UniqueConstraint("task_id", "rater_id", name="assignments_once"),
    Index("assignments_by_rater", "rater_id", "post_id"),
    Index("assignments_by_post", "post_id"),
    Index(
        "assignments_open",
        "campaign_id",
        "expires_at",
        sqlite_where=text("state = 0"),
        postgresql_where=text("state = 0"),
    ),
    Index(
        "assignments_held",
        "rater_id",
        "campaign_id",
        sqlite_where=text("state = 0"),
        postgresql_where=text("state = 0"),
    ),
)
"""A row for each rater and task that ever met; it is never deleted, so it says who saw which post."""

standing_table = Table(
    "standings",
    metadata,
    Column("rater_id", String(32), primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), primary_key=True),
    Column("cohort", String(100), nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("places", Text, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("answered", Integer, nullable=False),
    Column("skipped", Integer, nullable=False),
    Column("exposure", Integer, nullable=False),
    Column("gold_seen", Integer, nullable=False),
    Column("gold_right", Integer, nullable=False),
    Column("seconds", Float(53), nullable=False),
    Column("since_break", Integer, nullable=False),
    Column("day", String(10), nullable=False),
    Column("answered_today", Integer, nullable=False),
    Column("exposure_today", Integer, nullable=False),
    Column("active_at", Moment, nullable=False),
    Index("standings_by_campaign", "campaign_id"),
)
"""What one rater did in one campaign. Progress is the sum of these: raters share no row that they would fight for."""

receipt_table = Table(
    "receipts",
    metadata,
    Column("receipt_id", Integer, primary_key=True),
    Column("rater_id", String(32), nullable=False),
    Column("key", String(100), nullable=False),
    Column("assignment_id", ForeignKey("assignments.assignment_id"), nullable=False),
    Column("campaign_id", ForeignKey("campaigns.campaign_id"), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("live", SmallInteger, nullable=False),
    UniqueConstraint("rater_id", "key", name="receipts_once"),
    Index("receipts_by_campaign", "campaign_id"),
    Index("receipts_by_assignment", "assignment_id"),
    Index(
        "receipts_live",
        "rater_id",
        "campaign_id",
        "receipt_id",
        sqlite_where=text("live = 1"),
        postgresql_where=text("live = 1"),
    ),
)
"""An acknowledged answer: sent again under the same key it gets the same receipt."""

_ZERO: ColumnElement[int] = literal_column("0")  # written out: with a parameter no partial index is used
HAS_PLACE = task_table.c.free > _ZERO
CAME_BACK = task_table.c.returned > _ZERO
IS_FULL = (
    (task_table.c.done > _ZERO) & (task_table.c.done >= task_table.c.wanted) & (task_table.c.kind < literal_column("2"))
)
IS_OPEN = assignment_table.c.state == _ZERO
IS_LIVE = receipt_table.c.live == literal_column("1")
"""Conditions that the partial indexes are made for."""
