"""Campaigns: one codebook, one set of tasks, and the rules by which raters are given them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection, RowMapping, bindparam, insert, select, update

from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.journal import record
from comoderate.annotation.labelling_tables import campaign_table, receipt_table
from comoderate.annotation.refusals import Conflict, NotFound
from comoderate.codebook import Codebook

State = Literal["open", "paused", "closed"]


class CampaignSettings(BaseModel):
    """The rules of a campaign."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    overlap: int = Field(default=3, ge=1, description="How many raters answer each post: so many, and never more.")
    roles: tuple[str, ...] = Field(default=("volunteer",), description="Who may take part, by role.")
    cohorts: tuple[str, ...] = Field(default=(), description="Who may take part, by cohort; empty for all.")
    lease_minutes: float = Field(
        default=30, gt=0, description="How long a post is kept for the rater who was given it."
    )
    hold: int = Field(default=1, ge=1, le=50, description="How many posts a rater may hold at once, to work offline.")
    gold_rate: float = Field(default=0, ge=0, le=0.5, description="Share of posts whose answer is known.")
    benign_rate: float = Field(default=0, ge=0, le=0.9, description="Share of posts mixed in for relief.")
    exposing: dict[str, Any] | None = Field(
        default=None, description="Condition on the answers that count as exposure; by default the codebook's care."
    )
    exposure_cap: int | None = Field(default=None, ge=1, description="Exposing posts that a rater may answer a day.")
    break_every: int | None = Field(default=None, ge=1, description="Posts after which a break is suggested.")
    categories: tuple[str, ...] = Field(
        default=(), max_length=62, description="Kinds of content that tasks are marked with and raters may opt out of."
    )
    needs_consent: bool = Field(default=True, description="Whether a rater must have agreed first.")
    needs_tutorial: bool = Field(default=False, description="Whether a rater must have finished the tutorial first.")
    needs_qualification: bool = Field(default=False, description="Whether a rater must have passed the test first.")
    again: bool = Field(
        default=False, description="Whether a rater may be given a post that they met in another campaign."
    )
    seed: int = Field(default=0, description="Decides the order of posts that have none, and what is mixed in when.")


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """One campaign as it stands; ``tasks`` without gold, and how many answers they want in all."""

    name: str
    state: State
    codebook: Codebook
    settings: CampaignSettings
    created_at: datetime
    campaign_id: int
    epoch: int
    tasks: int
    wanted: int


def create_campaign(
    db: Database,
    name: str,
    codebook: Codebook,
    settings: CampaignSettings | None = None,
    *,
    state: State = "paused",
    actor: str | None = None,
    now: datetime | None = None,
) -> Campaign:
    """Make a campaign; one that is there already stays as it is, with the same codebook.

    Raises:
        Conflict: a campaign of this name asks another codebook.
    """
    at = moment(now)

    def body(connection: Connection) -> Campaign:
        row = connection.execute(select(campaign_table).where(campaign_table.c.name == name)).mappings().first()
        if row is not None:
            found = campaign_from(row)
            if found.codebook.digest != codebook.digest:
                raise _mixing(found)
            return found
        values = {
            "name": name,
            "state": state,
            "created_at": at,
            "epoch": 0,
            "tasks": 0,
            "wanted": 0,
            **_codebook_values(codebook),
        }
        values["settings"] = (settings or CampaignSettings()).model_dump_json()
        connection.execute(insert(campaign_table), values)
        record(connection, "campaign created", at, actor=actor, campaign=name, detail={"codebook": codebook.label})
        return campaign_in(connection, name)

    return db.write(body)


