"""Scoring every post, by whatever kind of scorer, in bounded memory; a run that was broken off goes on."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate import __version__
from comoderate.corpus import Manifest, engine, iter_dataset, map_batches, read_frame, write_dataset
from comoderate.corpus.resuming import resumable
from comoderate.errors import ComoderateError
from comoderate.models import FunctionScorer, PipelineScorer, ServiceScorer, Uncertainty
from comoderate.models.batch import SCHEMA, errors_where, score_table, spread
from comoderate.models.functions import Predictor, Versioned, installed_function
from comoderate.models.services import apply_rules
from comoderate.models.services.cache import Cache, text_digest
from comoderate.models.uncertainty import of_members
from comoderate.study import crossfit
from comoderate.study.artefacts import digest, file_digest

if TYPE_CHECKING:
    from comoderate.study.study import Study

CHUNK = 5_000
"""Posts that are scored together, and lost together where a run is killed."""
UNRECORDED = "no score is recorded"
Fn = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass
class Way:
    """How a scorer comes to its scores.

    Attributes:
        version: ten hex digits.
        columns: of the posts, beside their id.
        fn: a frame of posts → a frame of scores.
        resumes: whether finished chunks are kept on disk until all are.
        told: what the summary says beside the counts, once all is done.
    """

    version: str
    columns: list[str]
    fn: Fn
    resumes: bool = True
    told: Callable[[], dict[str, Any]] = field(default=dict)


def scores(study: Study, name: str) -> dict[str, Any]:
    """Score every post: by a model that did not see its fold, a service, a function, or what is recorded."""
    target = study.target_of(name)
    with contextlib.ExitStack() as stack:
        way = _way(study, name, target, stack)
        folder = study.folder / "scores" / f"{name}@{way.version}"
        metadata = {"scorer": folder.name, "target": target, "version": __version__}
        if "text" in way.columns and "text" not in study.posts().columns:
            raise ComoderateError("the posts have no text to score", do="use recorded scores")
        errors: dict[str, int] = {}
        if study.settings.corpus.engine == "spark" and isinstance(way.fn, FoldScorer):
            manifest = _by_workers(study, way, folder, metadata, errors)
        else:
            batches = _counted(study, name, _batches(study, name, way), errors)
            manifest = write_dataset(batches, folder, metadata, schema=SCHEMA)
        _clear(study, name)
        summary = {"folder": folder.name, "posts": manifest.rows, "version": way.version, **way.told()}
    return {**summary, **_failures(name, manifest.rows, errors)}


def _by_workers(study: Study, way: Way, folder: Path, metadata: dict[str, str], errors: dict[str, int]) -> Manifest:
    """Score on Spark's workers, each of which loads the model once; the order of the rows is Spark's."""
    corpus = study.settings.corpus
    with engine(corpus.engine, master=corpus.master) as backend:
        table = study.posts().table(backend)["post_id", *way.columns]
        manifest = map_batches(table, way.fn, SCHEMA, folder, metadata=metadata, batch_rows=CHUNK)
    for frame in iter_dataset(folder, ["error"]):
        _count(frame, errors)
    return manifest


def _count(frame: pd.DataFrame, errors: dict[str, int]) -> None:
    for problem, count in frame["error"].dropna().value_counts().items():
        errors[str(problem)] = errors.get(str(problem), 0) + int(count)


def _batches(study: Study, name: str, way: Way) -> Iterator[pd.DataFrame]:
    posts = study.posts()
    frames = posts.iter_frames(["post_id", *way.columns], batch_rows=CHUNK)
    if not way.resumes:
        return map(way.fn, frames)
    key = digest(
        name, way.version, getattr(way.fn, "stamp", ""), posts.digest, study.target_of(name), CHUNK, __version__
    )
    return resumable(frames, way.fn, SCHEMA, _root(study, name) / key)


def _clear(study: Study, name: str) -> None:
    """Remove the chunks of this scorer, those of runs that were given up included."""
    shutil.rmtree(_root(study, name), ignore_errors=True)
    with contextlib.suppress(OSError):
        _root(study, name).parent.rmdir()


def _root(study: Study, name: str) -> Path:
    return study.folder / ".comoderate" / "scoring" / name


def _counted(
    study: Study, name: str, batches: Iterator[pd.DataFrame], errors: dict[str, int]
) -> Iterator[pd.DataFrame]:
    """The batches, while progress is told and errors are counted."""
    done = 0
    for frame in batches:
        _count(frame, errors)
        yield frame
        done += len(frame)
        study.listener.progress(f"scores:{name}", done)


def _failures(name: str, posts: int, errors: dict[str, int]) -> dict[str, Any]:
    if not errors:
        return {}
    worst = max(errors, key=lambda problem: errors[problem])
    count = sum(errors.values())
    text = f"{name} has no probability for {count:,} of {posts:,} posts (mostly: {worst}); they are left out"
    return {"errors": errors, "warnings": [text]}


def _way(study: Study, name: str, target: str, stack: contextlib.ExitStack) -> Way:
    own = study.settings.scorer[name]
    if own.kind == "recorded":
        return _recorded(study, name, target)
    if own.trained:
        return _trained(study, name, target)
    if own.kind == "http":
        return _service(study, name, target, stack)
    if own.kind == "model":
        version = external_version(study, name)
        return Way(version, ["text"], FoldScorer(_model_path(study, name), version, folds=None, target=target))
    return Way(external_version(study, name), ["text"], partial(_asked, function_of(study, name), target))


# ------------------------------------------------------------------ recorded


def _recorded(study: Study, name: str, target: str) -> Way:
    own = study.settings.scorer[name]
    version = study.posts().digest[:10]
    if own.rules:
        columns = list(dict.fromkeys(field for rule in own.rules for field in rule.when))
        rules = [rule.rule() for rule in own.rules]
        version = digest(version, [rule.model_dump() for rule in own.rules], own.otherwise)[:10]
        return Way(version, columns, partial(_by_rules, rules, own.otherwise, columns, target), resumes=False)
    if own.members:
        columns = [f"score_{member}" for member in own.members]
        return Way(digest(version, columns)[:10], columns, partial(_as_ensemble, columns, target), resumes=False)
    column = f"score_{own.score or name}"
    return Way(version, [column], partial(_copied, column, target), resumes=False)


def _copied(column: str, target: str, frame: pd.DataFrame) -> pd.DataFrame:
    return _table(frame["post_id"], target, frame[column].to_numpy(dtype=np.float64))


def _as_ensemble(columns: list[str], target: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The mean of recorded members and their parts of the variance; none of them where one is missing."""
    members = frame[columns].to_numpy(dtype=np.float64)
    whole = ~np.isnan(members).any(axis=1)
    found = np.full((len(Uncertainty._fields) - 1, len(members)), np.nan)
    if whole.any():
        found[:, whole] = of_members(members[whole])[:-1]
    return score_table(frame["post_id"], target, Uncertainty(*found), errors_where(~whole, UNRECORDED))


