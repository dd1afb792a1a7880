"""The accuracy surface of a scorer in a study: posts by arm, what the labels say of each, and the fitted estimator.

A surface speaks of each arm by itself. It may therefore use labels of posts that were drawn at random within their
arm, however the arm was chosen: those of a sample with known chances, and those of assessment. Estimates of how much
there is must not use the latter, and don't: see :data:`comoderate.study.ratings.MEASURING`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.corpus import read_dataset, read_frame
from comoderate.errors import ComoderateError
from comoderate.study.arms import Arms, arms_of, surface_settings
from comoderate.study.ratings import MEASURING, SURFACE, TRAINING
from comoderate.study.settings import ASSESSORS
from comoderate.surface import (
    ArmTable,
    BetaI,
    Boosted,
    EmpiricalBayes,
    LogisticNormal,
    Prediction,
    Surface,
    arm_posterior,
    choose,
    fit_latent,
    fractional_counts,
    predict_decided,
    tabulate,
)

if TYPE_CHECKING:
    from comoderate.study.study import Study

Floats = NDArray[np.float64]
CONDITIONAL = {"false_positive": 0.0, "false_negative": 1.0}
"""Losses that only posts of one true answer can have, and that answer."""

MEASURES = {
    "error": "accuracy", "false_positive": "false-positive rate", "false_negative": "false-negative rate",
    "brier": "Brier score",
}  # fmt: skip
TURNS = 12
"""Most turns between assigning posts to arms and fitting, where attributes are predicted."""

PROPOSED = "proposed.parquet"


@dataclass(frozen=True)
class Assessed:
    """A scorer's posts by arm, and which of them are known to be decided right.

    Attributes:
        scorer, version, target, cohort, loss: names; ``cohort`` is whose labels are the truth.
        arms: all posts that have a score.
        right: (N,) 1 less the loss, NaN where it is unknown or where the loss has no meaning for the post.
        known: (N,) whether the post has a label that the surface may use, whatever it says.
        weight: (N,) weights within the arm, of mean 1 there among known posts.
        proxy: (N,) 1 less the loss that the scorer's own probability makes one expect; None where it says nothing.
        passed: (N,) for such losses, whether what is decided would be right for a post of that answer; None for others.
    """

    scorer: str
    version: str
    target: str
    cohort: str
    loss: str
    arms: Arms
    right: Floats
    known: NDArray[np.bool_]
    weight: Floats
    proxy: Floats | None = None
    passed: NDArray[np.bool_] | None = None

    @cached_property
    def table(self) -> ArmTable:
        """Arms with their posts and labels; expected numbers where attributes are predicted."""
        return self._tabulated(self.right)

    def _tabulated(self, right: Floats) -> ArmTable:
        """(A,) counts of 1 less the loss, or of another number in [0, 1] that is NaN where unknown (N,)."""
        belief = self.arms.belief
        if belief is None:
            return tabulate(self.arms.codes, right, weight=self.weight)
        known = np.isfinite(right)
        n, c = fractional_counts(belief.dense(known), right[known], weight=self.weight[known])
        pool = np.maximum(np.asarray(belief.proba.sum(axis=0)).reshape(-1), n)
        return ArmTable(belief.arms, belief.likeliest, pool, n, c)

    @cached_property
    def labels(self) -> Floats:
        """(A,) known posts of each arm, whatever their weight."""
        if self.arms.belief is not None:
            return np.asarray(self.arms.belief.dense(self.known).sum(axis=0))
        return np.bincount(self.table.index[self.known], minlength=len(self.table.arms)).astype(np.float64)

    @cached_property
    def concerned(self) -> Floats:
        """(N,) 1 for posts with a label that the loss can concern, 0 for others with a label, NaN without one."""
        return np.where(self.known, np.isfinite(self.right).astype(np.float64), np.nan)

    @cached_property
    def members(self) -> Surface | None:
        """Which posts the loss can concern, by arm and by what is decided; None where it can concern every post."""
        if self.passed is None or self.arms.belief is not None:
            return None
        codes = np.column_stack([self.arms.codes, self.passed.astype(np.int64)])
        table = tabulate(codes, self.concerned, weight=self.weight)
        return LogisticNormal().fit(table.arms, table.n, table.c)

    @cached_property
    def decided(self) -> Floats:
        """(A, 2) posts of each arm that are decided wrong and right, should the loss concern them."""
        size, passed = len(self.table.arms), np.asarray(self.passed)
        return np.stack([np.bincount(self.table.index[passed == way], minlength=size) for way in (False, True)], axis=1)

    @cached_property
    def relevant(self) -> Floats:
        """(A,) share of each arm's posts that the loss can concern; 1 unless it is for positives or negatives only."""
        arms = self.table.arms
        if self.passed is None:
            return np.ones(len(arms))
        if self.members is None:
            counts = self._tabulated(self.concerned)
            return EmpiricalBayes().fit(counts.arms, counts.n, counts.c).predict(arms).mean
        ways = [self.members.predict(np.column_stack([arms, np.full(len(arms), way)])).mean for way in (0, 1)]
        return np.asarray((self.decided * np.stack(ways, axis=1)).sum(axis=1) / self.decided.sum(axis=1))

    @property
    def traffic(self) -> Floats:
        """(A,) posts of each arm that the loss can concern, as many as labels make one expect; else all its posts."""
        return self.table.pool_size * self.relevant

    def by_post(self, by_arm: Floats) -> Floats:
        """(N,) what is so of a post, from what is so of arms (A,)."""
        belief = self.arms.belief
        return np.asarray(by_arm[self.table.index] if belief is None else belief.proba @ by_arm)

    def without(self, hidden: NDArray[np.bool_]) -> Assessed:
        """The same without the labels of the posts marked in ``hidden`` (N,)."""
        return replace(self, right=np.where(hidden, np.nan, self.right), known=self.known & ~hidden)

    def among(self, kept: NDArray[np.bool_]) -> Assessed:
        """The posts marked in ``kept`` (N,) only."""
        proxy = None if self.proxy is None else self.proxy[kept]
        passed = None if self.passed is None else self.passed[kept]
        new = replace(self, arms=self.arms.some(kept), right=self.right[kept], known=self.known[kept])
        return replace(new, weight=self.weight[kept], proxy=proxy, passed=passed)


