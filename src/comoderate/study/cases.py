"""What review is judged on: a target, its scorer, the labelled posts, and what strategies need to know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate import metrics, review
from comoderate.calibration import Beta, Frugal, cross_fit, folds_of
from comoderate.study import checks, tables
from comoderate.study.base_rate import shifted
from comoderate.study.estimating import domain_values
from comoderate.study.evaluating import Evaluation, failures, scored_parts, scores_of
from comoderate.study.settings import ReviewSettings
from comoderate.study.strategies import enough_for, strategy
from comoderate.study.surfaces import arm_accuracy

if TYPE_CHECKING:
    from comoderate.study.study import Study

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Case:
    """The labelled posts that judge review for one target, with the scorer whose posts are reviewed.

    Attributes:
        target, sample, truth, scorer: names; ``truth`` is the cohort whose labels count.
        found: the labelled posts, their weights and replicates.
        proba: (n,) the scorer's probabilities; no post was in its training.
        review_fraction: the capacity as a share of all posts, below 1.
        settings: the table ``[review]``.
        attributes: the attributes by which the study breaks its estimates down.
        parts: (n,) each: total, aleatoric and epistemic uncertainty, where the scorer gives them.
        surface: makes the table post_id, arm, accuracy of all posts, in which no post's own label has a part; None
            where the study has no attributes.
        failed: labelled posts left out because the scorer failed on them.
    """

    target: str
    sample: str
    truth: str
    scorer: str
    found: Evaluation
    proba: Floats
    review_fraction: float
    settings: ReviewSettings
    attributes: tuple[str, ...] = ()
    parts: Mapping[str, Floats] = field(default_factory=dict)
    surface: Callable[[], pd.DataFrame] | None = None
    failed: int = 0

    @property
    def key(self) -> dict[str, str]:
        """target, sample, truth, scorer: the first columns of every table."""
        return {"target": self.target, "sample": self.sample, "truth": self.truth, "scorer": self.scorer}

    @property
    def y(self) -> Floats:
        """(n,) labels in {0, 1}."""
        return self.found.y

    @property
    def weight(self) -> Floats:
        """(n,) weights that make the labelled posts stand for the stream."""
        return self.found.weight

    @cached_property
    def fold(self) -> Codes:
        """(n,) folds for cross-fitting: the study's, or random ones where the posts are all in one."""
        fold = self.found.rows["fold"].to_numpy(dtype=np.int64)
        return fold if len(np.unique(fold)) > 1 else folds_of(len(fold))

    @cached_property
    def calibrated(self) -> Floats:
        """(n,) what the probabilities mean in this stream, by calibrators that did not see the post's fold."""
        return cross_fit(Frugal, self.proba, self.y, fold=self.fold, sample_weight=self.weight)

    @cached_property
    def soft(self) -> Floats | None:
        """(n,) the share of raters who are expected to call the post positive; None where no post has several."""
        share = self.found.rows["y_soft"].to_numpy(dtype=np.float64)
        known = ~np.isnan(share) & (self.weight > 0)
        if not ((share[known] > 0) & (share[known] < 1)).any():
            return None
        out = np.empty(len(share))
        for value in np.unique(self.fold):
            use = self.fold == value
            out[use] = _soft_calibrator(self.proba, share, self.weight, known & ~use).predict(self.proba[use])
        return out

    @cached_property
    def arms(self) -> pd.DataFrame:
        """arm, accuracy of all posts, by post_id."""
        assert self.surface is not None
        return self.surface().set_index("post_id")

    @cached_property
    def readings(self) -> Floats | None:
        """(n,) how many moderators read each post; None where each is read once."""
        return self.readings_of(self.soft)

    def readings_of(self, soft: Floats | None) -> Floats | None:
        """(N,) how many moderators read posts of these predicted shares of raters; None where each is read once."""
        bound = self.settings.second_reading
        if bound is None or soft is None:
            return None
        return review.wanted_readings(review.two_raters_differ(soft), doubtful=bound).astype(np.float64)

    def share_read(self, score: Floats) -> float:
        """The share of posts that the capacity reads in the order of (n,) review scores."""
        if self.readings is None:
            return self.review_fraction
        found = review.share_read(score, self.readings, review_fraction=self.review_fraction, sample_weight=self.weight)
        return float(found[0])

    def group(self, domain: str) -> NDArray[np.object_]:
        """(n,) the group of each post by an attribute; ``unknown`` where it has none."""
        return groups_of(self.found.posts, domain)

    def extras(self) -> dict[str, Any]:
        """What strategies may need besides the probabilities, by name."""
        given: dict[str, Any] = {"calibrated": self.calibrated, **self.parts}
        if self.surface is not None:
            given |= self._arms_of(self.found.rows["post_id"])
        if self.soft is not None:
            given["soft"] = self.soft
        if self.attributes:
            given["group"] = self.group(self.attributes[0])
        return given

    def strategies(self) -> dict[str, review.Strategy]:
        """Every strategy that the study has enough for, by name."""
        return {name: strategy(name, self.settings) for name in enough_for(self)}

    def _arms_of(self, post_id: pd.Series) -> dict[str, Any]:
        """What :class:`comoderate.review.WeakArms` needs of posts; those without an arm are as accurate as the mean."""
        mine = self.arms.reindex(post_id)
        accuracy = mine["accuracy"].fillna(self.arms["accuracy"].mean()).to_numpy(dtype=np.float64)
        return {"arm_accuracy": np.clip(accuracy, 0.0, 1.0), "arm": mine["arm"].fillna(-1).to_numpy(dtype=np.int64)}

    def scores(self, names: Iterable[str], *, threshold: float | None = None) -> dict[str, Floats]:
        """(n,) review scores of strategies, in which no post's own label has a part."""
        known = self.strategies()
        return review.cross_fitted_scores(
            self.y,
            self.proba,
            fold=self.fold,
            strategies={name: known.get(name) or strategy(name, self.settings) for name in names},
            review_fraction=self.review_fraction,
            objective=objective(self.settings),
            threshold=self.settings.threshold if threshold is None else threshold,
            sample_weight=self.weight,
            extras=self.extras(),
        )

    def stream_extras(self, stream: pd.DataFrame, posts: pd.DataFrame | None = None) -> dict[str, Any]:
        """What strategies need for the posts of the queue: calibrated on all labelled posts but the post's own fold.

        Args:
            stream: the scorer's table of the posts: post_id, proba, …
            posts: the same posts, row for row, with attributes, where a strategy needs groups.
        """
        proba = stream["proba"].to_numpy(dtype=np.float64)
        at = pd.Index(self.found.rows["post_id"]).get_indexer(pd.Index(stream["post_id"]))
        fitted = Frugal().fit(self.proba, self.y, sample_weight=self.weight).predict(proba)
        given: dict[str, Any] = {"calibrated": np.where(at >= 0, self.calibrated[at], fitted), **scored_parts(stream)}
        if self.surface is not None:
            given |= self._arms_of(stream["post_id"])
        if self.soft is not None:
            share = self.found.rows["y_soft"].to_numpy(dtype=np.float64)
            fitted = _soft_calibrator(self.proba, share, self.weight, ~np.isnan(share)).predict(proba)
            given["soft"] = np.where(at >= 0, self.soft[at], fitted)
        if self.attributes and posts is not None:
            given["group"] = groups_of(posts, self.attributes[0])
        return given


