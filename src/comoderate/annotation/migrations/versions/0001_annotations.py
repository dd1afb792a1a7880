"""The annotation table."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table and its indexes."""
    op.create_table(
        "annotations",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("response_id", sa.String(80), nullable=False, unique=True),
        sa.Column("post_id", sa.String(200), nullable=False),
        sa.Column("rater_id", sa.String(200)),
        sa.Column("cohort", sa.String(100), nullable=False),
        sa.Column("source", sa.String(20), nullable=False),
        sa.Column("codebook", sa.String(200), nullable=False),
        sa.Column("question", sa.String(100), nullable=False),
        sa.Column("answer", sa.String(2000)),
        sa.Column("created_at", sa.DateTime(timezone=True)),
        sa.Column("seconds", sa.Float),
        sa.Column("supersedes", sa.String(80)),
    )
    op.create_index("annotations_by_post", "annotations", ["post_id"])
    op.create_index("annotations_by_supersedes", "annotations", ["supersedes"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("annotations")
