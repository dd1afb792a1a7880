"""The tables of the web application: campaigns, tasks, people, the review desk and the journal."""

import sqlalchemy as sa
from alembic import op

from comoderate.annotation.tables import metadata

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and their indexes."""
    op.add_column("annotations", sa.Column("campaign", sa.String(100)))
    metadata.create_all(op.get_bind())


def downgrade() -> None:
    """Drop the tables."""
