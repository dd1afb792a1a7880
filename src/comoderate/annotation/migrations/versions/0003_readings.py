"""How many moderators read a post of the review desk."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what was on a desk before is read once."""
    op.add_column("desk_items", sa.Column("readings", sa.SmallInteger, nullable=False, server_default="1"))


def downgrade() -> None:
    """Drop the column."""
    with op.batch_alter_table("desk_items") as items:
        items.drop_column("readings")