def _soft_calibrator(proba: Floats, share: Floats, weight: Floats, use: NDArray[np.bool_]) -> Beta:
    """A calibrator to the share of positive ratings: each post counts as both, in proportion."""
    p, r, w = proba[use], share[use], weight[use]
    return Beta().fit(np.tile(p, 2), np.repeat([1.0, 0.0], len(p)), sample_weight=np.concatenate([w * r, w * (1 - r)]))


def groups_of(posts: pd.DataFrame, domain: str) -> NDArray[np.object_]:
    """(n,) the group of each post as text; ``unknown`` where it has none."""
    values = domain_values(posts, domain)
    return np.asarray(values.astype(object).where(values.notna(), UNKNOWN).astype(str).to_numpy(dtype=object))


def objective(settings: ReviewSettings) -> Callable[..., Any]:
    """The metric of the pair that the study wants to be large."""
    if settings.objective != "cost":
        return _OBJECTIVES[settings.objective]
    cost = settings.cost
    assert cost is not None
    return partial(
        review.review_saving,
        missed=cost.missed,
        removed=cost.wrongly_removed,
        minute=cost.minute,
        minutes_per_post=cost.minutes_per_post,
    )


_OBJECTIVES: Mapping[str, Callable[..., Any]] = {
    "accuracy": metrics.oracle_collaborative_accuracy,
    "auroc": metrics.oracle_collaborative_auroc,
    "average_precision": metrics.oracle_collaborative_average_precision,
    "review_efficiency": metrics.review_efficiency,
}