def _by_rules(
    rules: list[Any], otherwise: float | None, columns: list[str], target: str, frame: pd.DataFrame
) -> pd.DataFrame:
    categories = frame[columns].astype(object).where(frame[columns].notna(), None)
    rows = (dict(zip(columns, row, strict=True)) for row in categories.itertuples(index=False))
    found = [apply_rules(row, rules, otherwise) for row in rows]
    return _table(frame["post_id"], target, np.array([np.nan if one is None else one for one in found]))


def _table(
    post_ids: pd.Series, target: str, proba: NDArray[np.float64], error: NDArray[np.object_] | None = None
) -> pd.DataFrame:
    """A table of scores that come without uncertainty: of a service's doubt nothing is known, not even the total."""
    unknown = np.full(len(proba), np.nan)
    if error is None:
        error = errors_where(np.isnan(proba), UNRECORDED)
    return score_table(post_ids, target, Uncertainty(proba, *[unknown] * 5), error)


# ------------------------------------------------------------------ trained


def _trained(study: Study, name: str, target: str) -> Way:
    path = study.folder / "models" / name
    version = crossfit.version(path)
    own = study.settings.scorer[name]
    folds = study.folder / "labels" / "folds.parquet" if own.learns else None
    stamp = version if folds is None else f"{version} {file_digest(folds)}"
    return Way(version, ["text"], FoldScorer(path, stamp, folds=folds, target=target))


