"""How a surface changes between two dates, two scorers, or two versions of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from comoderate.errors import ComoderateError
from comoderate.study import surfaces
from comoderate.study.arms import surface_settings, value_names
from comoderate.study.surface_tables import is_rate
from comoderate.study.surfaces import Assessed
from comoderate.surface import drift

if TYPE_CHECKING:
    from comoderate.study.study import Study


def drift_table(
    study: Study, scorer: str, *, date: str | None = None, other: str | None = None, loss: str | None = None
) -> pd.DataFrame:
    """Arms with the change of accuracy (or of the loss's rate), the surest worse ones first.

    Both surfaces are fitted to their own labels as if these were of different posts; where they are of the same ones,
    as with two versions, intervals are too wide rather than too narrow.

    Args:
        study: with scores and labels.
        scorer: the later one.
        date: a day; posts before it are compared with those from it on.
        other: the earlier scorer, or an earlier version of this one as ``name@version``.
        loss: in place of the study's.

    Returns:
        A column an attribute; arm; labels_before, labels_after; before, after, change, low, high; worse: the
        probability that the arm became worse.

    Raises:
        ComoderateError: neither or both of ``date`` and ``other``; a date that splits off no post.
    """
    before, after = (
        _by_date(study, scorer, date, loss) if other is None else _by_scorer(study, scorer, date, other, loss)
    )
    one, two = (surfaces.fit(study, part).surface for part in (before, after))
    arms = np.unique(np.vstack([before.table.arms, after.table.arms]), axis=0)
    level, sign = surface_settings(study).level, -1.0 if is_rate(before.loss) else 1.0
    found = drift(one, two, arms, level=level, random_state=study.settings.study.seed)
    first, second = (surface.predict(arms) for surface in (one, two))
    frame = value_names(before.arms.encoder, arms)
    ends = np.sort([sign * found.low, sign * found.high], axis=0)
    means = [1 - p.mean if sign < 0 else p.mean for p in (first, second)]
    frame = frame.assign(
        arm=[before.arms.encoder.describe(arm) for arm in arms], labels_before=first.n, labels_after=second.n,
        before=means[0], after=means[1], change=sign * found.difference, low=ends[0], high=ends[1],
        worse=found.fell,
    )  # fmt: skip
    return frame.sort_values("worse", ascending=False, kind="stable", ignore_index=True)


def _by_date(study: Study, scorer: str, date: str | None, loss: str | None) -> tuple[Assessed, Assessed]:
    if date is None:
        raise ComoderateError("drift compares two dates or two scorers", do="name a date, or the other scorer")
    found = surfaces.assessed(study, scorer, loss=loss)
    if "day" not in study.posts().columns:
        raise ComoderateError("the posts have no dates", do="set created_at under [posts]")
    days = study.posts().frame(["post_id", "day"]).set_index("post_id")["day"].reindex(found.arms.post_id)
    later = (days >= date).to_numpy()
    if later.all() or not later.any():
        raise ComoderateError(
            f"no post lies on one side of {date}",
            do=f"the posts are from {days.min()} to {days.max()}: choose a day between",
        )
    return found.among(~later), found.among(later)


def _by_scorer(study: Study, scorer: str, date: str | None, other: str, loss: str | None) -> tuple[Assessed, Assessed]:
    if date is not None:
        raise ComoderateError("drift compares two dates or two scorers, not both", do="give one of them")
    name, _, version = other.partition("@")
    study.scorer_settings(name)
    if study.target_of(name) != study.target_of(scorer):
        raise ComoderateError(f"{name!r} and {scorer!r} are for different targets", do="compare scorers of one target")
    return surfaces.assessed(study, name, loss=loss, version=version or None), surfaces.assessed(
        study, scorer, loss=loss
    )
