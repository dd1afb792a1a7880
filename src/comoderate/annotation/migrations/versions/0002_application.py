"""The tables of the web application: people, campaigns and their tasks, the review desk and the journal."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = (
    "journal", "decisions", "desk_items", "desks", "receipts", "standings", "assignments", "tasks", "campaigns",
    "enquiries", "api_tokens", "sessions", "invitations", "raters",
)  # fmt: skip


def upgrade() -> None:
    """Create the tables and their indexes, and note in annotations which campaign they belong to."""
    op.add_column("annotations", sa.Column("campaign", sa.String(100)))
    for create in (_people, _entrances, _campaigns, _tasks, _assignments, _standings, _desks, _decisions):
        create()


def downgrade() -> None:
    """Drop the tables."""
    for name in TABLES:
        op.drop_table(name)
    with op.batch_alter_table("annotations") as annotations:
        annotations.drop_column("campaign")


def _people() -> None:
    op.create_table(
        "raters",
        sa.Column("rater_id", sa.String(32), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("cohort", sa.String(100), nullable=False),
        sa.Column("language", sa.String(20), nullable=False),
        sa.Column("login", sa.String(200)),
        sa.Column("password_hash", sa.String(300)),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("consented_at", sa.Double),
        sa.Column("consent_version", sa.String(100)),
        sa.Column("tutorial_at", sa.Double),
        sa.Column("tutorial_codebook", sa.String(200)),
        sa.Column("qualified", sa.Boolean),
        sa.Column("qualification_codebook", sa.String(200)),
        sa.Column("qualification_score", sa.Float(precision=53)),
        sa.Column("qualification_tries", sa.Integer, nullable=False),
        sa.Column("opted_out", sa.Text, nullable=False),
        sa.Column("exposure_cap", sa.Integer),
        sa.PrimaryKeyConstraint("rater_id"),
        sa.UniqueConstraint("login"),
    )
    op.create_table(
        "enquiries",
        sa.Column("enquiry_id", sa.Integer, nullable=False),
        sa.Column("campaign", sa.String(100), nullable=False),
        sa.Column("rater_id", sa.String(32), nullable=False),
        sa.Column("post_id", sa.String(200), nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("asked_at", sa.Double, nullable=False),
        sa.Column("reply", sa.Text),
        sa.Column("replied_by", sa.String(32)),
        sa.Column("replied_at", sa.Double),
        sa.PrimaryKeyConstraint("enquiry_id"),
    )
    op.create_index("enquiries_by_post", "enquiries", ["post_id"])
    op.create_index("enquiries_by_rater", "enquiries", ["rater_id"])


def _entrances() -> None:
    op.create_table(
        "invitations",
        sa.Column("invitation_id", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("cohort", sa.String(100), nullable=False),
        sa.Column("campaign", sa.String(100)),
        sa.Column("uses_left", sa.Integer),
        sa.Column("used", sa.Integer, nullable=False),
        sa.Column("expires_at", sa.Double),
        sa.Column("revoked", sa.Boolean, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("created_by", sa.String(32)),
        sa.PrimaryKeyConstraint("invitation_id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("rater_id", sa.String(32), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("sessions_by_expiry", "sessions", ["expires_at"])
    op.create_index("sessions_by_rater", "sessions", ["rater_id"])
    op.create_table(
        "api_tokens",
        sa.Column("token_id", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("created_by", sa.String(32)),
        sa.Column("expires_at", sa.Double),
        sa.Column("revoked", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("token_id"),
        sa.UniqueConstraint("digest"),
    )


def _campaigns() -> None:
    op.create_table(
        "campaigns",
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("codebook_label", sa.String(200), nullable=False),
        sa.Column("codebook", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("tasks", sa.Integer, nullable=False),
        sa.Column("wanted", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id"),
        sa.UniqueConstraint("name"),
    )


def _tasks() -> None:
    op.create_table(
        "tasks",
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("post_id", sa.String(200), nullable=False),
        sa.Column("kind", sa.SmallInteger, nullable=False),
        sa.Column("source", sa.String(20), nullable=False),
        sa.Column("phase", sa.String(100)),
        sa.Column("text", sa.Text),
        sa.Column("context", sa.Text),
        sa.Column("tier", sa.Integer, nullable=False),
        sa.Column("position", sa.Float(precision=53), nullable=False),
        sa.Column("pi", sa.Float(precision=53)),
        sa.Column("wanted", sa.Integer, nullable=False),
        sa.Column("free", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("returned", sa.Integer, nullable=False),
        sa.Column("withdrawn", sa.SmallInteger, nullable=False),
        sa.Column("categories", sa.BigInteger, nullable=False),
        sa.Column("gold", sa.Text),
        sa.Column("gold_note", sa.Text),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.campaign_id"],
        ),
        sa.PrimaryKeyConstraint("task_id"),
        sa.UniqueConstraint("campaign_id", "post_id", name="tasks_by_post"),
    )
    op.create_index(
        "tasks_complete",
        "tasks",
        ["campaign_id"],
        sqlite_where=sa.text("done > 0 AND done >= wanted AND kind < 2"),
        postgresql_where=sa.text("done > 0 AND done >= wanted AND kind < 2"),
    )
    op.create_index(
        "tasks_free",
        "tasks",
        ["campaign_id", "kind", "tier", "position", "task_id"],
        sqlite_where=sa.text("free > 0"),
        postgresql_where=sa.text("free > 0"),
    )
    op.create_index("tasks_of_post", "tasks", ["post_id"])
    op.create_index(
        "tasks_returned",
        "tasks",
        ["campaign_id", "kind", "tier", "position", "task_id"],
        sqlite_where=sa.text("returned > 0"),
        postgresql_where=sa.text("returned > 0"),
    )


def _assignments() -> None:
    op.create_table(
        "assignments",
        sa.Column("assignment_id", sa.Integer, nullable=False),
        sa.Column("token", sa.String(32), nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("post_id", sa.String(200), nullable=False),
        sa.Column("rater_id", sa.String(32), nullable=False),
        sa.Column("state", sa.SmallInteger, nullable=False),
        sa.Column("leased_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
        sa.Column("closed_at", sa.Double),
        sa.Column("previous", sa.Text),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.campaign_id"],
        ),
        sa.ForeignKeyConstraint(
            ["task_id"],
            ["tasks.task_id"],
        ),
        sa.PrimaryKeyConstraint("assignment_id"),
        sa.UniqueConstraint("task_id", "rater_id", name="assignments_once"),
        sa.UniqueConstraint("token"),
    )
    op.create_index("assignments_by_post", "assignments", ["post_id"])
    op.create_index("assignments_by_rater", "assignments", ["rater_id", "post_id"])
    op.create_index(
        "assignments_held",
        "assignments",
        ["rater_id", "campaign_id"],
        sqlite_where=sa.text("state = 0"),
        postgresql_where=sa.text("state = 0"),
    )
    op.create_index(
        "assignments_open",
        "assignments",
        ["campaign_id", "expires_at"],
        sqlite_where=sa.text("state = 0"),
        postgresql_where=sa.text("state = 0"),
    )


def _standings() -> None:
    op.create_table(
        "standings",
        sa.Column("rater_id", sa.String(32), nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("cohort", sa.String(100), nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("places", sa.Text, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("answered", sa.Integer, nullable=False),
        sa.Column("skipped", sa.Integer, nullable=False),
        sa.Column("exposure", sa.Integer, nullable=False),
        sa.Column("gold_seen", sa.Integer, nullable=False),
        sa.Column("gold_right", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float(precision=53), nullable=False),
        sa.Column("since_break", sa.Integer, nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("answered_today", sa.Integer, nullable=False),
        sa.Column("exposure_today", sa.Integer, nullable=False),
        sa.Column("active_at", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.campaign_id"],
        ),
        sa.PrimaryKeyConstraint("rater_id", "campaign_id"),
    )
    op.create_index("standings_by_campaign", "standings", ["campaign_id"])
    op.create_table(
        "receipts",
        sa.Column("receipt_id", sa.Integer, nullable=False),
        sa.Column("rater_id", sa.String(32), nullable=False),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("assignment_id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("live", sa.SmallInteger, nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignments.assignment_id"],
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.campaign_id"],
        ),
        sa.PrimaryKeyConstraint("receipt_id"),
        sa.UniqueConstraint("rater_id", "key", name="receipts_once"),
    )
    op.create_index("receipts_by_assignment", "receipts", ["assignment_id"])
    op.create_index("receipts_by_campaign", "receipts", ["campaign_id"])
    op.create_index(
        "receipts_live",
        "receipts",
        ["rater_id", "campaign_id", "receipt_id"],
        sqlite_where=sa.text("live = 1"),
        postgresql_where=sa.text("live = 1"),
    )


def _desks() -> None:
    op.create_table(
        "desks",
        sa.Column("desk_id", sa.Integer, nullable=False),
        sa.Column("queue", sa.String(100), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("desk_id"),
        sa.UniqueConstraint("queue"),
    )
    op.create_table(
        "desk_items",
        sa.Column("item_id", sa.Integer, nullable=False),
        sa.Column("desk_id", sa.Integer, nullable=False),
        sa.Column("post_id", sa.String(200), nullable=False),
        sa.Column("target", sa.String(100), nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("context", sa.Text),
        sa.Column("source", sa.String(20), nullable=False),
        sa.Column("rank", sa.Float(precision=53)),
        sa.Column("rank_b", sa.Float(precision=53)),
        sa.Column("pi", sa.Float(precision=53)),
        sa.Column("proba", sa.Float(precision=53)),
        sa.Column("review_score", sa.Float(precision=53)),
        sa.Column("reason", sa.Text),
        sa.Column("scorer", sa.String(200)),
        sa.Column("threshold", sa.Float(precision=53)),
        sa.Column("batch", sa.Integer, nullable=False),
        sa.Column("added_at", sa.Double, nullable=False),
        sa.Column("stage", sa.SmallInteger, nullable=False),
        sa.Column("claimed_by", sa.String(32)),
        sa.Column("claimed_until", sa.Double),
        sa.Column("claimed_at", sa.Double),
        sa.Column("arm", sa.String(100)),
        sa.Column("arm_probability", sa.Float(precision=53)),
        sa.ForeignKeyConstraint(
            ["desk_id"],
            ["desks.desk_id"],
        ),
        sa.PrimaryKeyConstraint("item_id"),
        sa.UniqueConstraint("desk_id", "post_id", "target", name="desk_items_once"),
    )
    op.create_index("desk_items_by_stage", "desk_items", ["desk_id", "stage", "rank", "item_id"])
    op.create_index("desk_items_by_stage_b", "desk_items", ["desk_id", "stage", "rank_b", "item_id"])
    op.create_index(
        "desk_items_claimed",
        "desk_items",
        ["claimed_by"],
        sqlite_where=sa.text("claimed_by IS NOT NULL"),
        postgresql_where=sa.text("claimed_by IS NOT NULL"),
    )
    op.create_index("desk_items_of_post", "desk_items", ["post_id"])


def _decisions() -> None:
    op.create_table(
        "decisions",
        sa.Column("decision_id", sa.Integer, nullable=False),
        sa.Column("desk_id", sa.Integer),
        sa.Column("item_id", sa.Integer),
        sa.Column("queue", sa.String(100), nullable=False),
        sa.Column("post_id", sa.String(200), nullable=False),
        sa.Column("target", sa.String(100), nullable=False),
        sa.Column("action", sa.String(100)),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("source", sa.String(20), nullable=False),
        sa.Column("stage", sa.String(10), nullable=False),
        sa.Column("scorer", sa.String(200)),
        sa.Column("threshold", sa.Float(precision=53)),
        sa.Column("proba", sa.Float(precision=53)),
        sa.Column("review_score", sa.Float(precision=53)),
        sa.Column("pi", sa.Float(precision=53)),
        sa.Column("arm", sa.String(100)),
        sa.Column("arm_probability", sa.Float(precision=53)),
        sa.Column("blind", sa.Boolean, nullable=False),
        sa.Column("decided_at", sa.Double, nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("seconds", sa.Float(precision=53)),
        sa.Column("note", sa.Text),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("supersedes", sa.Integer),
        sa.ForeignKeyConstraint(
            ["desk_id"],
            ["desks.desk_id"],
        ),
        sa.ForeignKeyConstraint(
            ["item_id"],
            ["desk_items.item_id"],
        ),
        sa.PrimaryKeyConstraint("decision_id"),
        sa.UniqueConstraint("actor", "key", name="decisions_once"),
    )
    op.create_index("decisions_by_day", "decisions", ["queue", "day"])
    op.create_index("decisions_by_item", "decisions", ["item_id"])
    op.create_index("decisions_by_post", "decisions", ["post_id"])
    op.create_index("decisions_by_supersedes", "decisions", ["supersedes"])
    op.create_table(
        "journal",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("event", sa.String(50), nullable=False),
        sa.Column("actor", sa.String(200)),
        sa.Column("role", sa.String(20)),
        sa.Column("subject", sa.String(200)),
        sa.Column("campaign", sa.String(100)),
        sa.Column("detail", sa.Text),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index("journal_by_actor", "journal", ["actor"])
    op.create_index("journal_by_subject", "journal", ["subject"])
