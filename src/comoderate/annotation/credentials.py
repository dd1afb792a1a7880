"""How people and programs get in: invitations, sessions, API tokens. Secrets are given out once; only hashes stay."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, RowMapping, Table, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from comoderate.annotation.chance import digest_of, new_id
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.journal import record
from comoderate.annotation.people_tables import (
    api_token_table,
    invitation_table,
    rater_table,
    session_table,
)
from comoderate.annotation.raters import ROLES, Rater, insert_rater, rater_from
from comoderate.annotation.refusals import Conflict, NotAllowed, NotFound
from comoderate.errors import ComoderateError

InvitationState = Literal["open", "used", "expired", "withdrawn"]


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """A way in for as many people as it has uses left (None: any number), with the role and cohort they get.

    ``used`` counts those who came, ``used_at`` is when the last of them did.
    """

    invitation_id: str
    role: str
    cohort: str
    campaign: str | None
    uses_left: int | None
    used: int
    expires_at: datetime | None
    revoked: bool
    note: str
    created_at: datetime
    created_by: str | None
    used_at: datetime | None

    def state(self, *, now: datetime | None = None) -> InvitationState:
        """Whether somebody can still join by it, and if not why: somebody ended it, all have joined, its time is up."""
        if self.revoked:
            return "withdrawn"
        if self.uses_left == 0:
            return "used"
        return "expired" if self.expires_at is not None and self.expires_at <= moment(now) else "open"


@dataclass(frozen=True, kw_only=True)
class ApiToken:
    """What a program may do, by scope."""

    token_id: str
    label: str
    scopes: tuple[str, ...]
    created_at: datetime
    created_by: str | None
    expires_at: datetime | None
    revoked: bool


def create_invitation(
    db: Database,
    *,
    role: str,
    cohort: str,
    campaign: str | None = None,
    uses: int | None = 1,
    expires_at: datetime | None = None,
    note: str = "",
    secret: str | None = None,
    actor: str | None = None,
    now: datetime | None = None,
) -> tuple[str, Invitation]:
    """An invitation, and the secret that its link carries.

    Args:
        db: the database.
        role: what its people become.
        cohort: which cohort they belong to.
        campaign: where they begin.
        uses: how many people may use it; None for any number.
        expires_at: until when; None for ever.
        note: for whom it is, in the coordinator's words.
        secret: one that can be told again, at least 128 random bits; by default a new one.
        actor: who invites.
        now: the present, for tests.

    Raises:
        Conflict: there is an invitation with this secret already.
    """
    if role not in ROLES:
        raise ComoderateError(f"{role!r} is no role", do=f"choose one of {', '.join(ROLES)}")
    if uses is not None and uses < 1:
        raise ComoderateError("an invitation has at least one use")
    at, secret, name = moment(now), secret or secrets.token_urlsafe(24), new_id()
    values: dict[str, Any] = {
        "invitation_id": name,
        "digest": digest_of(secret),
        "role": role,
        "cohort": cohort,
        "campaign": campaign,
    }
    values |= {"uses_left": uses, "used": 0, "expires_at": expires_at, "revoked": False, "note": note}

    def body(connection: Connection) -> Invitation:
        try:
            connection.execute(insert(invitation_table), {**values, "created_at": at, "created_by": actor})
        except IntegrityError:
            raise Conflict("this invitation exists already") from None
        detail = {"role": role, "cohort": cohort, "uses": uses}
        record(connection, "invitation created", at, actor=actor, subject=name, campaign=campaign, detail=detail)
        query = select(invitation_table).where(invitation_table.c.invitation_id == name)
        return _invitation(connection.execute(query).mappings().one())

    return secret, db.write(body)


def find_invitation(db: Database, secret: str, *, over: bool = False, now: datetime | None = None) -> Invitation | None:
    """The invitation that ``secret`` opens; None where it is unknown, and without ``over`` where it opens nothing."""
    with db.reading() as connection:
        found = _invitation_of(connection, secret)
    return found if over or (found is not None and found.state(now=now) == "open") else None


def redeem_invitation(
    db: Database,
    secret: str,
    *,
    language: str = "en",
    login: str | None = None,
    password_hash: str | None = None,
    now: datetime | None = None,
) -> Rater:
    """Use an invitation once: a new rater with its role and cohort.

    Raises:
        NotAllowed: it is unknown, revoked, used up or expired.
        Conflict: the login is taken; the invitation is not used then.
    """
    at, c = moment(now), invitation_table.c

    def body(connection: Connection) -> Rater:
        mine = c.digest == digest_of(secret)
        connection.execute(select(c.invitation_id).where(mine).with_for_update())  # one at a time from here on
        found = _invitation_of(connection, secret)
        if found is None or found.state(now=at) != "open":
            raise NotAllowed("this invitation is not valid, or not any more", do="ask the coordinator for a new one")
        use = update(invitation_table).where(mine)
        counts = {"uses_left": c.uses_left - 1, "used": c.used + 1}  # no limit less one is no limit
        connection.execute(use.values(**counts, used_at=at))
        people = {"role": found.role, "cohort": found.cohort, "language": language}
        who = insert_rater(connection, at, **people, login=login, password_hash=password_hash)
        record(connection, "joined", at, actor=who.rater_id, role=who.role, subject=found.invitation_id)
        return who

    return db.write(body)


def invitations(db: Database) -> list[Invitation]:
    """All invitations, oldest first."""
    with db.reading() as connection:
        query = select(invitation_table).order_by(invitation_table.c.created_at, invitation_table.c.invitation_id)
        return [_invitation(row) for row in connection.execute(query).mappings()]


def revoke_invitation(
    db: Database, invitation_id: str, *, actor: str | None = None, now: datetime | None = None
) -> None:
    """Shut an invitation."""
    _revoke(db, invitation_table, "invitation_id", invitation_id, actor=actor, now=now)


def open_session(db: Database, rater_id: str, *, hours: float = 12, now: datetime | None = None) -> str:
    """A new session of a rater: the secret that the cookie carries. Sessions that ended are cleared away."""
    at, secret, c = moment(now), secrets.token_urlsafe(32), session_table.c

    def body(connection: Connection) -> None:
        connection.execute(delete(session_table).where(c.expires_at < at))
        values = {"digest": digest_of(secret), "rater_id": rater_id, "created_at": at}
        connection.execute(insert(session_table), {**values, "expires_at": at + timedelta(hours=hours)})

    db.write(body)
    return secret


def session_rater(db: Database, secret: str, *, now: datetime | None = None) -> Rater | None:
    """Whose session ``secret`` opens; None where it is unknown or over, or the rater is barred."""
    return rater_by_secret(db, session_table, secret, now=now)


def rater_by_secret(db: Database, table: Table, secret: str, *, now: datetime | None = None) -> Rater | None:
    """Whose row of ``table`` has the digest of ``secret``; None where there is none, it is over, or they are barred."""
    c = table.c
    query = (
        select(rater_table)
        .join(table, rater_table.c.rater_id == c.rater_id)
        .where(c.digest == digest_of(secret), c.expires_at > moment(now), rater_table.c.active.is_(True))
    )
    with db.reading() as connection:
        row = connection.execute(query).mappings().first()
    return None if row is None else rater_from(row)


def close_session(db: Database, secret: str) -> None:
    """End one session."""
    with db.writing() as connection:
        connection.execute(delete(session_table).where(session_table.c.digest == digest_of(secret)))


def close_sessions(db: Database, rater_id: str) -> None:
    """End all sessions of a rater, wherever they are logged in."""
    with db.writing() as connection:
        connection.execute(delete(session_table).where(session_table.c.rater_id == rater_id))


def create_api_token(
    db: Database,
    *,
    scopes: Iterable[str],
    label: str,
    expires_at: datetime | None = None,
    actor: str | None = None,
    now: datetime | None = None,
) -> tuple[str, ApiToken]:
    """A token for a program, and the secret that it sends."""
    at, secret, name = moment(now), secrets.token_urlsafe(32), new_id()
    values: dict[str, Any] = {
        "token_id": name,
        "digest": digest_of(secret),
        "label": label,
        "scopes": json.dumps(sorted(set(scopes))),
    }
    values |= {"created_at": at, "created_by": actor, "expires_at": expires_at, "revoked": False}

    def body(connection: Connection) -> ApiToken:
        connection.execute(insert(api_token_table), values)
        record(connection, "token created", at, actor=actor, subject=name, detail={"scopes": values["scopes"]})
        query = select(api_token_table).where(api_token_table.c.token_id == name)
        return _token(connection.execute(query).mappings().one())

    return secret, db.write(body)


def api_token(db: Database, secret: str, *, now: datetime | None = None) -> ApiToken | None:
    """What ``secret`` allows; None where it is unknown, revoked or expired."""
    c = api_token_table.c
    valid = c.revoked.is_(False) & or_(c.expires_at.is_(None), c.expires_at > moment(now))
    with db.reading() as connection:
        query = select(api_token_table).where(c.digest == digest_of(secret), valid)
        row = connection.execute(query).mappings().first()
    return None if row is None else _token(row)


def api_tokens(db: Database) -> list[ApiToken]:
    """All tokens, oldest first."""
    with db.reading() as connection:
        query = select(api_token_table).order_by(api_token_table.c.created_at, api_token_table.c.token_id)
        return [_token(row) for row in connection.execute(query).mappings()]


def revoke_api_token(db: Database, token_id: str, *, actor: str | None = None, now: datetime | None = None) -> None:
    """Shut a token."""
    _revoke(db, api_token_table, "token_id", token_id, actor=actor, now=now)


def _invitation_of(connection: Connection, secret: str) -> Invitation | None:
    query = select(invitation_table).where(invitation_table.c.digest == digest_of(secret))
    row = connection.execute(query).mappings().first()
    return None if row is None else _invitation(row)


def _revoke(db: Database, table: Table, column: str, value: str, *, actor: str | None, now: datetime | None) -> None:
    at = moment(now)

    def body(connection: Connection) -> None:
        if not connection.execute(update(table).where(table.c[column] == value), {"revoked": True}).rowcount:
            raise NotFound("there is no such thing to revoke")
        record(connection, f"{table.name[:-1]} revoked", at, actor=actor, subject=value)

    db.write(body)


def _invitation(row: RowMapping) -> Invitation:
    fields: dict[str, Any] = {name: value for name, value in row.items() if name != "digest"}
    return Invitation(**fields)


def _token(row: RowMapping) -> ApiToken:
    fields: dict[str, Any] = {name: value for name, value in row.items() if name != "digest"}
    return ApiToken(**{**fields, "scopes": tuple(json.loads(fields["scopes"]))})