def assessed(study: Study, scorer: str, *, loss: str | None = None, version: str | None = None) -> Assessed:
    """Posts, arms and labels for a scorer's surface, from the scores and labels that there are.

    Args:
        study: with posts; labels, a sample and scores as far as they exist.
        scorer: its name.
        loss: in place of the study's.
        version: an older version of its scores; by default the last.

    Raises:
        ComoderateError: no scores, or a loss that is neither known nor an attribute.
    """
    own = surface_settings(study)
    loss, target, proxy, passed = loss or own.loss, study.target_of(scorer), None, None
    cohort = cohort_of(study, target)
    scores, found = _scores(study, scorer, version)
    scores = scores[scores["proba"].notna()]
    arms = arms_of(study)
    at = pd.Index(scores["post_id"]).get_indexer(arms.post_id)
    arms = arms.some(at >= 0)
    scores = scores.iloc[at[at >= 0]]
    if loss in MEASURES:
        labels = usable_labels(study, scorer, target, cohort).reindex(arms.post_id)
        y, weight = labels["y"].to_numpy(dtype=np.float64), labels["weight"].to_numpy(dtype=np.float64)
        y = np.where(scores["seen"].eq(True), np.nan, y)  # a model does well on posts that it has learnt by heart
        proba = scores["proba"].to_numpy(dtype=np.float64)
        right, proxy = 1.0 - _loss(loss, proba, y, own.threshold), _proxy(loss, proba, own.threshold)
        if loss in CONDITIONAL:
            right = np.where(y == CONDITIONAL[loss], right, np.nan)
            passed = (proba > own.threshold) == (CONDITIONAL[loss] == 1.0)
        known = ~np.isnan(y)
    else:
        right = 1.0 - _column(study, loss, arms.post_id)
        known, weight = np.isfinite(right), np.ones(len(right))
    even = _even(arms.codes, known, weight)
    return Assessed(scorer, found, target, cohort, loss, arms, right, known, even, proxy, passed)


def _loss(loss: str, proba: Floats, y: Floats, threshold: float) -> Floats:
    """(N,) what posts cost, in [0, 1]; NaN without a label."""
    wrong = (proba - y) ** 2 if loss == "brier" else ((proba > threshold) != (y == 1.0)).astype(np.float64)
    return np.where(np.isnan(y), np.nan, wrong)


def _proxy(loss: str, proba: Floats, threshold: float) -> Floats | None:
    """(N,) 1 less the expected loss, were the probabilities right; None for losses of posts of one answer only."""
    if loss in CONDITIONAL:
        return None
    return 1.0 - proba * (1.0 - proba) if loss == "brier" else np.where(proba > threshold, proba, 1.0 - proba)


