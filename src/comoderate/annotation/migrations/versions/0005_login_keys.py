"""Names to sign in with are the same in upper and lower case."""

import sqlalchemy as sa
from alembic import op

from comoderate.annotation.raters import login_key

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of several whose names differ only in case the first has the key, the others their exact name."""
    op.add_column("raters", sa.Column("login_key", sa.String(64)))
    raters = sa.table("raters", *(sa.column(name) for name in ("rater_id", "login", "login_key", "created_at")))
    named = sa.select(raters.c.rater_id, raters.c.login).where(raters.c.login.is_not(None))
    first: dict[str | None, str] = {}
    for rater_id, login in op.get_bind().execute(named.order_by(raters.c.created_at, raters.c.rater_id)):
        first.setdefault(login_key(login), rater_id)
    if first:
        who = raters.c.rater_id == sa.bindparam("who")
        values = [{"who": rater_id, "key": key} for key, rater_id in first.items()]
        op.get_bind().execute(sa.update(raters).where(who).values(login_key=sa.bindparam("key")), values)
    op.create_index("raters_by_login_key", "raters", ["login_key"], unique=True)


def downgrade() -> None:
    """Drop both."""
    op.drop_index("raters_by_login_key", "raters")
    with op.batch_alter_table("raters") as raters:
        raters.drop_column("login_key")
