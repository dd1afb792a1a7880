"""Names in ``study.toml`` that refer to each other must exist; found out before any work starts."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

from comoderate.errors import ComoderateError
from comoderate.models import KINDS, PipelineScorer, check_options
from comoderate.study.settings import AnnotationsSettings, Settings
from comoderate.study.settings.surface import CHARACTERS, SurfaceSettings

BUILT_IN_DOMAINS = ("day", "week")
Reference = tuple[str, str | None, Iterable[str], str]
"""A key, what it names, what there is, and of what kind."""

RESERVED = ("post_id", "text", "created_at", "day", "week", "views", "u", "author", "thread", "row")

SURFACE_LOSSES = ("error", "false_positive", "false_negative", "brier")
SURFACE_COLUMNS = (
    "arm", "posts", "share", "concerned", "labels", "value", "low", "high", "here", "here_low", "here_high", "powered",
    "powered_low", "powered_high", "weak", "counts", "named", "labels_before", "labels_after", "before",
    "after", "change", "worse", "surely", "against",
)  # fmt: skip
"""Columns of the tables of surfaces, which no attribute of an arm may be called."""


def check(settings: Settings, path: Path) -> None:
    """Check all references.

    Raises:
        ComoderateError: the first reference to something that the study does not have.
    """
    for key, name, known, kind in _references(settings):
        if name is not None and name not in known:
            near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
            listed = ", ".join(known) or "none"
            advice = f"did you mean {near[0]!r}?" if near else f"the study has: {listed}"
            raise ComoderateError(f"there is no {kind} {name!r}", where=f"{path}, {key}", do=advice)
    for name, target in settings.target.items():
        try:
            target.positive_answers(settings.codebook)
        except ValueError as error:
            raise ComoderateError(str(error), where=f"{path}, target.{name}") from None
    for name, source in settings.annotations.items():
        _check_form(name, source, path)
    if settings.raters is not None and settings.raters.path is None and raters_import(settings) is None:
        raise ComoderateError(
            "no import of annotations names raters", where=f"{path}, raters", do="name a file under path"
        )
    for name in (*settings.posts.attributes, *settings.posts.scores):
        if name in RESERVED or (name == "length" and settings.posts.length) or name.startswith("score_"):
            raise ComoderateError(f"{name!r} is a name that Comoderate uses itself", where=f"{path}, posts")
    for name in settings.surface.attribute if settings.surface else ():
        if name in SURFACE_COLUMNS:
            raise ComoderateError(
                f"{name!r} is a name that Comoderate uses itself",
                where=f"{path}, surface.attribute",
                do="choose another",
            )
    _check_population(settings, path)
    _check_options(settings, path)
    _check_cycles(settings, path)


def _check_population(settings: Settings, path: Path) -> None:
    """Attributes of people need names of their own."""
    if settings.population is None:
        if settings.mentions.path is not None or settings.mentions.column is not None:
            raise ComoderateError(
                "mentions need a population", where=f"{path}, mentions", do="add [population], or remove [mentions]"
            )
        return
    for name in settings.population.attributes:
        if name in RESERVED or name in (*attribute_names(settings), "handle", "excluded", "posts"):
            raise ComoderateError(
                f"{name!r} already names something else", where=f"{path}, population.attributes", do="choose another"
            )


def raters_import(settings: Settings) -> str | None:
    """The first import whose file names raters; None where there is none."""
    return next((name for name, source in settings.annotations.items() if source.rater_id is not None), None)


def domains(settings: Settings) -> tuple[str, ...]:
    """What estimates can be broken down by."""
    return (*BUILT_IN_DOMAINS, *attribute_names(settings))


def attribute_names(settings: Settings) -> tuple[str, ...]:
    """The attributes of a post, the length of its text among them."""
    extra = ("length",) if settings.posts.length and settings.posts.text else ()
    return (*settings.posts.attributes, *extra)


def _references(s: Settings) -> Iterator[Reference]:
    cohorts = s.cohorts
    for name, target in s.target.items():
        yield f"target.{name}.cohort", target.cohort, cohorts, "cohort"
        yield f"target.{name}.tie_cohort", target.tie_cohort, cohorts, "cohort"
        yield f"target.{name}.anchor_cohort", target.anchor_cohort, cohorts, "cohort"
    for name, sample in s.sample.items():
        others = [other for other in s.sample if other != name]
        yield f"sample.{name}.of", sample.of, others, "sample"
        yield f"sample.{name}.proportional_to", sample.proportional_to, ("views", *s.scorer), "size"
        for scorer_name in sample.flagged_by:
            yield f"sample.{name}.flagged_by", scorer_name, s.scorer, "scorer"
        yield f"sample.{name}.enrich.scorer", sample.enrich.scorer if sample.enrich else None, s.scorer, "scorer"
    for name, scorer in s.scorer.items():
        yield f"scorer.{name}.target", scorer.target, s.target, "target"
        yield f"scorer.{name}.sample", scorer.sample, s.sample, "sample"
        yield f"scorer.{name}.cohort", scorer.cohort, cohorts, "cohort"
        for rule in scorer.rules:
            for field in rule.when:
                yield f"scorer.{name}.rules.when", field, attribute_names(s), "attribute"
        for member in scorer.members:
            yield f"scorer.{name}.members", member, s.posts.scores, "recorded score in [posts] scores:"
        if scorer.kind == "recorded" and not scorer.rules and not scorer.members:
            yield f"scorer.{name}.score", scorer.score or name, s.posts.scores, "recorded score in [posts] scores:"
    yield "evaluate.sample", s.evaluate.sample, s.sample, "sample"
    for cohort in (*s.evaluate.truth, *s.evaluate.samples):
        yield "evaluate.truth", cohort, cohorts, "cohort"
    for sample_name in s.evaluate.samples.values():
        yield "evaluate.samples", sample_name, s.sample, "sample"
    for domain in s.evaluate.by:
        yield "evaluate.by", domain, domains(s), "attribute"
    if s.surface is not None:
        yield from _of_surface(s, s.surface, cohorts)
    yield "assess.cost", s.assess.cost, (CHARACTERS, *s.posts.attributes), "cost"
    yield from _campaigns(s)
    yield "review.scorer", s.review.scorer, s.scorer, "scorer"
    yield "review.target", s.review.target, s.target, "target"
    if s.review.moderators is not None:
        yield "review.moderators.from", s.review.moderators.from_, cohorts, "cohort"
        yield "review.moderators.against", s.review.moderators.against, cohorts, "cohort"
    for name, source in s.annotations.items():
        yield f"annotations.{name}.rater_question", source.rater_question, s.codebook.question, "question"
        for question in (*source.columns, *source.answers, *source.recode):
            yield f"annotations.{name}", question, s.codebook.question, "question"
        for question, answers in source.answers.items():
            for answer in answers:
                yield f"annotations.{name}.answers.{question}", answer, s.codebook.question[question].answers, "answer"


def _of_surface(s: Settings, own: SurfaceSettings, cohorts: Iterable[str]) -> Iterator[Reference]:
    for name in own.scorers:
        yield "surface.scorers", name, s.scorer, "scorer"
    for name in own.attributes:
        yield "surface.attributes", name, (*attribute_names(s), *own.attribute), "attribute"
    for name, one in own.attribute.items():
        if one.kind in {"auto", "category", "number"}:
            yield f"surface.attribute.{name}", one.column or name, attribute_names(s), "attribute in [posts]:"
        if one.kind == "scorer":
            yield f"surface.attribute.{name}", one.column or name, s.scorer, "scorer"
        for scorer_name in one.scorers.values():
            yield f"surface.attribute.{name}.scorers", scorer_name, s.scorer, "scorer"
        yield f"surface.attribute.{name}.truth", one.truth, s.posts.attributes, "attribute in [posts]:"
    yield "surface.against", own.against, s.scorer, "scorer"
    yield "surface.cohort", own.cohort, cohorts, "cohort"
    yield "surface.loss", own.loss, (*SURFACE_LOSSES, *s.posts.attributes), "loss"


def _campaigns(s: Settings) -> Iterator[Reference]:
    for name, own in s.campaign.items():
        yield f"campaign.{name}.sample", own.sample, s.sample, "sample"
        yield f"campaign.{name}.scorer", own.scorer, s.scorer, "scorer"
        yield f"campaign.{name}.answers_to", own.answers_to, s.posts.attributes, "attribute"
        if own.mix is not None:
            yield f"campaign.{name}.mix.sample", own.mix.sample, s.sample, "sample"
        for attribute in own.facts.values():
            yield f"campaign.{name}.facts", attribute, (*s.posts.attributes, "length"), "attribute"
        for attribute in own.opt_outs:
            yield f"campaign.{name}.opt_outs", attribute, s.posts.attributes, "attribute"


_NEEDS = {
    "long": ("question", "answer"),
    "wide": ("columns",),
    "one-hot": ("answers",),
    "raters": ("rater_columns", "rater_question"),
    "counts": ("answers",),
}


def _check_form(name: str, source: AnnotationsSettings, path: Path) -> None:
    for key in _NEEDS[source.form]:
        if not getattr(source, key):
            raise ComoderateError(
                f"form = {source.form!r} needs {key!r}", where=f"{path}, annotations.{name}", do="add it"
            )
    if source.form == "raters" and (source.rater_id or source.rater):
        raise ComoderateError(
            "form = 'raters' names its raters in rater_columns",
            where=f"{path}, annotations.{name}",
            do="remove rater_id and rater",
        )
    if source.form == "counts" and source.rater_id is not None:
        raise ComoderateError(
            "vote counts have no raters", where=f"{path}, annotations.{name}", do="remove rater_id, or use another form"
        )


def _check_options(s: Settings, path: Path) -> None:
    """Every option of a scorer must be one of its class, of the right type, before anything is trained."""
    for name, own in s.scorer.items():
        make = PipelineScorer if own.kind == "pipeline" else KINDS.get(own.kind)
        try:
            if make is not None:
                check_options(own.kind, make, own.options)
        except ComoderateError as error:
            raise ComoderateError(error.what, where=f"{path}, scorer.{name}.options", do=error.do) from None


def _check_cycles(s: Settings, path: Path) -> None:
    """A sample that needs a scorer that needs the sample can never be drawn."""

    def needs(sample: str, trail: tuple[str, ...]) -> None:
        if sample in trail:
            chain = " → ".join((*trail, sample))
            raise ComoderateError(
                f"samples need each other in a circle ({chain})",
                where=f"{path}, sample.{sample}",
                do="train the enriching scorer on another sample",
            )
        settings = s.sample[sample]
        if settings.of:
            needs(settings.of, (*trail, sample))
        for name in settings.scorers:
            scorer = s.scorer[name]
            if scorer.learns:
                needs(scorer.sample or next(iter(s.sample)), (*trail, sample))

    for name in s.sample:
        needs(name, ())