def cohort_of(study: Study, target: str) -> str:
    """Whose labels are the truth of the surface, and under whom answers of assessment are stored."""
    own, s = surface_settings(study), study.settings
    named = own.cohort or s.assess.cohort or next(iter(s.evaluate.truth), None)
    return named or (study.cohort_of(target) if study.cohorts else ASSESSORS)


def usable_labels(study: Study, scorer: str, target: str, cohort: str) -> pd.DataFrame:
    """y and weight by post_id: the labels of posts that were drawn at random within their arm.

    Those of the cohort's sample, weighted by the inverse of their chances; those of assessment, weighted 1; and those
    of posts that assessment proposed when they had a label already, of whatever source.
    """
    empty = pd.DataFrame({"y": [], "weight": []}, index=pd.Index([], dtype=object, name="post_id"), dtype=np.float64)
    if not study.has_annotations():
        return empty
    labels = study.labels(target)
    mine = labels[(labels["cohort"] == cohort) & labels["y"].notna()].set_index("post_id")
    asked = mine.index.isin(proposed(study, scorer)["post_id"]) & mine["source"].isin(TRAINING)
    chosen = mine["source"].isin(set(SURFACE) - set(MEASURING)) | asked
    drawn = mine[mine["source"].isin(MEASURING)]
    if len(drawn):
        pi = study.sample(study.sample_for(cohort)).set_index("post_id")["pi"]
        drawn = drawn.assign(weight=1.0 / pi.reindex(drawn.index)).dropna(subset="weight")
    parts = [mine[chosen].assign(weight=1.0), drawn]
    held = [part[["y", "weight"]] for part in parts if len(part)]
    together = pd.concat(held) if held else empty
    return together[~together.index.duplicated(keep="last")]


def proposed(study: Study, scorer: str) -> pd.DataFrame:
    """The posts that assessment chose for a scorer so far: post_id, round, proposed_at."""
    path = study.folder / "surface" / scorer / PROPOSED
    return read_frame(path) if path.exists() else pd.DataFrame({"post_id": [], "round": [], "proposed_at": []})


def _scores(study: Study, scorer: str, version: str | None) -> tuple[pd.DataFrame, str]:
    if version is None:
        record = study.artefacts.record(f"scores:{scorer}") or {"summary": {}}
        return study.scores(scorer), str(record["summary"].get("version", ""))
    folder = study.folder / "scores" / f"{scorer}@{version}"
    if not folder.is_dir():
        held = [path.name.rpartition("@")[2] for path in sorted((study.folder / "scores").glob(f"{scorer}@*"))]
        raise ComoderateError(
            f"scorer {scorer!r} has no version {version!r}", do=f"it has: {', '.join(held) or 'none'}"
        )
    return read_dataset(folder), version


def _column(study: Study, name: str, post_id: pd.Index) -> Floats:
    """(N,) losses that a column of the posts holds."""
    if name not in study.settings.posts.attributes:
        raise ComoderateError(
            f"there is no loss {name!r}",
            do=f"there are {', '.join(MEASURES)}, and the attributes of [posts]: "
            f"{', '.join(study.settings.posts.attributes) or 'none'}",
        )
    values = study.posts().frame(["post_id", name]).set_index("post_id")[name].reindex(post_id)
    loss = pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64)
    bad = values.notna().to_numpy() & ~((loss >= 0) & (loss <= 1))
    if bad.any():
        raise ComoderateError(
            f"{values[bad].iloc[0]!r} is no loss",
            where=f"attribute {name}, post {post_id[bad][0]}",
            do="losses lie between 0 and 1; leave them empty where they are unknown",
        )
    return loss


def _even(codes: NDArray[np.int64], known: NDArray[np.bool_], weight: Floats) -> Floats:
    """Weights with the mean 1 among the known posts of each arm, and 1 elsewhere: arms are compared, not pooled."""
    index = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    w = np.where(known, weight, 0.0)
    total, size = np.bincount(index, weights=w), np.bincount(index, weights=known.astype(np.float64))
    mean = np.divide(total, size, out=np.ones(len(total)), where=size > 0)
    return np.where(known, w / mean[index], 1.0)


