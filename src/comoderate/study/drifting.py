"""How a surface changes between two dates, two scorers, or two versions of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from comoderate.corpus import read_dataset
from comoderate.errors import ComoderateError
from comoderate.metrics import Estimate
from comoderate.study import surfaces
from comoderate.study.arms import surface_settings, value_names
from comoderate.study.drift_wording import drift_sentences
from comoderate.study.surface_tables import is_rate
from comoderate.study.surfaces import Assessed
from comoderate.surface import drift

if TYPE_CHECKING:
    from comoderate.study.study import Study

Floats = NDArray[np.float64]


class Drifted(NamedTuple):
    """What changed.

    Attributes:
        arms: a row an arm, the surest worse ones first: the attributes, arm, posts, labels_before, labels_after;
            before, after, change, low, high: the accuracy (or the loss's rate) on posts of this kind; worse: the
            probability that it became worse; surely: ``worse`` or ``better`` for arms of which that holds jointly, at
            the surface's level.
        whole: the change over all posts of the arms that have labels on both sides.
        before, after: the accuracy, or the rate, of these.
        covered: the share of posts that are in such arms.
        against: since when, or compared with whom, in words.
        sentences: all this in words.
    """

    arms: pd.DataFrame
    whole: Estimate
    before: float
    after: float
    covered: float
    against: str
    sentences: list[str]


def drifted(
    study: Study, scorer: str, *, date: str | None = None, other: str | None = None, loss: str | None = None
) -> Drifted:
    """The change of accuracy (or of the loss's rate), by arm and over all posts.

    By arm, both surfaces are fitted to their own labels as if these were of different posts; where they are of the same
    ones, as with two versions, intervals are too wide rather than too narrow. Over all posts the same posts are
    compared where there are any.

    Args:
        study: with scores and labels.
        scorer: the later one.
        date: a day; posts before it are compared with those from it on.
        other: the earlier scorer, or an earlier version of this one as ``name@version``.
        loss: in place of the study's.

    Raises:
        ComoderateError: neither or both of ``date`` and ``other``; a date that splits off no post.
    """
    before, after = (
        _by_date(study, scorer, date, loss) if other is None else _by_scorer(study, scorer, date, other, loss)
    )
    own = surface_settings(study)
    arms = _by_arm(study, before, after)
    whole, first, covered = _over_all(before, after, paired=other is not None, level=own.level)
    ends = (first, first + whole.value)
    about = f"since {date}" if date is not None else _named(scorer, str(other))
    said = drift_sentences(arms, whole, ends, covered, scorer=scorer, about=about, loss=after.loss, level=own.level)
    return Drifted(arms, whole, *ends, covered, about, said)


def asked(study: Study, scorer: str) -> list[dict[str, str]]:
    """What a scorer is compared with in the report: the arguments of :func:`drifted` for each comparison.

    The last earlier version, where it gives some post another score; the scorer under ``against``, and the day under
    ``since``.
    """
    own, earlier = surface_settings(study), earlier_version(study, scorer)
    found = []
    if earlier is not None and _differ(study, scorer, earlier):
        found.append({"other": f"{scorer}@{earlier}"})
    if own.against not in {None, scorer} and study.target_of(str(own.against)) == study.target_of(scorer):
        found.append({"other": str(own.against)})
    return found if own.since is None else [*found, {"date": own.since}]


def earlier_version(study: Study, scorer: str) -> str | None:
    """The version whose scores were made last before those that count now; None where there is none."""
    record = study.artefacts.record(f"scores:{scorer}") or {"summary": {}}
    held = {
        path.parent.name.rpartition("@")[2]: path
        for path in (study.folder / "scores").glob(f"{scorer}@*/manifest.json")
    }
    held.pop(str(record["summary"].get("version", "")), None)
    return max(held, key=lambda version: held[version].stat().st_mtime, default=None)


def _differ(study: Study, scorer: str, version: str) -> bool:
    """Whether a version's scores differ from those that count, for the posts that have both."""
    old = read_dataset(study.folder / "scores" / f"{scorer}@{version}").set_index("post_id")["proba"]
    new = study.scores(scorer).set_index("post_id")["proba"].reindex(old.index)
    both = (old.notna() & new.notna()).to_numpy()
    return not np.allclose(old.to_numpy()[both], new.to_numpy()[both], atol=1e-6)


def _named(scorer: str, other: str) -> str:
    name, _, version = other.partition("@")
    return f"since its version {version}" if name == scorer else f"compared with “{name}”"


def _by_arm(study: Study, before: Assessed, after: Assessed) -> pd.DataFrame:
    own = surface_settings(study)
    one, two = (surfaces.fit(study, part).surface for part in (before, after))
    arms, at = np.unique(np.vstack([before.table.arms, after.table.arms]), axis=0, return_inverse=True)
    at = at.reshape(-1)
    sign = -1.0 if is_rate(before.loss) else 1.0
    found = drift(one, two, arms, level=own.level, random_state=study.settings.study.seed)
    first, second = (surface.predict(arms) for surface in (one, two))
    frame = value_names(before.arms.encoder, arms)
    ends = np.sort([sign * found.low, sign * found.high], axis=0)
    means = [1 - p.mean if sign < 0 else p.mean for p in (first, second)]
    traffic = np.zeros((2, len(arms)))
    traffic[0, at[: len(before.table.arms)]] = before.traffic
    traffic[1, at[len(before.table.arms) :]] = after.traffic
    sizes = np.zeros(len(arms))
    sizes[at[len(before.table.arms) :]] = after.table.pool_size
    counted = np.asarray((np.rint(traffic) >= own.min_posts).all(axis=0))
    frame = frame.assign(
        arm=[before.arms.encoder.describe(arm) for arm in arms], posts=np.rint(sizes).astype(np.int64),
        labels_before=first.n, labels_after=second.n, before=means[0], after=means[1], change=sign * found.difference,
        low=ends[0], high=ends[1], worse=found.fell,
        surely=_surely(found.fell, counted if counted.any() else ~counted, own.level),
    )  # fmt: skip
    return frame.sort_values("worse", ascending=False, kind="stable", ignore_index=True)


def _surely(fell: Floats, counted: NDArray[np.bool_], level: float) -> NDArray[np.object_]:
    """(A,) ``worse``, ``better`` or nothing; each kind holds of all its arms together with the probability ``level``.

    By Bonferroni's inequality for posterior probabilities, as for the weak arms of one surface.
    """
    said = np.full(len(fell), "", dtype=object)
    for word, doubt in (("worse", 1 - fell), ("better", fell)):
        order = np.flatnonzero(counted)[np.argsort(doubt[counted], kind="stable")]
        said[order[np.cumsum(doubt[order]) <= 1 - level]] = word
    return said


def _over_all(before: Assessed, after: Assessed, *, paired: bool, level: float) -> tuple[Estimate, float, float]:
    """The change over all posts, what it was before, and the share of posts that this is over.

    Post-stratified by arm: labels are random within arms, and arms count by their posts. Within arms outcomes are taken
    to vary alike, with one made-up change so that few labels are never sure.
    """
    arms, sign = _common(before, after), -1.0 if is_rate(after.loss) else 1.0
    at = pd.Index(before.arms.post_id).get_indexer(after.arms.post_id)
    old, new = sign * before.right, sign * after.right
    earlier = np.where(at >= 0, old[at], np.nan)
    both = np.isfinite(earlier + new)
    if paired and both.any():
        parts = [_strata(arms[1], x, after.weight, both) for x in (earlier, new - earlier)]
        traffic, from_both = _traffic(after, arms[1]), False
    else:
        parts = [_strata(arms[0], old, before.weight), _strata(arms[1], new, after.weight)]
        traffic, from_both = _traffic(before, arms[0]).add(_traffic(after, arms[1]), fill_value=0.0), True
    common = parts[0].index.intersection(parts[1].index)
    parts = [part.loc[common] for part in parts]
    share = traffic.reindex(common).fillna(0.0)
    if not share.sum() > 0:
        return Estimate.undefined(reason="no combination has labels on both sides"), float("nan"), 0.0
    w = (share / share.sum()).to_numpy()
    first, second = (float(w @ part["mean"]) for part in parts)
    change, made_of = (second - first, parts) if from_both else (second, parts[1:])
    se = float(np.sqrt(sum(float(w**2 @ part["variance"]) for part in made_of)))
    half, labels = float(-ndtri((1 - level) / 2)) * se, int(sum(part["n"].sum() for part in made_of))
    whole = Estimate(change, se, change - half, change + half, level, "post-stratified by arm", labels, float(labels))
    return whole, first + (sign < 0), float(share.sum() / traffic.sum())


def _common(before: Assessed, after: Assessed) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of posts' arms, the same on both sides."""
    sides = [part.table.arms[part.table.index] for part in (before, after)]
    number = np.unique(np.vstack(sides), axis=0, return_inverse=True)[1].reshape(-1)
    return number[: len(sides[0])], number[len(sides[0]) :]


def _traffic(found: Assessed, arm: NDArray[np.intp]) -> pd.Series:
    """Posts that the loss can concern, by arm."""
    return pd.Series(found.relevant[found.table.index]).groupby(arm).sum()


def _strata(
    arm: NDArray[np.intp], value: Floats, weight: Floats, kept: NDArray[np.bool_] | None = None
) -> pd.DataFrame:
    """mean, variance (of the mean) and n by arm, of what is known; of the rows in ``kept`` where it is given."""
    kept = np.isfinite(value) if kept is None else kept
    arm, value, weight = arm[kept], value[kept], weight[kept]
    rows = pd.DataFrame({"arm": arm, "w": weight, "wv": weight * value, "ww": weight**2, "n": 1.0})
    sums = rows.groupby("arm").sum()
    mean = sums["wv"] / sums["w"]
    square = float(((value - mean.reindex(arm).to_numpy()) ** 2).sum())
    spread = (square + 1.0) / (max(len(value) - len(sums), 0) + 1.0)
    return pd.DataFrame({"mean": mean, "variance": spread * sums["ww"] / sums["w"] ** 2, "n": sums["n"]})


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
            do=f"the posts are from {days.min()} to {days.max()}: choose a day between, as YYYY-MM-DD",
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