class FoldScorer:
    """Scores frames of posts by the members of a cross-fitted scorer.

    Like :class:`~comoderate.models.BatchScorer` it can be pickled, holds paths only, and loads once a process.

    Args:
        path: the scorer's folder.
        stamp: changes with the scorer and the folds, so that a process never uses older ones.
        folds: file with the fold of each annotated post; None where the scorer learnt from no post.
        target: what the probabilities are for.
    """

    def __init__(self, path: Path, stamp: str, *, folds: Path | None, target: str) -> None:
        self.path, self.stamp, self.target = str(path.resolve()), stamp, target
        self.folds = None if folds is None else str(folds.resolve())

    def __call__(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The scores of a frame with ``post_id`` and ``text``."""
        fitted = _loaded(self.path, self.stamp)
        fold = np.full(len(frame), -1, dtype=np.int64)
        if self.folds is not None:
            known = _folds(self.folds, self.stamp).reindex(frame["post_id"]).fillna(-1)
            fold = known.to_numpy(dtype=np.int64)
        has_text = frame["text"].notna().to_numpy()
        found = fitted.predict(frame.loc[has_text, "text"].tolist(), fold[has_text])
        return score_table(frame["post_id"], self.target, *spread(found, has_text), fitted.saw(fold))


@lru_cache(maxsize=2)
def _loaded(path: str, stamp: str) -> crossfit.CrossFitted:
    return crossfit.load(Path(path))[0]


@lru_cache(maxsize=2)
def _folds(path: str, stamp: str) -> pd.Series:
    found: pd.Series = read_frame(path).set_index("post_id")["fold"]
    return found


# ------------------------------------------------------------------ services, functions


def function_of(study: Study, name: str) -> Versioned:
    """The scorer behind the kinds ``pipeline`` and ``callable``."""
    own = study.settings.scorer[name]
    if own.kind == "pipeline":
        options = dict(own.options)
        inside = study.folder / str(options["model"])
        if inside.is_dir():
            options["model"] = str(inside)
        return PipelineScorer(**options)  # type: ignore[arg-type]
    given = study.functions.get(name)
    return FunctionScorer(installed_function(name) if given is None else given, name=name)


def _asked(predictor: Predictor, target: str, frame: pd.DataFrame) -> pd.DataFrame:
    answers = predictor.predict(frame["text"].fillna("").tolist())
    return _table(frame["post_id"], target, answers.proba, answers.error)


def service_scorer(study: Study, name: str) -> ServiceScorer:
    """The service behind a scorer, with its answers so far; close it after use."""
    own = study.settings.scorer[name].service
    assert own is not None
    return ServiceScorer(own.service(), study.folder / ".comoderate" / "services")


def _service(study: Study, name: str, target: str, stack: contextlib.ExitStack) -> Way:
    version = external_version(study, name)
    scorer = stack.enter_context(service_scorer(study, name))
    before = 0

    def tell(done: int) -> None:
        study.listener.progress(f"scores:{name}", before + done)

    def ask(frame: pd.DataFrame) -> pd.DataFrame:
        nonlocal before
        found = _asked(scorer, target, frame)
        before += len(frame)
        return found

    def told() -> dict[str, Any]:
        counts = scorer.counts
        return {"host": scorer.service.host, "sent": counts.sent, "cached": counts.cached, "spent": counts.spent}

    scorer.progress = tell
    return Way(version, ["text"], ask, resumes=False, told=told)


def forget_answers(study: Study, texts: Iterable[str]) -> None:
    """Remove what services answered about texts."""
    gone = [text_digest(text) for text in texts]
    for path in sorted((study.folder / ".comoderate" / "services").glob("*.db")):
        with Cache(path) as cache:
            cache.forget(gone)


def external_version(study: Study, name: str) -> str:
    """The version of a scorer that is not the study's own; a service's canaries are rescored once an opened study.

    Where a service cannot be reached, or a function is not given, the version of the scores that there are counts: they
    stay usable.
    """
    if name not in study.versions:
        try:
            study.versions[name] = _version_now(study, name)
        except ComoderateError as error:
            record = study.artefacts.record(f"scores:{name}")
            if record is None:
                raise
            study.listener.note(f"scores:{name}", f"taken to be as it was: {error}")
            return str(record["summary"].get("version"))
    return study.versions[name]


def _model_path(study: Study, name: str) -> Path:
    """The folder of a model that was trained elsewhere."""
    return study.folder / str(study.settings.scorer[name].path)


def _version_now(study: Study, name: str) -> str:
    if study.settings.scorer[name].kind == "model":
        return crossfit.version(_model_path(study, name))
    if study.settings.scorer[name].kind != "http":
        return function_of(study, name).version()
    with service_scorer(study, name) as scorer:
        return scorer.version(rescore=True)
