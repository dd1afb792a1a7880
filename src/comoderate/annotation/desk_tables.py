"""The tables of the review desk, and the journal of who saw and decided what."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from comoderate.annotation.clock import Moment
from comoderate.annotation.tables import metadata

WAITING, SECOND, ESCALATED, DECIDED, LEFT, THIRD = 0, 1, 2, 3, 4, 5
"""Stages of an item; one that left was taken off the queue by a newer one before anybody decided on it."""
STAGES: tuple[str, ...] = ("first", "second", "escalated", "decided", "left", "third")
READABLE, BLIND = (WAITING, SECOND, THIRD), (SECOND, THIRD)
"""Stages of items that any moderator takes, and of these those at which nobody sees what was said before."""

desk_table = Table(
    "desks",
    metadata,
    Column("desk_id", Integer, primary_key=True),
    Column("queue", String(100), nullable=False, unique=True),
    Column("state", String(10), nullable=False),
    Column("settings", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
)

item_table = Table(
    "desk_items",
    metadata,
    Column("item_id", Integer, primary_key=True),
    Column("desk_id", ForeignKey("desks.desk_id"), nullable=False),
    Column("post_id", String(200), nullable=False),
    Column("target", String(100), nullable=False),
    Column("text", Text),
    Column("context", Text),
    Column("source", String(20), nullable=False),
    Column("rank", Float(53)),
    Column("rank_b", Float(53)),
    Column("pi", Float(53)),
    Column("proba", Float(53)),
    Column("review_score", Float(53)),
    Column("reason", Text),
    Column("scorer", String(200)),
    Column("threshold", Float(53)),
    Column("readings", SmallInteger, nullable=False, server_default="1"),
    Column("batch", Integer, nullable=False),
    Column("added_at", Moment, nullable=False),
    Column("stage", SmallInteger, nullable=False),
    Column("claimed_by", String(32)),
    Column("claimed_until", Moment),
    Column("claimed_at", Moment),
    Column("arm", String(100)),
    Column("arm_probability", Float(53)),
    UniqueConstraint("desk_id", "post_id", "target", name="desk_items_once"),
    Index("desk_items_by_stage", "desk_id", "stage", "rank", "item_id"),
    Index("desk_items_by_stage_b", "desk_id", "stage", "rank_b", "item_id"),
    Index("desk_items_of_post", "post_id"),
    Index(
        "desk_items_claimed",
        "claimed_by",
        sqlite_where=text("claimed_by IS NOT NULL"),
        postgresql_where=text("claimed_by IS NOT NULL"),
    ),
)

decision_table = Table(
    "decisions",
    metadata,
    Column("decision_id", Integer, primary_key=True),
    Column("desk_id", ForeignKey("desks.desk_id")),
    Column("item_id", ForeignKey("desk_items.item_id")),
    Column("queue", String(100), nullable=False),
    Column("post_id", String(200), nullable=False),
    Column("target", String(100), nullable=False),
    Column("action", String(100)),
    Column("actor", String(200), nullable=False),
    Column("source", String(20), nullable=False),
    Column("stage", String(10), nullable=False),
    Column("scorer", String(200)),
    Column("threshold", Float(53)),
    Column("proba", Float(53)),
    Column("review_score", Float(53)),
    Column("pi", Float(53)),
    Column("arm", String(100)),
    Column("arm_probability", Float(53)),
    Column("blind", Boolean, nullable=False),
    Column("decided_at", Moment, nullable=False),
    Column("day", String(10), nullable=False),
    Column("seconds", Float(53)),
    Column("note", Text),
    Column("key", String(100), nullable=False),
    Column("supersedes", Integer),
    UniqueConstraint("actor", "key", name="decisions_once"),
    Index("decisions_by_item", "item_id"),
    Index("decisions_by_post", "post_id"),
    Index("decisions_by_day", "queue", "day"),
    Index("decisions_by_supersedes", "supersedes"),
)
"""Append-only: what is taken back stays, and a row without action supersedes it."""

journal_table = Table(
    "journal",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("event", String(50), nullable=False),
    Column("actor", String(200)),
    Column("role", String(20)),
    Column("subject", String(200)),
    Column("campaign", String(100)),
    Column("detail", Text),
    Index("journal_by_subject", "subject"),
    Index("journal_by_actor", "actor"),
)
"""Append-only."""
