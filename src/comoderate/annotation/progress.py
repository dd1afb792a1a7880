"""How far a campaign is, from what is counted as answers come in: no scan over annotations or tasks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import RowMapping, func, select

from comoderate.annotation.campaigns import campaign_in
from comoderate.annotation.clock import moment
from comoderate.annotation.database import Database
from comoderate.annotation.labelling_tables import IS_FULL, IS_OPEN, assignment_table, standing_table, task_table

_a, _s, _t = assignment_table.c, standing_table.c, task_table.c
_ACTIVE = timedelta(minutes=10)


@dataclass(frozen=True, kw_only=True)
class CampaignProgress:
    """How far a campaign is; gold posts are not counted.

    Attributes:
        tasks: posts to be labelled.
        wanted: answers that they want.
        answers: answers that they have.
        complete: posts that have all they want.
        open_leases: posts that are with raters now, gold included.
        raters: raters who took part.
        raters_active: raters who did something within the last ten minutes.
        skipped: how often a post was passed over.
    """

    tasks: int
    wanted: int
    answers: int
    complete: int
    open_leases: int
    raters: int
    raters_active: int
    skipped: int


@dataclass(frozen=True, kw_only=True)
class CohortProgress:
    """What one cohort did in a campaign; ``exposure`` are posts whose answer says that they were a burden."""

    cohort: str
    raters: int
    answers: int
    skipped: int
    seconds: float
    exposure: int


@dataclass(frozen=True, kw_only=True)
class RaterProgress:
    """What one rater did in a campaign; the day is UTC's."""

    rater_id: str
    cohort: str
    answered: int
    skipped: int
    answered_today: int
    exposure: int
    exposure_today: int
    since_break: int
    gold_seen: int
    gold_right: int
    seconds: float
    active_at: datetime | None

    @property
    def done(self) -> int:
        """Posts that the rater answered, gold among them: a number for raters must not tell gold from others."""
        return self.answered + self.gold_seen


def campaign_progress(db: Database, name: str, *, now: datetime | None = None) -> CampaignProgress:
    """How far the campaign called ``name`` is.

    Raises:
        NotFound: there is none.
    """
    with db.reading() as connection:
        found = campaign_in(connection, name)
        mine = _s.campaign_id == found.campaign_id
        sums = select(func.sum(_s.answered), func.sum(_s.skipped), func.count()).where(mine)
        answers, skipped, people = connection.execute(sums).one()
        active = select(func.count()).select_from(standing_table).where(mine, _s.active_at > moment(now) - _ACTIVE)
        held = select(func.count()).where(_a.campaign_id == found.campaign_id, IS_OPEN)
        complete = connection.scalar(select(func.count()).where(_t.campaign_id == found.campaign_id, IS_FULL))
        return CampaignProgress(
            tasks=found.tasks,
            wanted=found.wanted,
            answers=int(answers or 0),
            complete=int(complete or 0),
            open_leases=int(connection.scalar(held) or 0),
            raters=people,
            raters_active=int(connection.scalar(active) or 0),
            skipped=int(skipped or 0),
        )


def cohort_progress(db: Database, name: str) -> list[CohortProgress]:
    """What each cohort did in the campaign called ``name``, in the order of their names."""
    sums = (func.sum(_s.answered), func.sum(_s.skipped), func.sum(_s.seconds), func.sum(_s.exposure))
    with db.reading() as connection:
        mine = _s.campaign_id == campaign_in(connection, name).campaign_id
        query = select(_s.cohort, func.count(), *sums).where(mine).group_by(_s.cohort).order_by(_s.cohort)
        return [
            CohortProgress(
                cohort=cohort, raters=n, answers=answers, skipped=skipped, seconds=seconds, exposure=exposure
            )
            for cohort, n, answers, skipped, seconds, exposure in connection.execute(query)
        ]


def raters_progress(
    db: Database, name: str, *, after: str | None = None, limit: int = 100, now: datetime | None = None
) -> list[RaterProgress]:
    """A page of what each rater did, in the order of their ids, beginning behind ``after``."""
    with db.reading() as connection:
        mine = _s.campaign_id == campaign_in(connection, name).campaign_id
        query = select(standing_table).where(mine).order_by(_s.rater_id).limit(limit)
        if after is not None:
            query = query.where(_s.rater_id > after)
        return [_progress(row, moment(now)) for row in connection.execute(query).mappings()]


def rater_progress(db: Database, rater_id: str, *, campaign: str, now: datetime | None = None) -> RaterProgress:
    """What one rater did; all zero where they did nothing yet."""
    with db.reading() as connection:
        found = campaign_in(connection, campaign)
        mine = (_s.campaign_id == found.campaign_id) & (_s.rater_id == rater_id)
        row = connection.execute(select(standing_table).where(mine)).mappings().first()
    if row is not None:
        return _progress(row, moment(now))
    zero = dict.fromkeys(RaterProgress.__dataclass_fields__, 0)
    return RaterProgress(**{**zero, "rater_id": rater_id, "cohort": "", "active_at": None, "seconds": 0.0})  # type: ignore[arg-type]


def _progress(row: RowMapping, at: datetime) -> RaterProgress:
    fields = {name: row[name] for name in RaterProgress.__dataclass_fields__}
    if row["day"] != at.date().isoformat():
        fields |= {"answered_today": 0, "exposure_today": 0}
    return RaterProgress(**fields)
