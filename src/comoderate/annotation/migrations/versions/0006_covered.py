"""Whether a rater's posts are shown on demand only."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; nobody's posts are covered until they say so."""
    op.add_column("raters", sa.Column("covered", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Drop the column."""
    with op.batch_alter_table("raters") as raters:
        raters.drop_column("covered")