def in_hand(
    found: Assessed, surface: Surface, kept: NDArray[np.bool_] | None = None, *, level: float
) -> Prediction | None:
    """The mean over exactly the posts in hand, of every arm or of those marked in ``kept`` (A,).

    For losses of posts of one answer only, it is the mean over those posts, as many as labels make one expect; what is
    decided of each is known, so that this rests on all labels.

    Returns:
        None where it is not known which posts make up an arm.
    """
    if found.arms.belief is not None:
        return None
    table = found.table
    arms, pool = (table.arms, table.pool_size) if kept is None else (table.arms[kept], table.pool_size[kept])
    if found.members is None:
        return surface.predict(arms, pool_size=pool, level=level)
    decided = found.decided if kept is None else found.decided[kept]
    return predict_decided(found.members, arms, pool_size=decided, level=level)


class Fitted(NamedTuple):
    """A scorer's posts by arm, the estimator fitted to them, and its name."""

    found: Assessed
    surface: Surface
    estimator: str


def _aaa() -> Surface:
    try:
        from comoderate.surface.aaa import Published
    except ImportError:
        raise ComoderateError(
            "estimator = 'aaa' needs torch and gpytorch", do="pip install 'comoderate[surface]'"
        ) from None
    return Published()


MAKERS: Mapping[str, Callable[[], Surface]] = {
    "logistic_normal": LogisticNormal,
    "boosting": Boosted,
    "empirical_bayes": EmpiricalBayes,
    "beta_i": BetaI,
    "aaa": _aaa,
}


def fit(study: Study, found: Assessed) -> Fitted:
    """The estimator that the study wants, fitted; with what posts turned out to be, where attributes are predicted."""
    table, name = found.table, str(surface_settings(study).estimator)
    if name == "auto":
        choice = choose(table.arms, table.n, table.c, random_state=study.settings.study.seed)
        surface, name = choice.surface, choice.name
    else:
        surface = MAKERS[name]().fit(table.arms, table.n, table.c)
    belief = found.arms.belief
    if belief is None or belief.assignment != "em" or not np.isfinite(found.right).any():
        return Fitted(found, surface, name)
    return Fitted(_assigned(found, surface), surface, name)


def _assigned(found: Assessed, surface: Surface) -> Assessed:
    """Posts by the arms in which their outcomes are likely, too; fits the surface to them.

    Unlabelled posts stay as they are, and so do those whose attributes are known.
    """
    belief = found.arms.belief
    assert belief is not None
    known = np.isfinite(found.right)
    proba, right, weight = belief.dense(known), found.right[known], found.weight[known]
    fit_latent(surface, belief.arms, proba, right, weight=weight, n_iter=TURNS)
    posterior = arm_posterior(proba, right, surface.predict(belief.arms).mean)
    new = replace(found, arms=replace(found.arms, belief=belief.with_rows(np.flatnonzero(known), posterior)))
    surface.refit(new.table.arms, new.table.n, new.table.c)
    return new


def arm_accuracy(study: Study, scorer: str) -> pd.DataFrame:
    """Every scored post with its arm and what the surface says of it: post_id, arm, accuracy.

    ``accuracy`` is that of the arm in general. For a post with a label it comes from a surface without the labels of
    the post's fold, so that no post's own answer has a part in it. Scores and labels are taken as they are: make them
    first.

    Args:
        study: with scores of the scorer and, for more than a constant, labels.
        scorer: its name.
    """
    found = assessed(study, scorer, loss="error")
    fitted = fit(study, found)
    surface, table = fitted.surface, fitted.found.table
    accuracy = found.by_post(surface.predict(table.arms).mean)
    if found.known.any():
        fold = study.folds().set_index("post_id")["fold"].reindex(found.arms.post_id).to_numpy(dtype=np.float64)
        for one in np.unique(fold[found.known & np.isfinite(fold)]):
            hidden = found.known & (fold == one)
            part = fitted.found.without(hidden).table
            without = surface.refit(part.arms, part.n, part.c).predict(part.arms).mean
            accuracy[hidden] = found.by_post(without)[hidden]
    return pd.DataFrame({"post_id": found.arms.post_id, "arm": table.index, "accuracy": accuracy})


def weak_arm_score(study: Study, scorer: str) -> pd.Series:
    """How weak the scorer is on posts of the post's kind: 1 less the arm's accuracy, by post_id, larger is weaker."""
    found = arm_accuracy(study, scorer)
    return pd.Series(1.0 - found["accuracy"].to_numpy(), index=pd.Index(found["post_id"], name="post_id"), name="error")
