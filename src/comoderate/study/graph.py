"""The artefacts of a study and what each is made from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comoderate import __version__
from comoderate.study import (
    arms,
    checks,
    making,
    making_analysis,
    making_review,
    making_surface,
    population,
    pushed,
    rater_attributes,
    scoring,
    training,
)
from comoderate.study.artefacts import file_digest
from comoderate.study.settings import PopulationSettings, RatersSettings, ScorerSettings
from comoderate.study.stages import Stage

if TYPE_CHECKING:
    from comoderate.study.study import Study


def build(study: Study) -> dict[str, Stage]:
    """All stages of a study, by name."""
    return {stage.name: stage for stage in _stages(study)}


def _stages(study: Study) -> Iterator[Stage]:
    yield _posts(study)
    imports = []
    for name in study.settings.annotations:
        yield _annotations(study, name)
        imports.append(f"annotations:{name}")
    if study.settings.raters is not None:
        yield _raters(study, study.settings.raters)
    yield _labels(study, tuple(imports))
    if study.settings.population is not None:
        yield _population(study, study.settings.population)
    for name in study.settings.sample:
        yield _sample(study, name)
    for name, scorer in study.settings.scorer.items():
        if scorer.trained:
            yield _model(study, name, scorer)
        yield _scores(study, name, scorer)
    labelled = study.has_annotations()
    for name in study.settings.scorer:
        yield _surface(study, name, labelled=labelled)
    yield from _results(study)


def _posts(study: Study) -> Stage:
    s = study.settings
    source, found = _source(study, "posts", s.posts.path)
    inbox = pushed.files(study.folder)
    return Stage(
        name="posts",
        settings=[found, s.posts.model_dump(exclude={"path"}), s.study.seed, *(one.name for one in inbox)],
        make=partial(making.posts, study, source),
        outputs=(study.folder / "posts" / "manifest.json",),
        fresh=found is None and not (source is None and inbox),
    )


def _annotations(study: Study, name: str) -> Stage:
    s = study.settings
    own = s.annotations[name]
    if name in study.files or own.path is not None:
        source, found = _source(study, name, own.path)
    else:
        source, found = _source(study, "posts", s.posts.path)
    return Stage(
        name=f"annotations:{name}",
        settings=[found, own.model_dump(exclude={"path"}), s.codebook.digest],
        make=partial(making.answers, study, name, source),
        outputs=() if s.web.database else (study.folder / "annotations.db",),
        inputs=("posts",),
        fresh=found is None,
    )


def _raters(study: Study, own: RatersSettings) -> Stage:
    """Raters' attributes, from a file of their own or that of an import."""
    s = study.settings
    named = checks.raters_import(s) if own.path is None else None
    if named is None:
        source, found = _source(study, "raters", own.path)
    elif named in study.files or s.annotations[named].path is not None:
        source, found = _source(study, named, s.annotations[named].path)
    else:
        source, found = _source(study, "posts", s.posts.path)
    return Stage(
        name="raters",
        settings=[found, own.model_dump(exclude={"path"})],
        make=partial(rater_attributes.make, study, source),
        outputs=(study.folder / rater_attributes.FILE,),
        fresh=found is None,
    )


def _source(study: Study, name: str, path: str | None) -> tuple[Path | None, str | None]:
    """The file of a source and its digest; no digest where the file is out of reach."""
    source = study.source(name, path)
    return source, None if source is None or not source.exists() else file_digest(source)


def _labels(study: Study, imports: tuple[str, ...]) -> Stage:
    s = study.settings
    targets = {name: target.model_dump() for name, target in s.target.items()}
    folder = study.folder / "labels"
    names = ("annotations", "folds", *targets)
    return Stage(
        name="labels",
        settings=lambda: [making.revision(study), s.codebook.digest, targets, s.evaluate.folds, s.study.seed],
        make=partial(making.labels, study),
        outputs=tuple(folder / f"{name}.parquet" for name in names),
        inputs=("posts", *imports),
        format=2,
    )


def _population(study: Study, own: PopulationSettings) -> Stage:
    """Who counts, and which posts mention them."""
    named = study.settings.mentions
    files = [own.path, *([named.path] if named.path else [])]
    return Stage(
        name="population",
        settings=lambda: [
            [file_digest(study.folder / file) for file in files], own.model_dump(exclude={"path", "most"}),
            named.model_dump(exclude={"path"}),
        ],
        make=partial(population.make, study),
        outputs=(study.folder / population.MEMBERS, study.folder / population.MENTIONS),
        inputs=("posts",),
    )  # fmt: skip


def _sample(study: Study, name: str) -> Stage:
    s = study.settings
    own = s.sample[name]
    totals = None if s.totals is None else file_digest(study.folder / s.totals.path)
    first = [other for other, settings in s.sample.items() if settings.of is None]
    return Stage(
        name=f"sample:{name}",
        settings=[own.model_dump(exclude={"estimand", "finite"}), s.study.seed, totals, name == first[0]],
        make=partial(making.sample, study, name, stored=name == first[0]),
        outputs=(study.folder / "samples" / f"{name}.parquet", study.folder / "samples" / f"{name}.strata.parquet"),
        inputs=(
            "posts",
            *(["population"] if s.population is not None else []),
            *([f"sample:{own.of}"] if own.of else []),
        ),
        # A drawn sample is not drawn again because the filter that enriched it has learnt more since.
        needs=(*(f"scores:{scorer}" for scorer in own.scorers), *(["labels"] if own.rated else [])),
    )


