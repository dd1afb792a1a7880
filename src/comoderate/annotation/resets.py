"""New passwords: changed by oneself, or by a link that a coordinator gives out; either ends all sessions."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, or_, update

from comoderate.annotation.chance import digest_of
from comoderate.annotation.clock import moment
from comoderate.annotation.credentials import rater_by_secret
from comoderate.annotation.database import Database
from comoderate.annotation.journal import record
from comoderate.annotation.people_tables import rater_table, reset_table, session_table
from comoderate.annotation.raters import Rater, rater_in
from comoderate.annotation.refusals import NotAllowed

_r = reset_table.c
HOURS = 24.0
"""How long a link works."""


def create_reset(
    db: Database, rater_id: str, *, hours: float = HOURS, actor: str | None = None, now: datetime | None = None
) -> str:
    """The secret of a link with which a rater chooses a new password, once; earlier ones end.

    Raises:
        NotFound: there is no such rater.
        NotAllowed: the rater is barred, or has no name to sign in with.
    """
    at, secret = moment(now), secrets.token_urlsafe(24)

    def body(connection: Connection) -> None:
        who = rater_in(connection, rater_id, lock=True)
        if not who.active or who.login is None:
            raise NotAllowed("this person may not sign in", do="let them in again first")
        connection.execute(delete(reset_table).where(or_(_r.rater_id == rater_id, _r.expires_at <= at)))
        values = {"digest": digest_of(secret), "rater_id": rater_id, "created_at": at, "created_by": actor}
        connection.execute(insert(reset_table), {**values, "expires_at": at + timedelta(hours=hours)})
        record(connection, "password link made", at, actor=actor, subject=rater_id, detail={"hours": hours})

    db.write(body)
    return secret


def find_reset(db: Database, secret: str, *, now: datetime | None = None) -> Rater | None:
    """Whose new password ``secret`` is for; None where it is unknown, used or expired, or the rater is barred."""
    return rater_by_secret(db, reset_table, secret, now=now)


def redeem_reset(db: Database, secret: str, *, password_hash: str, now: datetime | None = None) -> Rater:
    """Use a link: its rater has this password from now on.

    Raises:
        NotAllowed: it is unknown, used or expired, or the rater is barred.
    """
    at = moment(now)

    def body(connection: Connection) -> Rater:
        mine = delete(reset_table).where(_r.digest == digest_of(secret), _r.expires_at > at)
        rater_id = connection.execute(mine.returning(_r.rater_id)).scalar()  # only one of two at once gets it
        who = None if rater_id is None else rater_in(connection, rater_id, lock=True)
        if who is None or not who.active:
            raise NotAllowed("this link is not valid, or not any more", do="ask the coordinator for a new one")
        return _set(connection, who, password_hash, at, "password reset")

    return db.write(body)


def change_password(db: Database, rater_id: str, *, password_hash: str, now: datetime | None = None) -> Rater:
    """Another password for a rater, who was asked for the old one.

    Raises:
        NotFound: there is no such rater.
    """
    at = moment(now)
    return db.write(
        lambda connection: _set(
            connection, rater_in(connection, rater_id, lock=True), password_hash, at, "password changed"
        )
    )


def _set(connection: Connection, who: Rater, password_hash: str, at: datetime, event: str) -> Rater:
    """Store the password; links and sessions of before end."""
    mine = rater_table.c.rater_id == who.rater_id
    connection.execute(update(rater_table).where(mine).values(password_hash=password_hash))
    connection.execute(delete(reset_table).where(_r.rater_id == who.rater_id))
    connection.execute(delete(session_table).where(session_table.c.rater_id == who.rater_id))
    record(connection, event, at, actor=who.rater_id, role=who.role, subject=who.rater_id)
    return rater_in(connection, who.rater_id)
