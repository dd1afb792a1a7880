"""The tables of people: raters, how they get in, what they ask. No names, no addresses; of secrets only hashes."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, Table, Text, false

from comoderate.annotation.clock import Moment
from comoderate.annotation.tables import metadata

rater_table = Table(
    "raters",
    metadata,
    Column("rater_id", String(32), primary_key=True),
    Column("role", String(20), nullable=False),
    Column("cohort", String(100), nullable=False),
    Column("language", String(20), nullable=False),
    Column("login", String(200), unique=True),
    Column("password_hash", String(300)),
    Column("active", Boolean, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("consented_at", Moment),
    Column("consent_version", String(100)),
    Column("tutorial_at", Moment),
    Column("tutorial_codebook", String(200)),
    Column("qualified", Boolean),
    Column("qualification_codebook", String(200)),
    Column("qualification_score", Float(53)),
    Column("qualification_tries", Integer, nullable=False),
    Column("opted_out", Text, nullable=False),
    Column("exposure_cap", Integer),
    Column("login_key", String(64)),
    Column("covered", Boolean, nullable=False, server_default=false()),
    Index("raters_by_login_key", "login_key", unique=True),
)

invitation_table = Table(
    "invitations",
    metadata,
    Column("invitation_id", String(32), primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    Column("cohort", String(100), nullable=False),
    Column("campaign", String(100)),
    Column("uses_left", Integer),
    Column("used", Integer, nullable=False),
    Column("expires_at", Moment),
    Column("revoked", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("created_by", String(32)),
    Column("used_at", Moment),
)

session_table = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("rater_id", String(32), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Index("sessions_by_rater", "rater_id"),
    Index("sessions_by_expiry", "expires_at"),
)

reset_table = Table(
    "resets",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("rater_id", String(32), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("created_by", String(32)),
    Column("expires_at", Moment, nullable=False),
    Index("resets_by_rater", "rater_id"),
)

api_token_table = Table(
    "api_tokens",
    metadata,
    Column("token_id", String(32), primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("label", String(200), nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("created_by", String(32)),
    Column("expires_at", Moment),
    Column("revoked", Boolean, nullable=False),
)

enquiry_table = Table(
    "enquiries",
    metadata,
    Column("enquiry_id", Integer, primary_key=True),
    Column("campaign", String(100), nullable=False),
    Column("rater_id", String(32), nullable=False),
    Column("post_id", String(200), nullable=False),
    Column("text", Text),
    Column("asked_at", Moment, nullable=False),
    Column("reply", Text),
    Column("replied_by", String(32)),
    Column("replied_at", Moment),
    Index("enquiries_by_rater", "rater_id"),
    Index("enquiries_by_post", "post_id"),
)
