"""Attributes that are predicted, not known: what scorers say of them, what is known, and to which arms posts belong.

Each value of such an attribute has a scorer of its own, a model of the study, a service or a recorded column. Where the
true value is known it counts; there, too, is learned how far the scorers can be believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from comoderate.errors import ComoderateError
from comoderate.study.loading import FILE
from comoderate.study.settings import SurfaceAttributeSettings, SurfaceSettings
from comoderate.surface import ArmCalibration, Attribute

if TYPE_CHECKING:
    from comoderate.study.study import Study

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
UNKNOWN = -1
MOST_ARMS = 20_000
CELLS = 10_000_000
"""Posts times arms that are held at once."""

LEAST_POSTS = 0.5
"""Arms that are expected to hold fewer posts, and are no post's likeliest, are left out."""

LEAST_SHARE = 1e-3
"""Smaller probabilities of an arm count as 0."""

KINDS: Mapping[str, str] = {"raw": "raw", "temperature": "temp", "full": "full"}


class Listed(Attribute):
    """Values that are listed beforehand.

    Args:
        names: of the values, in the order of their codes.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def fit(self, column: ArrayLike) -> Listed:
        """Nothing is learned from the column."""
        self.values_ = self.names
        return self

    def transform(self, column: ArrayLike) -> Codes:
        """(N,) codes."""
        code = {name: number for number, name in enumerate(self.names)}
        return np.array([code[value] for value in np.asarray(column, dtype=object)], dtype=np.int64)


@dataclass(frozen=True)
class Predicted:
    """What is said and known of one attribute.

    Attributes:
        values: names, V of them.
        proba: (N, V) what the scorers say, rows summing to 1.
        truth: (N,) code of the true value, :data:`UNKNOWN` elsewhere.
        fair: (N,) whether no scorer was trained on the post.
    """

    values: tuple[str, ...]
    proba: Floats
    truth: Codes
    fair: NDArray[np.bool_]

    @property
    def believed(self) -> Floats:
        """(N, V) the probabilities, where the truth is not known."""
        return np.where((self.truth >= 0)[:, None], np.eye(len(self.values))[np.maximum(self.truth, 0)], self.proba)

    @property
    def likeliest(self) -> NDArray[np.object_]:
        """(N,) names of the likeliest values."""
        return np.asarray(np.asarray(self.values, dtype=object)[self.believed.argmax(axis=1)])


@dataclass(frozen=True)
class Belief:
    """To which arms posts belong, as far as is known.

    Attributes:
        arms: (A, K) codes, every arm once, in lexical order.
        proba: (N, A) probability of each arm for each post, rows summing to 1; sparse.
        assignment: ``fractional`` or ``em``.
        calibration: ``raw``, ``temperature`` or ``full``.
        known: posts whose true arm is known.
        hit: share of those for whom the likeliest arm by the calibrated predictions alone is the true one; NaN where
            none is known.
    """

    arms: Codes
    proba: csr_array
    assignment: str
    calibration: str
    known: int
    hit: float

    def some(self, kept: NDArray[np.bool_] | NDArray[np.intp]) -> Belief:
        """The posts marked, or placed, in ``kept``."""
        return replace(self, proba=csr_array(self.proba[np.arange(self.proba.shape[0])[kept]]))

    def with_rows(self, rows: NDArray[np.intp], proba: Floats) -> Belief:
        """With other probabilities (n, A) for the posts at ``rows`` (n,)."""
        keep = np.ones(self.proba.shape[0])
        keep[rows] = 0.0
        shape = self.proba.shape
        at = np.repeat(rows, np.count_nonzero(proba, axis=1)), np.nonzero(proba)[1]
        new = csr_array((proba[np.nonzero(proba)], at), shape=shape)
        return replace(self, proba=csr_array(self.proba.multiply(keep[:, None]) + new))

    def dense(self, rows: NDArray[np.bool_]) -> Floats:
        """(n, A) the probabilities of the posts marked in ``rows``.

        Raises:
            ComoderateError: too many to hold.
        """
        if rows.sum() * len(self.arms) > 5 * CELLS:
            raise ComoderateError(
                f"{rows.sum():,} labels in {len(self.arms):,} arms are too many to be assigned in parts",
                where=FILE,
                do="leave attributes out of [surface], or set assignment = 'hard'",
            )
        return np.asarray(self.proba[np.flatnonzero(rows)].toarray())

    @property
    def likeliest(self) -> NDArray[np.intp]:
        """(N,) the likeliest arm of each post."""
        found = self.proba.tocsr()
        best = np.array([row.argmax() for row in np.split(found.data, found.indptr[1:-1])], dtype=np.intp)
        return np.asarray(found.indices[found.indptr[:-1] + best], dtype=np.intp)


def predicted(study: Study, name: str, own: SurfaceAttributeSettings, post_id: pd.Series) -> Predicted:
    """What scorers say of an attribute, and what is known, for posts row for row.

    Raises:
        ComoderateError: no score at all, or a true value that is none of those listed.
    """
    scores = {value: study.scores(scorer).set_index("post_id") for value, scorer in own.scorers.items()}
    said = np.column_stack([table["proba"].reindex(post_id).to_numpy(dtype=np.float64) for table in scores.values()])
    seen = [table["seen"].eq(True).reindex(post_id, fill_value=False).to_numpy() for table in scores.values()]
    values = (*own.scorers, *([] if own.rest is None else [own.rest]))
    truth = _by_column(study, name, own, values, post_id) if own.truth else _by_labels(study, own, post_id)
    return Predicted(values, _shares(said, rest=own.rest is not None), truth, ~np.logical_or.reduce(seen))


def belief(columns: Mapping[str, Predicted | None], codes: Codes, own: SurfaceSettings, *, seed: int) -> Belief | None:
    """To which arms posts belong; None where each counts for one.

    Args:
        columns: attributes in the order of the codes; those that are known are None.
        codes: (N, K) codes, of likeliest values where attributes are predicted.
        own: what is asked for.
        seed: for which posts calibration learns from, where they are many.

    Raises:
        ComoderateError: calibration is asked for and nothing is known, or arms are too many.
    """
    assignment = own.assignment or ("fractional" if own.estimator == "aaa" else "em")
    mine = {k: one for k, one in enumerate(columns.values()) if one is not None}
    if assignment == "hard" or not mine:
        return None
    arms, said = _all_arms(codes, mine), [_one_hot(codes[:, k]) for k in range(codes.shape[1])]
    believed = list(said)
    gold, taught = codes.copy(), np.ones(len(codes), dtype=bool)
    for k, one in mine.items():
        said[k], believed[k], gold[:, k] = one.proba, one.believed, one.truth
        taught &= (one.truth >= 0) & one.fair
    if not taught.any() and own.calibration in {"temperature", "full"}:
        raise ComoderateError(
            f"calibration = {own.calibration!r} needs posts whose true attributes are known, and there are none",
            where=FILE,
            do="name a column under truth, label some posts for the scorers' targets, or set calibration = 'raw'",
        )
    kind = (own.calibration or "full") if taught.any() else "raw"
    calibrated, rows = _calibrated(kind, said, gold, taught, arms, seed)
    known = np.logical_and.reduce([one.truth >= 0 for one in mine.values()])
    arms, proba = _kept(arms, _in_chunks(calibrated, believed))
    hit = np.nan
    if len(rows):
        guess = calibrated.arms_[calibrated.predict_proba([table[rows] for table in said]).argmax(axis=1)]
        hit = float((guess == gold[rows]).all(axis=1).mean())
    return Belief(arms, proba, assignment, kind, int(known.sum()), hit)


def _calibrated(
    kind: str, said: list[Floats], gold: Codes, taught: NDArray[np.bool_], arms: Codes, seed: int
) -> tuple[ArmCalibration, NDArray[np.intp]]:
    """The calibration, and the posts that it was learned from."""
    rows = np.flatnonzero(taught)
    most = max(200, CELLS // len(arms))
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
    model = ArmCalibration(kind=KINDS[kind], random_state=seed)  # type: ignore[arg-type]
    return model.fit([table[rows] for table in said], gold[rows], arms=arms), rows


def _all_arms(codes: Codes, mine: Mapping[int, Predicted]) -> Codes:
    """Every combination of known values that occurs, with every one of predicted values."""
    fixed = [k for k in range(codes.shape[1]) if k not in mine]
    held = np.unique(codes[:, fixed], axis=0) if fixed else np.zeros((1, 0), dtype=np.int64)
    sizes = [len(one.values) for one in mine.values()]
    if len(held) * int(np.prod(sizes)) > MOST_ARMS:
        raise ComoderateError(
            f"the attributes have {len(held) * int(np.prod(sizes)):,} combinations, too many where some are predicted",
            where=FILE,
            do="leave some out of [surface], or set assignment = 'hard'",
        )
    grid = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, len(sizes))
    arms = np.empty((len(held) * len(grid), codes.shape[1]), dtype=np.int64)
    arms[:, fixed] = np.repeat(held, len(grid), axis=0)
    arms[:, list(mine)] = np.tile(grid, (len(held), 1))
    return np.unique(arms, axis=0)


def _one_hot(codes: Codes) -> Floats:
    return np.eye(int(codes.max()) + 1)[codes]


def _in_chunks(model: ArmCalibration, tables: list[Floats]) -> csr_array:
    """(N, A) probabilities, small ones left out."""
    size, step = len(tables[0]), max(1, CELLS // len(model.arms_))
    parts = []
    for start in range(0, size, step):
        proba = model.predict_proba([table[start : start + step] for table in tables])
        proba[proba < np.minimum(LEAST_SHARE, proba.max(axis=1, keepdims=True))] = 0.0
        parts.append(csr_array(proba))
    return _stacked(parts)


def _stacked(parts: list[csr_array]) -> csr_array:
    from scipy.sparse import vstack

    return _normal(csr_array(vstack(parts)))


def _normal(proba: csr_array) -> csr_array:
    return csr_array(proba.multiply(1.0 / np.asarray(proba.sum(axis=1)).reshape(-1, 1)))


def _kept(arms: Codes, proba: csr_array) -> tuple[Codes, csr_array]:
    """Without the arms that hardly any post is in."""
    kept = np.asarray(proba.sum(axis=0)).reshape(-1) >= LEAST_POSTS
    best = csr_array(proba).argmax(axis=1)
    kept[np.asarray(best).reshape(-1)] = True
    return arms[kept], _normal(csr_array(proba[:, np.flatnonzero(kept)]))


def _shares(said: Floats, *, rest: bool) -> Floats:
    """(N, V) probabilities of values of which a post has one, from those that speak of each value by itself (N, V').

    With a rest, the values' odds against it are the scorers' odds; without one the probabilities are scaled to sum
    to 1. A post without a probability is taken to be like the others.
    """
    missing = np.isnan(said)
    if missing.all(axis=0).any():
        raise ComoderateError("a scorer of a predicted attribute gives no probability", do="look at its errors")
    p = np.clip(np.where(missing, np.nanmean(said, axis=0), said), 1e-6, 1 - 1e-6)
    weight = np.column_stack([p / (1 - p), np.ones(len(p))]) if rest else p
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _by_column(
    study: Study, name: str, own: SurfaceAttributeSettings, values: tuple[str, ...], post_id: pd.Series
) -> Codes:
    """(N,) the true values that an attribute of the posts holds."""
    column = study.posts().frame(["post_id", str(own.truth)]).set_index("post_id")[str(own.truth)].reindex(post_id)
    code = {value: number for number, value in enumerate(values)}
    cells = column.astype(object).to_numpy()
    truth = np.array([UNKNOWN if pd.isna(v) else code.get(str(v), len(values)) for v in cells], dtype=np.int64)
    strange = truth == len(values)
    if strange.any() and own.rest is None:
        raise ComoderateError(
            f"{str(column[strange].iloc[0])[:40]!r} is no value of the predicted attribute {name!r}",
            where=f"attribute {own.truth}, post {post_id.to_numpy()[strange][0]}",
            do=f"its values are {', '.join(values)}; give it a rest, or leave such cells empty",
        )
    truth[strange] = len(values) - 1
    return truth


def _by_labels(study: Study, own: SurfaceAttributeSettings, post_id: pd.Series) -> Codes:
    """(N,) the true values by the labels of the scorers' targets: the first target that a post is positive for."""
    size = len(own.scorers)
    if not study.has_annotations():
        return np.full(len(post_id), UNKNOWN, dtype=np.int64)
    y = np.full((len(post_id), size), np.nan)
    for number, scorer in enumerate(own.scorers.values()):
        settings, target = study.scorer_settings(scorer), study.target_of(scorer)
        sample = settings.sample or next(iter(study.settings.sample))
        if not (study.folder / "samples" / f"{sample}.parquet").exists():
            study.draw(sample)
        table = study.labelled_with_warnings(target, sample, settings.cohort).frame
        y[:, number] = table.set_index("post_id")["y"].reindex(post_id).to_numpy(dtype=np.float64)
    first = (y == 1.0).argmax(axis=1)
    known, some = ~np.isnan(y).any(axis=1), (y == 1.0).any(axis=1)
    rest = size if own.rest is not None else UNKNOWN
    return np.where(known, np.where(some, first, rest), UNKNOWN).astype(np.int64)