def _model(study: Study, name: str, scorer: ScorerSettings) -> Stage:
    target = study.target_of(name)
    sample = scorer.sample or next(iter(study.settings.sample))
    elsewhere = {"compare", "path", "score", "members", "rules", "otherwise", "sends_text", "service"}
    return Stage(
        name=f"model:{name}",
        settings=[scorer.model_dump(exclude=elsewhere), target, sample, study.settings.study.seed],
        make=partial(training.model, study, name, target=target, sample=sample),
        outputs=(study.folder / "models" / name / "comoderate.json",),
        inputs=("labels", f"sample:{sample}") if scorer.learns else (),
    )


def _scores(study: Study, name: str, scorer: ScorerSettings) -> Stage:
    target, recorded = study.target_of(name), scorer.kind == "recorded"
    rules = [[rule.model_dump() for rule in scorer.rules], scorer.otherwise] if scorer.rules else []
    own: Any = [target, scorer.score if recorded else None, *rules, *([scorer.members] if scorer.members else [])]
    if not (recorded or scorer.trained):
        own = lambda: [target, scoring.external_version(study, name)]  # noqa: E731
    return Stage(
        name=f"scores:{name}",
        settings=own,
        make=partial(scoring.scores, study, name),
        outputs=(_scores_folder(study, name),),
        inputs=("posts", f"model:{name}") if scorer.trained else ("posts",),
        needs=("labels",) if scorer.learns else (),
        format=2,
    )


def _scores_folder(study: Study, name: str) -> Path:
    """Where the scorer's last scores are; the folder of all scores where it has none yet."""
    record = study.artefacts.record(f"scores:{name}")
    folder = study.folder / "scores"
    return folder if record is None else folder / str(record["summary"].get("folder", "")) / "manifest.json"


def _surface(study: Study, name: str, *, labelled: bool) -> Stage:
    folder = making_surface.folder_of(study, name)
    return Stage(
        name=f"surface:{name}",
        settings=lambda: making_surface.key(study, name),
        make=partial(making_surface.make, study, name),
        outputs=(*(folder / f"{table}.parquet" for table in making_surface.TABLES), folder / "surface.json"),
        inputs=(
            *making_surface.scores_of(study, name),
            *(("labels", *_samples_of_surface(study, name)) if labelled else ()),
        ),
    )


def _samples_of_surface(study: Study, name: str) -> tuple[str, ...]:
    """The samples whose labels measure a scorer, or say what is true of predicted attributes."""
    truths = (f"sample:{sample}" for sample in arms.truths_of(study.settings))
    return tuple(dict.fromkeys([making_surface.sample_of(study, name), *truths]))


def _results(study: Study) -> Iterator[Stage]:
    s = study.settings
    samples = tuple(f"sample:{name}" for name in s.sample)
    compared = tuple(f"scores:{name}" for name, scorer in s.scorer.items() if scorer.compare)
    results = study.folder / "results"
    evaluate = s.evaluate.model_dump()

    def stage(
        name: str,
        make: Any,
        settings: Any,
        inputs: tuple[str, ...],
        *outputs: Path,
        wishes: tuple[str, ...] = (),
        format: int = 1,
    ) -> Stage:
        made = partial(make, study)
        return Stage(
            name=name, settings=settings, make=made, outputs=outputs, inputs=inputs, wishes=wishes, format=format
        )

    people = ("population",) if s.population is not None else ()
    finite = {name: sample.finite for name, sample in s.sample.items()}
    base = ("labels", *samples)
    yield stage("agreement", making.agreement, evaluate, base, results / "agreement.parquet", format=3)
    words = [{name: own.estimand for name, own in s.sample.items()}, s.totals is not None]
    yield stage(
        "prevalence", making.prevalence, [evaluate, finite, words], (*base, *people), results / "prevalence.parquet",
        format=4,
    )  # fmt: skip
    yield stage(
        "evaluation", making.evaluation, [evaluate, s.study.seed], base,
        results / "evaluation.parquet", results / "curves.parquet", wishes=compared,
    )  # fmt: skip
    most = None if s.population is None else s.population.most
    yield stage(
        "analysis", making_analysis.analysis, [evaluate, finite, words, most, s.study.seed], (*base, *people),
        *(results / f"{name}.parquet" for name in making_analysis.TABLES), format=3,
    )  # fmt: skip
    yield stage(
        "assisted", making.assisted, [evaluate, finite], base, results / "assisted.parquet", wishes=compared, format=2
    )
    surface = None if s.surface is None else s.surface.model_dump()
    review = [s.review.model_dump(exclude={"desk"}), evaluate, surface]
    tables = tuple(results / f"{name}.parquet" for name in making_review.ADVICE)
    yield stage("advice", making_review.advice, [review, s.study.seed], ("evaluation",), *tables)
    yield stage(
        "review", making_review.review, review, ("evaluation", "advice"), results / "review.parquet",
        study.folder / "queue" / "review.parquet", format=3 if s.review.second_reading is None else 4,
    )  # fmt: skip
    words = [s.model_dump(exclude={"posts", "annotations", "web", "campaign"}), __version__]
    raters = ("raters",) if s.raters is not None else ()
    yield stage(
        "report", making.report, words,
        ("agreement", "prevalence", "analysis", "assisted", "evaluation", "review", *raters),
        study.folder / "report" / "index.html",
        wishes=tuple(f"surface:{name}" for name in making_surface.reported(study)),
    )  # fmt: skip
