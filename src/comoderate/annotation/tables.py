"""The annotation table: append-only, one rater's answer to one question on one post a row."""

from __future__ import annotations

from sqlalchemy import Column, DateTime, Float, Index, Integer, MetaData, String, Table

metadata = MetaData()

annotation_table = Table(
    "annotations",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("response_id", String(80), nullable=False, unique=True),
    Column("post_id", String(200), nullable=False),
    Column("rater_id", String(200)),
    Column("cohort", String(100), nullable=False),
    Column("source", String(20), nullable=False),
    Column("codebook", String(200), nullable=False),
    Column("question", String(100), nullable=False),
    Column("answer", String(2000)),
    Column("created_at", DateTime(timezone=True)),
    Column("seconds", Float),
    Column("supersedes", String(80)),
    Column("campaign", String(100)),
    Index("annotations_by_post", "post_id"),
    Index("annotations_by_supersedes", "supersedes"),
)
"""``number`` orders the rows and is the store's revision; ``answer`` is null in a row that only withdraws another."""

COLUMNS: tuple[str, ...] = tuple(
    column.name for column in annotation_table.columns if column.name not in {"number", "campaign"}
)

SOURCES: tuple[str, ...] = ("sample", "audit", "assess", "queue", "appeal", "gold", "tutorial", "import")
"""How a labelled post was chosen."""