def change_campaign(
    db: Database,
    name: str,
    *,
    settings: CampaignSettings | None = None,
    codebook: Codebook | None = None,
    actor: str | None = None,
    now: datetime | None = None,
) -> Campaign:
    """Change the rules of a campaign, or its codebook as long as nobody has answered.

    A new ``overlap`` holds for tasks that are loaded afterwards; load them again to change the old ones. Translations,
    tutorials and the like may change at any time: they are not what a codebook's digest covers.

    Raises:
        Conflict: the codebook asks something else, and answers exist; start a campaign of another name.
    """
    at = moment(now)

    def body(connection: Connection) -> Campaign:
        old = campaign_in(connection, name, lock=True)
        values: dict[str, Any] = {}
        if codebook is not None:
            if codebook.digest != old.codebook.digest and _answered(connection, old.campaign_id):
                raise _mixing(old)
            values |= _codebook_values(codebook)
        if settings is not None:
            values |= {"settings": settings.model_dump_json(), "epoch": old.epoch + 1}
        if values:
            connection.execute(update(campaign_table).where(campaign_table.c.name == name), values)
            detail = {key: value for key, value in values.items() if key in {"settings", "codebook_label"}}
            record(connection, "campaign changed", at, actor=actor, campaign=name, detail=detail)
        return campaign_in(connection, name)

    return db.write(body)


def set_campaign_state(
    db: Database, name: str, state: State, *, actor: str | None = None, now: datetime | None = None
) -> Campaign:
    """Open, pause or close a campaign. Posts that raters hold can still be answered; no new ones are given."""
    at = moment(now)

    def body(connection: Connection) -> Campaign:
        campaign_in(connection, name, lock=True)
        connection.execute(update(campaign_table).where(campaign_table.c.name == name), {"state": state})
        record(connection, f"campaign {state}", at, actor=actor, campaign=name)
        return campaign_in(connection, name)

    return db.write(body)


def campaign(db: Database, name: str) -> Campaign:
    """The campaign called ``name``.

    Raises:
        NotFound: there is none.
    """
    with db.reading() as connection:
        return campaign_in(connection, name)


def campaigns(db: Database) -> list[Campaign]:
    """All campaigns, oldest first."""
    with db.reading() as connection:
        query = select(campaign_table).order_by(campaign_table.c.campaign_id)
        return [campaign_from(row) for row in connection.execute(query).mappings()]


_FIND = select(campaign_table).where(campaign_table.c.name == bindparam("called"))
_LOCK = _FIND.with_for_update()


def campaign_in(connection: Connection, name: str, *, lock: bool = False) -> Campaign:
    """The campaign called ``name``, within a transaction that is under way; locked against changes on request."""
    row = connection.execute(_LOCK if lock else _FIND, {"called": name}).mappings().first()
    if row is None:
        raise NotFound(f"there is no campaign {name!r}")
    return campaign_from(row)


def campaign_from(row: RowMapping) -> Campaign:
    """A campaign from its row."""
    return Campaign(
        name=row["name"],
        state=row["state"],
        codebook=_codebook(row["codebook"]),
        settings=_settings(row["settings"]),
        created_at=row["created_at"],
        campaign_id=row["campaign_id"],
        epoch=row["epoch"],
        tasks=row["tasks"],
        wanted=row["wanted"],
    )


@lru_cache(maxsize=64)
def _codebook(text: str) -> Codebook:
    return Codebook.model_validate_json(text)


@lru_cache(maxsize=64)
def _settings(text: str) -> CampaignSettings:
    return CampaignSettings.model_validate_json(text)


def _codebook_values(codebook: Codebook) -> dict[str, str]:
    return {"codebook_label": codebook.label, "codebook": codebook.model_dump_json()}


def _answered(connection: Connection, campaign_id: int) -> bool:
    query = select(receipt_table.c.receipt_id).where(receipt_table.c.campaign_id == campaign_id).limit(1)
    return connection.scalar(query) is not None


def _mixing(found: Campaign) -> Conflict:
    return Conflict(
        f"campaign {found.name!r} asks codebook {found.codebook.label}, and answers to two codebooks are never mixed",
        do="give the changed codebook a version of its own and start a campaign of another name",
    )
