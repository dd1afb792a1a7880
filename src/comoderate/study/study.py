"""A study: the folder that holds one investigation, and a method for each of its stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from comoderate.annotation import Store
from comoderate.corpus import Posts, atomic_path, read_dataset, read_frame, read_rows
from comoderate.errors import ComoderateError
from comoderate.models.functions import Function
from comoderate.study import (
    agreeing,
    assessing,
    checks,
    designs,
    drifting,
    estimating,
    forgetting,
    labelled,
    making,
    making_surface,
    people,
    planning,
    releasing,
    sources,
    tables,
)
from comoderate.study.artefacts import Artefacts
from comoderate.study.assessing import Assessment
from comoderate.study.decisions import DecisionCounts, audit_table, import_decisions
from comoderate.study.labelled import Labelled
from comoderate.study.loading import FILE, load_settings
from comoderate.study.making_review import review_groups
from comoderate.study.making_surface import SurfaceResult
from comoderate.study.planning import SamplePlans
from comoderate.study.ratings import MEASURING
from comoderate.study.settings import SampleSettings, ScorerSettings, Settings
from comoderate.study.stages import Listener, Pipeline, Silent


class Study:
    """One investigation, opened from its folder.

    Args:
        folder: the folder with ``study.toml``.
        settings: what the file says.
        known: files and columns that were named outside the file.
        listener: hears how work goes on.
        functions: Python functions for scorers of the kind ``callable``, by the scorer's name.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        *,
        known: sources.Sources | None = None,
        listener: Listener | None = None,
        functions: Mapping[str, Function] | None = None,
    ) -> None:
        self.folder, self.settings = folder, settings
        self.known = known or sources.Sources()
        self.files = self.known.files
        self.listener: Listener = listener or Silent()
        self.artefacts = Artefacts(folder)
        self.functions = dict(functions or {})
        self.versions: dict[str, str] = {}

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        posts: str | Path | None = None,
        annotations: Mapping[str, str | Path] | None = None,
        columns: Mapping[str, str] | None = None,
        listener: Listener | None = None,
        functions: Mapping[str, Function] | None = None,
    ) -> Study:
        """Open the study in a folder, or that of a ``study.toml``.

        Args:
            path: the folder or the file.
            posts: a file of posts that replaces the one that ``study.toml`` names; once imported, it is remembered.
            annotations: likewise, files of annotations by name of the import.
            columns: likewise, columns of the file of posts: key under ``[posts]`` → column.
            listener: hears how work goes on.
            functions: for scorers of the kind ``callable``, by name: takes a list of texts, gives a probability each.

        Raises:
            ComoderateError: no study there, or a mistake in its file.
        """
        folder = Path(path).parent if Path(path).name == FILE else Path(path)
        settings = load_settings(folder / FILE)
        remembered = sources.read(folder)
        given = {name: Path(file).resolve() for name, file in (annotations or {}).items()}
        for name in given:
            if name not in settings.annotations:
                listed = ", ".join(settings.annotations) or "none"
                raise ComoderateError(f"there is no import of annotations {name!r}", do=f"the study has: {listed}")
        if posts is not None:
            given["posts"] = Path(posts).resolve()
        for file in given.values():
            if not file.is_file():
                raise ComoderateError("there is no such file", where=file, do="check the path")
        known = sources.add(remembered, given, dict(columns or {}))
        return cls(folder, known.apply(settings), known=known, listener=listener, functions=functions)

    # ------------------------------------------------------------------ stages

    @cached_property
    def pipeline(self) -> Pipeline:
        """The study's artefacts and how they are made."""
        from comoderate.study.graph import build

        return Pipeline(build(self), self.artefacts, self.listener)

    def import_posts(self, *, force: bool = False) -> dict[str, Any]:
        """Import the posts; gives the counts of posts read, written and dropped."""
        return self._ensure("posts", force)

    def import_annotations(self, *, force: bool = False) -> dict[str, dict[str, Any]]:
        """Import all annotations; gives the counts by import."""
        return {name: self._ensure(f"annotations:{name}", force) for name in self.settings.annotations}

    def draw(self, sample: str, *, force: bool = False) -> pd.DataFrame:
        """Draw a sample; gives its rows: post_id, phase, stratum, cluster, pi."""
        self.sample_settings(sample)
        self._ensure(f"sample:{sample}", force)
        return self.sample(sample)

    def plan(self) -> SamplePlans:
        """What each sample will cost and how sharp it will be, before anything is drawn."""
        self._ensure("posts" if self.settings.population is None else "population", False)
        return planning.plans(self)

    def agree(self, *, by: Sequence[str] = (), force: bool = False) -> pd.DataFrame:
        """Take a snapshot of the annotations, aggregate labels, and give the table of agreement."""
        self._domains(by)
        self._ensure("agreement", force)
        return tables.agreement(self, tuple(by))

    def take_snapshot(self) -> None:
        """Take the snapshot of the annotations that analysis reads, if newer ones came, and draw the samples."""
        for name in ("labels", *(f"sample:{sample}" for sample in self.settings.sample)):
            self._ensure(name, False)

    def raters(self, *, question: str | None = None) -> pd.DataFrame:
        """Each rater's count, pace, agreement with the others and drift: a row a question, cohort and rater.

        Args:
            question: one question; by default those that targets read.
        """
        self._ensure("labels", False)
        return people.raters(self, question)

    def rater_groups(self, attribute: str, *, question: str | None = None) -> pd.DataFrame:
        """Agreement within and across groups of raters: a row a question, cohort and two groups.

        Args:
            attribute: one of those under ``[raters]``.
            question: one question; by default those that targets read.
        """
        self._ensure("labels", False)
        if self.settings.raters is not None:
            self._ensure("raters", False)
        return people.groups(self, attribute, question)

    def next_posts(self, n: int, *, target: str | None = None, cohort: str | None = None) -> pd.DataFrame:
        """The ``n`` posts on which one more rating is worth most: post_id, n_ratings, n_positive, y, flip_chance, …

        Args:
            n: how many.
            target: by default the first.
            cohort: who would rate; by default the target's.
        """
        name, who = self._target_and_cohort(target, cohort)
        self._ensure(f"sample:{self.sample_for(who)}", False)
        people.require_repeats(self, name, who)
        return people.next_posts(self, n, name, who)

    def polarised(self, n: int, *, target: str | None = None, cohort: str | None = None) -> pd.DataFrame:
        """The ``n`` posts that split their raters most: post_id, n_ratings, polarisation, answers.

        Args:
            n: how many.
            target: whose question; by default the first.
            cohort: whose answers; by default the target's.
        """
        name, who = self._target_and_cohort(target, cohort)
        return people.polarised(self, n, name, who)

    def with_text(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table of posts with their texts, anonymised unless the study says not."""
        return people.with_text(self, table)

    def _target_and_cohort(self, target: str | None, cohort: str | None) -> tuple[str, str]:
        """The names given or meant, with labels made."""
        name = target or next(iter(self.settings.target))
        self._known("target", name, self.settings.target)
        self._ensure("labels", False)
        who = cohort or self.cohort_of(name)
        self._known("cohort", who, self.cohorts)
        return name, who

    def train(self, scorer: str, *, force: bool = False) -> dict[str, Any]:
        """Train a scorer on all but each fold in turn; gives its card. Stopped or killed, it goes on where it was."""
        kind = self.scorer_settings(scorer).kind
        if not self.scorer_settings(scorer).trained:
            raise ComoderateError(f"scorer {scorer!r} ({kind}) is not trained here", do="name another scorer")
        return self._ensure(f"model:{scorer}", force)

    def score(self, scorer: str, *, force: bool = False) -> pd.DataFrame:
        """Score every post; gives post_id, target, proba, its uncertainty, error, seen, scored_at."""
        self.scorer_settings(scorer)
        self._ensure(f"scores:{scorer}", force)
        return self.scores(scorer)

    def estimate(self, *, by: Sequence[str] | None = None, force: bool = False) -> pd.DataFrame:
        """Estimate prevalence and all that follows; gives the table. With ``by``, broken down anew and not stored."""
        self._domains(by or ())
        for stage in ("prevalence", "analysis"):
            self._ensure(stage, force)
        return self.result("prevalence") if by is None else tables.prevalence(self, tuple(by))

    def evaluate(self, *, by: Sequence[str] | None = None, force: bool = False) -> pd.DataFrame:
        """Compare the scorers; gives the table. With ``by``, broken down by these groupings and not stored."""
        self._domains(by or ())
        for stage in ("evaluation", "assisted"):
            self._ensure(stage, force)
        return self.result("evaluation") if by is None else tables.evaluation(self, tuple(by))[0]

    def review(self, *, force: bool = False) -> pd.DataFrame:
        """Measure what review buys and build the queue; gives the table of the curves."""
        self._ensure("review", force)
        return self.result("review")

    def advise(self, *, force: bool = False) -> pd.DataFrame:
        """Compare review strategies for the study's capacity and objective; gives the table of the advice."""
        self._ensure("advice", force)
        return self.result("advice")

    def review_groups(self, by: Sequence[str]) -> pd.DataFrame:
        """Review load and residual error by attributes, for the strategy that orders the queue."""
        self._domains(by)
        self._ensure("advice", False)
        return review_groups(self, tuple(by))

    def import_decisions(self, path: str | Path) -> DecisionCounts:
        """Add moderators' decisions on the queue to the annotations, each with the source that the queue gives it."""
        return import_decisions(self, Path(path))

    def audit(self) -> pd.DataFrame:
        """The share of positives by the audit slice, apart from the raw share among queued posts."""
        return audit_table(self)

    def surface(self, scorer: str, *, loss: str | None = None, force: bool = False) -> SurfaceResult:
        """Where a scorer fails: tables ``arms``, ``effects``, ``curve``, what they are ``about``, and ``sentences``.

        Args:
            scorer: its name.
            loss: in place of that under ``[surface]``; then worked out anew and not stored.
            force: make it even where it is up to date.
        """
        self.scorer_settings(scorer)
        self._ensure(f"surface:{scorer}", force)
        return making_surface.read(self, scorer, loss=loss)

    def surface_grid(self, scorer: str, rows: str, columns: str, *, loss: str | None = None) -> pd.DataFrame:
        """A surface by two of its attributes: a row a pair of values, with value, posts and labels."""
        return making_surface.grid(self.surface(scorer, loss=loss), rows, columns)

    def surface_drift(
        self, scorer: str, *, date: str | None = None, other: str | None = None, loss: str | None = None
    ) -> drifting.Drifted:
        """How a surface changed since a day, or since another scorer or version (``name@version``)."""
        self.scorer_settings(scorer)
        self._ensure(f"surface:{scorer}", False)
        return drifting.drifted(self, scorer, date=date, other=other, loss=loss)

    def assess(
        self, scorer: str, *, size: int | None = None, answers: str | Path | None = None, strategy: str | None = None
    ) -> Assessment:
        """One round of assessment: take answers in, fit the surface again, and choose the posts to label next.

        Args:
            scorer: its name. It stays what it is, also where it learns from labels: :meth:`run` trains it anew.
            size: how many posts; by default as ``[assess]`` says.
            answers: a CSV with the columns post_id and answer, and rater if there are several.
            strategy: what chooses the arms of posts; by default as ``[assess]`` says.
        """
        self.scorer_settings(scorer)
        self._ensure("posts", False)
        for scores in making_surface.scores_of(self, scorer):
            if self.artefacts.record(scores) is None:
                self._ensure(scores, False)
        return assessing.assess(self, scorer, size=size, answers=answers, strategy=strategy)

    def relabel(self) -> None:
        """Bring labels up to date with the store, which may have changed since this study was opened."""
        self.__dict__.pop("pipeline", None)
        self._ensure("labels", False)
        for name in dict.fromkeys(map(self.sample_for, self.cohorts)):
            if not (self.folder / "samples" / f"{name}.parquet").exists():
                self._ensure(f"sample:{name}", False)

    def report(self, *, force: bool = False) -> Path:
        """Write the report; gives the path of its page."""
        self._ensure("report", force)
        return self.folder / "report" / "index.html"

    def release(
        self, folder: str | Path, *, sample: str | None = None, raters: int = 5, address: str | None = None
    ) -> releasing.Released:
        """Write the dataset that may be published: no text and no rater.

        Args:
            folder: new, empty, or an earlier release.
            sample: whose posts; by default the one that measures.
            raters: attributes of raters are made coarser until each combination has so many.
            address: what an id becomes: ``https://example.org/{post_id}``; by default the id itself.
        """
        self.sample_settings(sample or self.main_sample)
        for stage in ("agreement", "prevalence", "analysis"):
            self._ensure(stage, False)
        return releasing.release(self, Path(folder), sample or self.main_sample, raters, address)

    def forget(self, post_ids: Sequence[str]) -> forgetting.Forgotten:
        """Remove posts' texts and ids everywhere in the study; strata keep their counts, estimates say what they lost.

        Raises:
            ComoderateError: an id that the study does not have; nothing was changed then.
        """
        return forgetting.forget(self, post_ids)

    def run(self) -> Path | None:
        """Make all that the study asks for and that is stale.

        Returns:
            The path of the report; None where there are no annotations yet, and samples were drawn for labelling.
        """
        if self.has_annotations():
            return self.report()
        for name in self.settings.sample:
            if not self._waits_for_labels(name):
                self.draw(name)
        return None

    def has_annotations(self) -> bool:
        """Whether the study imports annotations or its store holds some."""
        return bool(self.settings.annotations) or making.revision(self) > 0

    def to_label(self, sample: str) -> pd.DataFrame:
        """The posts of a sample in random order, for raters: post_id and text, anonymised unless the study says not."""
        drawn = self.draw(sample)[["post_id"]]
        drawn = drawn[~forgetting.is_tombstone(drawn["post_id"])]
        return people.with_text(self, drawn) if "text" in self.posts().columns else drawn

    def export_sample(self, sample: str, path: str | Path) -> None:
        """Write the posts that :meth:`to_label` gives to a CSV file, whole or not at all."""
        with atomic_path(path) as temporary:
            self.to_label(sample).to_csv(temporary, index=False)

    def _waits_for_labels(self, sample: str) -> bool:
        own = self.settings.sample[sample]
        if own.of is not None:
            return self._waits_for_labels(own.of)
        learning = [s for s in own.scorers if self.scorer_settings(s).learns]
        return bool(learning) or own.rated is not None

    # ------------------------------------------------------------------ tables

    def posts(self) -> Posts:
        """The imported posts.

        Raises:
            ComoderateError: nothing was imported yet.
        """
        return Posts(self.folder / "posts")

    @property
    def store_url(self) -> str:
        """The address of the database of annotations."""
        return self.settings.web.database or f"sqlite:///{(self.folder / 'annotations.db').resolve()}"

    def store(self) -> Store:
        """The annotation store; close it after use."""
        return Store(self.store_url)

    def sample(self, name: str) -> pd.DataFrame:
        """A drawn sample: post_id, phase, stratum, cluster, pi."""
        self.sample_settings(name)
        return read_frame(self.folder / "samples" / f"{name}.parquet")

    def scores(self, scorer: str, post_ids: Iterable[str] | None = None) -> pd.DataFrame:
        """The scores of a scorer, of all posts or of some.

        post_id, target, proba, total, aleatoric, epistemic, error, seen, scored_at.

        ``proba`` is NaN, and ``error`` says why, where the scorer has no probability for a post; the parts of the
        uncertainty are NaN where the scorer does not give them; ``seen`` says whether it was trained on the post.
        """
        folder = self.scores_folder(scorer)
        return read_dataset(folder) if post_ids is None else read_rows(folder, post_ids)

    def scores_folder(self, scorer: str) -> Path:
        """The dataset of a scorer's probabilities, for what does not fit into memory."""
        self.scorer_settings(scorer)
        record = self.artefacts.record(f"scores:{scorer}")
        if record is None:
            raise ComoderateError(f"scorer {scorer!r} has not scored the posts", do="run `comoderate score`")
        return self.folder / "scores" / str(record["summary"]["folder"])

    def annotations(self) -> pd.DataFrame:
        """The snapshot of the annotations that ``agree`` took; all analysis reads it, never the live store."""
        return read_frame(self.folder / "labels" / "annotations.parquet")

    def labels(self, target: str) -> pd.DataFrame:
        """The label of every post and cohort for a target: post_id, cohort, source, n_ratings, y, …"""
        self._known("target", target, self.settings.target)
        return read_frame(self.folder / "labels" / f"{target}.parquet")

    def folds(self) -> pd.DataFrame:
        """The fold of every annotated post: post_id, group, fold."""
        return read_frame(self.folder / "labels" / "folds.parquet")

    def labelled(self, target: str, sample: str | None, cohort: str | None = None) -> pd.DataFrame:
        """The one table from which everything downstream starts.

        Args:
            target: what makes a post positive.
            sample: the sample whose posts are meant; None for all labelled posts, for training only.
            cohort: whose labels count; by default the target's.

        Returns:
            post_id, y, y_soft, n_ratings, source, phase, stratum, cluster, pi, weight, fold: a row a drawn post. ``y``
            is NaN without a label, never 0; ``weight`` is rebuilt for the posts really labelled and NaN for others.

        Warns:
            LabelWarning: what to know about missing labels and joined cells.
        """
        found = self.labelled_with_warnings(target, sample, cohort)
        labelled.warn(found.warnings)
        return found.frame

    def labelled_with_warnings(
        self, target: str, sample: str | None, cohort: str | None = None, *, soft: bool = False
    ) -> Labelled:
        """As :meth:`labelled`, with the warnings as text; ``soft``: with ``y_soft`` in the place of ``y``."""
        who = cohort or self.cohort_of(target)
        self._known("cohort", who, self.cohorts)
        draws = None if sample is None else self.sample(sample)
        labels = estimating.soften(self.labels(target)) if soft else self.labels(target)
        return labelled.join(labels, draws, self.folds(), cohort=who, not_asked=self._not_asked(target, who))

    def _not_asked(self, target: str, cohort: str) -> pd.Index | None:
        """Posts that a cohort rated without being asked a target's follow-up question; None for a first question."""
        question = self.settings.target[target].question
        if self.settings.codebook.question[question].when is None:
            return None
        notes, labels = self.annotations(), self.labels(target)
        rated = notes.loc[(notes["cohort"] == cohort) & notes["source"].isin(MEASURING), "post_id"].unique()
        outside: pd.Index = pd.Index(rated).difference(pd.Index(labels.loc[labels["cohort"] == cohort, "post_id"]))
        return outside

    def prevalence(
        self,
        target: str,
        sample: str,
        cohort: str | None = None,
        *,
        by: Sequence[str] = (),
        labels: Literal["hard", "soft"] = "hard",
    ) -> pd.DataFrame:
        """The share of positive posts, overall and by group: domain, group, an Estimate's fields, few.

        Args:
            target, sample, cohort: as :meth:`labelled`.
            by: ``day``, ``week`` or attributes.
            labels: ``hard``: each post is positive or not; ``soft``: each counts by its share of positive ratings, or
                by the probability that a model of the raters gives it.
        """
        self._domains(by)
        table = self.labelled_with_warnings(target, sample, cohort, soft=labels == "soft").frame
        design, level = designs.design(self, target, sample, table), self.settings.evaluate.level
        return estimating.prevalence(table, self.attributes(table["post_id"]), by=tuple(by), design=design, level=level)

    def agreement(self, *, by: Sequence[str] = (), sample: str | None = None) -> pd.DataFrame:
        """How far raters agree: a row a question, cohort and statistic, as :mod:`comoderate.study.agreeing` says.

        Args:
            by: break down by ``day``, ``week`` or attributes.
            sample: weigh posts by this sample's design, for agreement on the real stream.
        """
        self._domains(by)
        notes = self.annotations()
        weight = None
        if sample is not None:
            draws = self.sample(sample)
            weight = pd.Series(1.0 / draws["pi"].to_numpy(), index=draws["post_id"])
        posts = self.attributes(notes["post_id"].drop_duplicates())
        level = self.settings.evaluate.level
        return agreeing.agreement_table(notes, self.settings.codebook, posts, weight=weight, by=tuple(by), level=level)

    def attributes(self, post_ids: Sequence[str] | pd.Series) -> pd.DataFrame:
        """Day and attributes of posts, row for row."""
        posts = self.posts()
        columns = [c for c in ("post_id", "day", *checks.attribute_names(self.settings)) if c in posts.columns]
        ids = pd.DataFrame({"post_id": pd.Series(list(post_ids), dtype=object)})
        return ids.merge(posts.frame(columns, post_ids=ids["post_id"]), on="post_id", how="left")

    def result(self, name: str) -> pd.DataFrame:
        """A stored table of results: ``prevalence``, ``agreement``, ``evaluation``, ``curves`` or ``review``."""
        path = self.folder / "results" / f"{name}.parquet"
        if not path.exists():
            raise ComoderateError(f"there are no results on {name} yet", where=self.folder, do="run `comoderate run`")
        return read_frame(path)

    def queue(self) -> pd.DataFrame:
        """The queue for moderators: rank, post_id, target, proba, review_score, reason, pi, source, readings."""
        return read_frame(self.folder / "queue" / "review.parquet")

    # ------------------------------------------------------------------ names and defaults

    @property
    def cohorts(self) -> tuple[str, ...]:
        """All cohorts of the study: those that ``study.toml`` names, and those of answers added from files."""
        return tuple(dict.fromkeys([*self.settings.cohorts, *tables.added_cohorts(self)]))

    @property
    def main_sample(self) -> str:
        """The sample that measures: that of ``[evaluate]``, or the first."""
        return self.settings.evaluate.sample or next(iter(self.settings.sample))

    def cohort_of(self, target: str) -> str:
        """The cohort whose labels count for a target by default."""
        self._known("target", target, self.settings.target)
        named = self.settings.target[target].cohort
        if named is None and not self.cohorts:
            raise ComoderateError("the study has no annotations", where=self.folder / FILE, do="add [annotations.…]")
        return named or self.cohorts[0]

    def sample_for(self, cohort: str) -> str:
        """The sample on which a cohort's labels measure."""
        return self.settings.sample_of(cohort) or self.main_sample

    def sample_settings(self, name: str) -> SampleSettings:
        """The settings of a sample."""
        self._known("sample", name, self.settings.sample)
        return self.settings.sample[name]

    def scorer_settings(self, name: str) -> ScorerSettings:
        """The settings of a scorer."""
        self._known("scorer", name, self.settings.scorer)
        return self.settings.scorer[name]

    def target_of(self, scorer: str) -> str:
        """The target that a scorer's probabilities are for."""
        return self.scorer_settings(scorer).target or next(iter(self.settings.target))

    def comparable(self, target: str) -> list[str]:
        """The scorers of a target that stand in comparisons and have scored the posts."""
        return [
            name
            for name, own in self.settings.scorer.items()
            if own.compare and self.target_of(name) == target and self.artefacts.record(f"scores:{name}") is not None
        ]

    def source(self, name: str, path: str | None) -> Path | None:
        """The file of ``posts`` or of an import: the one given on opening, else the one of ``study.toml``."""
        if name in self.files:
            return self.files[name]
        return None if path is None else self.folder / path

    def _ensure(self, name: str, force: bool) -> dict[str, Any]:
        try:
            self.pipeline.ensure(name, force=force)
        finally:
            for source in ("posts", *self.known.files):
                if (source if source == "posts" else f"annotations:{source}") in self.pipeline.done:
                    sources.remember(self.folder, self.known, source)
        record = self.artefacts.record(name)
        return {} if record is None else dict(record["summary"])

    def _domains(self, by: Sequence[str]) -> None:
        for domain in by:
            self._known("attribute", domain, checks.domains(self.settings))

    def _known(self, kind: str, name: str, known: Any) -> None:
        if name not in known:
            raise ComoderateError(
                f"there is no {kind} {name!r}",
                where=self.folder / FILE,
                do=f"the study has: {', '.join(known) or 'none'}",
            )
