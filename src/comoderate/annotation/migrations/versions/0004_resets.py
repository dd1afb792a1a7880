"""Links with which people choose a new password, and when an invitation was last used."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, empty for invitations used before, and the table."""
    op.add_column("invitations", sa.Column("used_at", sa.Double))
    op.create_table(
        "resets",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("rater_id", sa.String(32), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("created_by", sa.String(32)),
        sa.Column("expires_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("resets_by_rater", "resets", ["rater_id"])


def downgrade() -> None:
    """Drop both."""
    op.drop_table("resets")
    with op.batch_alter_table("invitations") as invitations:
        invitations.drop_column("used_at")
