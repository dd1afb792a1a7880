"""Raters: volunteers, experts, moderators and coordinators. They are random ids; nothing else need be known of them."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import Connection, RowMapping, bindparam, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from comoderate.annotation.chance import digest_of, new_id
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.journal import record
from comoderate.annotation.labelling_tables import standing_table
from comoderate.annotation.people_tables import rater_table
from comoderate.annotation.refusals import Conflict, NotFound
from comoderate.errors import ComoderateError

Role = Literal["volunteer", "expert", "moderator", "coordinator"]
ROLES: tuple[str, ...] = get_args(Role)
_CHANGES = ("role", "cohort", "language", "login", "password_hash", "active", "opted_out", "exposure_cap", "covered")


@dataclass(frozen=True, kw_only=True)
class Rater:
    """One person as the study knows them.

    ``login`` may be a pseudonym, or what a single sign-on says, hashed; ``covered``: posts are shown on demand only.
    """

    rater_id: str
    role: Role
    cohort: str
    language: str
    login: str | None
    password_hash: str | None
    active: bool
    created_at: datetime
    consented_at: datetime | None
    consent_version: str | None
    tutorial_at: datetime | None
    tutorial_codebook: str | None
    qualified: bool | None
    qualification_codebook: str | None
    qualification_score: float | None
    qualification_tries: int
    opted_out: tuple[str, ...]
    exposure_cap: int | None
    covered: bool


def add_rater(
    db: Database,
    *,
    role: str = "volunteer",
    cohort: str = "volunteers",
    language: str = "en",
    login: str | None = None,
    password_hash: str | None = None,
    rater_id: str | None = None,
    now: datetime | None = None,
) -> Rater:
    """A new rater with a random id.

    Raises:
        Conflict: the login or the id is taken.
    """
    at = moment(now)
    return db.write(
        lambda connection: insert_rater(
            connection,
            at,
            role=role,
            cohort=cohort,
            language=language,
            login=login,
            password_hash=password_hash,
            rater_id=rater_id,
        )
    )


def insert_rater(
    connection: Connection,
    at: datetime,
    *,
    role: str,
    cohort: str,
    language: str,
    login: str | None,
    password_hash: str | None,
    rater_id: str | None = None,
) -> Rater:
    """A new rater within a transaction that is under way."""
    _check_role(role)
    values: dict[str, Any] = {
        "rater_id": rater_id or new_id(),
        "role": role,
        "cohort": cohort,
        "language": language,
        "login": login,
    }
    values |= {"password_hash": password_hash, "active": True, "created_at": at, "qualification_tries": 0}
    values |= {"login_key": login_key(login), "opted_out": "[]"}
    try:
        connection.execute(insert(rater_table), values)
    except IntegrityError:
        raise Conflict("this name is taken", do="choose another one") from None
    return rater_in(connection, str(values["rater_id"]))


def rater(db: Database, rater_id: str) -> Rater:
    """The rater with this id.

    Raises:
        NotFound: there is none.
    """
    with db.reading() as connection:
        return rater_in(connection, rater_id)


def login_key(login: str | None) -> str | None:
    """What two names share that differ only in upper and lower case, or in how their letters are encoded."""
    return None if login is None else digest_of(unicodedata.normalize("NFKC", login).casefold())


def rater_by_login(db: Database, login: str, *, exact: bool = False) -> Rater | None:
    """The rater who logs in as ``login``, in upper or lower case; None if nobody does.

    ``exact``: only who is called so to the letter. They also come first where two names differ in nothing but case,
    which only a database of an older version can have.
    """
    c = rater_table.c
    same = c.login == login
    query = select(rater_table).where(same if exact else or_(same, c.login_key == login_key(login)))
    with db.reading() as connection:
        rows = connection.execute(query).mappings().all()
    found = sorted((rater_from(row) for row in rows), key=lambda one: one.login != login)
    return found[0] if found else None


def raters(
    db: Database, *, role: str | None = None, cohort: str | None = None, after: str | None = None, limit: int = 100
) -> list[Rater]:
    """A page of raters in the order of their ids, beginning behind ``after``."""
    c = rater_table.c
    query = select(rater_table).order_by(c.rater_id).limit(limit)
    for column, value in ((c.role, role), (c.cohort, cohort)):
        query = query if value is None else query.where(column == value)
    if after is not None:
        query = query.where(c.rater_id > after)
    with db.reading() as connection:
        return [rater_from(row) for row in connection.execute(query).mappings()]


def count_raters(db: Database, *, role: str | None = None) -> int:
    """How many raters there are, of one role or of all."""
    query = select(func.count()).select_from(rater_table)
    with db.reading() as connection:
        return int(connection.scalar(query if role is None else query.where(rater_table.c.role == role)) or 0)


def update_rater(
    db: Database, rater_id: str, *, actor: str | None = None, now: datetime | None = None, **changes: Any
) -> Rater:
    """Change a rater: role, cohort, language, login, password_hash, active, opted_out (names), exposure_cap,
    covered.

    Raises:
        NotFound: there is no such rater.
        Conflict: the login is taken.
    """
    unknown = set(changes) - set(_CHANGES)
    if unknown:
        raise ComoderateError(f"{sorted(unknown)[0]!r} of a rater cannot be changed", do=f"name {', '.join(_CHANGES)}")
    if "role" in changes:
        _check_role(changes["role"])
    at = moment(now)

    def body(connection: Connection) -> Rater:
        old = rater_in(connection, rater_id, lock=True)
        values = dict(changes)
        if "login" in values:
            values["login_key"] = login_key(values["login"])
        if "opted_out" in values:
            values["opted_out"] = json.dumps(sorted(set(values["opted_out"])), ensure_ascii=False)
            mine = standing_table.c.rater_id == rater_id  # posts passed over may now be wanted, so look again
            connection.execute(update(standing_table).where(mine), {"places": "{}"})
        try:
            connection.execute(update(rater_table).where(rater_table.c.rater_id == rater_id), values)
        except IntegrityError:
            raise Conflict("this name is taken", do="choose another one") from None
        shown = {key: value for key, value in values.items() if key in {"role", "cohort", "active"}}
        record(connection, "rater changed", at, actor=actor or rater_id, role=old.role, subject=rater_id, detail=shown)
        return rater_in(connection, rater_id)

    return db.write(body) if changes else rater(db, rater_id)


def record_consent(db: Database, rater_id: str, *, version: str, now: datetime | None = None) -> Rater:
    """The rater agreed to the text called ``version``, now."""
    at = moment(now)
    return _set(db, rater_id, "consented", at, {"consented_at": at, "consent_version": version})


def record_tutorial(db: Database, rater_id: str, *, codebook: str, now: datetime | None = None) -> Rater:
    """The rater finished the tutorial of the codebook with this label, now."""
    at = moment(now)
    return _set(db, rater_id, "finished tutorial", at, {"tutorial_at": at, "tutorial_codebook": codebook})


def record_qualification(
    db: Database, rater_id: str, *, codebook: str, score: float, passed: bool, now: datetime | None = None
) -> Rater:
    """The rater took the test of the codebook with this label and got ``score`` right, a share of 1."""
    values = {"qualified": passed, "qualification_codebook": codebook, "qualification_score": score}
    tries = {"qualification_tries": rater_table.c.qualification_tries + 1}
    return _set(db, rater_id, "took qualification", moment(now), values | tries)


_FIND = select(rater_table).where(rater_table.c.rater_id == bindparam("rater"))
_LOCK = _FIND.with_for_update(key_share=True)


def rater_in(connection: Connection, rater_id: str, *, lock: bool = False) -> Rater:
    """The rater within a transaction; locked on request, so that what one rater does happens one after the other."""
    row = connection.execute(_LOCK if lock else _FIND, {"rater": rater_id}).mappings().first()
    if row is None:
        raise NotFound("there is no such rater")
    return rater_from(row)


def rater_from(row: RowMapping) -> Rater:
    """A rater from its row."""
    fields = {name: value for name, value in row.items() if name != "login_key"}
    return Rater(**{**fields, "opted_out": tuple(json.loads(fields["opted_out"]))})


def _set(db: Database, rater_id: str, event: str, at: datetime, values: dict[str, Any]) -> Rater:
    def body(connection: Connection) -> Rater:
        found = rater_in(connection, rater_id, lock=True)
        connection.execute(update(rater_table).where(rater_table.c.rater_id == rater_id).values(**values))
        record(connection, event, at, actor=rater_id, role=found.role, subject=rater_id)
        return rater_in(connection, rater_id)

    return db.write(body)


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise ComoderateError(f"{role!r} is no role", do=f"choose one of {', '.join(ROLES)}")