def target_of(study: Study) -> str:
    """The target whose posts are reviewed."""
    return study.settings.review.target or next(iter(study.settings.target))


def scorer_of(study: Study, target: str) -> str | None:
    """The scorer whose posts of a target are reviewed: the one named, or the best; None where there is none."""
    named = study.settings.review.scorer
    if named is None or study.target_of(named) != target or study.artefacts.record(f"scores:{named}") is None:
        return best_scorer(study, target)
    return named


def best_scorer(study: Study, target: str) -> str | None:
    """The scorer of a target with the highest average precision; None where there is none."""
    table = study.result("evaluation")
    if table.empty:
        return next(iter(study.comparable(target)), None)
    mine = table[
        (table["target"] == target) & (table["metric"] == "average_precision") & (table["domain"] == "all")
        & table["scorer"].isin(list(study.settings.scorer))
    ]  # fmt: skip
    ranked = mine.dropna(subset="value").sort_values("value", ascending=False)
    return None if ranked.empty else str(ranked["scorer"].iloc[0])


def capacity_of(study: Study) -> int:
    """How many readings the queue is for: as the study says, else those of its days, else a twentieth of all posts."""
    own, daily = study.settings.review.capacity, daily_readings(study)
    total = len(study.posts())
    return own or (max(1, round(total / 20)) if daily is None else max(1, min(daily, total)))


def daily_readings(study: Study) -> int | None:
    """What ``per_day`` reads from the first day of the posts to the last; None without it or without dates."""
    per_day = study.settings.review.per_day
    days = pd.to_datetime(study.posts().daily_counts()["day"]) if per_day else pd.Series(dtype="datetime64[ns]")
    return None if per_day is None or days.empty else per_day * ((days.max() - days.min()).days + 1)


def stream_of(study: Study, target: str, scorer: str) -> pd.DataFrame:
    """The scorer's table of the posts that the queue is made of, without those on which it failed."""
    scores = study.scores(scorer)
    keep = ~failures(scores)
    if study.settings.review.stream == "unlabelled":
        labels = study.labels(target)
        keep &= ~scores["post_id"].isin(labels.loc[labels["y"].notna(), "post_id"])
    return scores[keep].reset_index(drop=True)


def case_of(study: Study, target: str) -> Case | None:
    """The case of a target; None where it has no scorer, or no labelled posts of both classes."""
    found = sample_case(study, target)
    if found is None or study.settings.review.base_rate == "sample":
        return found
    return shifted(found, stream_of(study, target, found.scorer)["proba"].to_numpy(dtype=np.float64))[0]


def sample_case(study: Study, target: str) -> Case | None:
    """As :func:`case_of`, at the base rate of the labelled sample whatever the study says of the stream's."""
    scorer = scorer_of(study, target)
    truth = next(iter(study.settings.evaluate.truth), None) or study.cohort_of(target)
    found = None if scorer is None else tables.measure(study, target, truth)
    if scorer is None or found is None:
        return None
    known = checks.attribute_names(study.settings)
    scores = study.scores(scorer)
    proba, scored = found.scored(scores_of(found.rows, scores, scorer))
    if len(np.unique(scored.y)) < 2:
        return None
    has_arms = bool(known) or study.settings.surface is not None
    return Case(
        target=target,
        sample=study.sample_for(truth),
        truth=truth,
        scorer=scorer,
        found=scored,
        proba=proba,
        review_fraction=min(capacity_of(study) / max(len(study.posts()), 1), 0.99),
        settings=study.settings.review,
        attributes=tuple(name for name in study.settings.evaluate.by if name in known),
        parts=scored_parts(scored.rows[["post_id"]].merge(scores, on="post_id", how="left")),
        surface=partial(arm_accuracy, study, scorer) if has_arms else None,
        failed=len(found.y) - len(scored.y),
    )
