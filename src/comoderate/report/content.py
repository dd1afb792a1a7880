"""What a report is made from: every number already computed, as frames, and the words that go with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    import pandas as pd

    from comoderate.plots import Display

ESTIMATE = ("value", "se", "low", "high", "level", "method", "n", "n_effective", "reason")
PEOPLE = ("volunteers", "experts", "crowd", "raters")
COLUMNS: dict[str, tuple[str, ...]] = {
    "design": ("sample", "phase", "stratum", "N", "in_hand", "drawn"),
    "totals": ("day", "N", "in_hand", "drawn"),
    "prevalence": ("target", "sample", "cohort", "unit", "domain", "group", *ESTIMATE, "few"),
    "truths": ("target", "domain", "group", "truth"),
    "comparisons": ("target", "domain", "group", "value"),
    "agreement": ("question", "cohort", "statistic", "n_items", "n_annotations", "n_raters", *ESTIMATE),
    "evaluation": ("target", "sample", "truth", "scorer", "domain", "group", "metric", *ESTIMATE, "few"),
    "curves": ("target", "sample", "truth", "scorer", "kind", "x", "y", "threshold"),
    "review": ("target", "sample", "truth", "scorer", "strategy", "review_fraction", "metric", *ESTIMATE),
    "queue": ("rank", "post_id", "text", "proba", "review_score", "reason", "source"),
    "examples": ("post_id", "text", "label"),
}


class TargetNote(TypedDict):
    """What makes a post positive: the target's name, and a plain sentence."""

    name: str
    sentence: str


class SampleNote(TypedDict):
    """One sample in words."""

    name: str
    description: str
    drawn: int
    labelled: int
    estimand: str
    warnings: NotRequired[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class ReportSection:
    """A section that a study adds beside those every report has (rater view, accuracy surface, typology, …).

    Attributes:
        title: heading, also in the table of contents.
        sentences: plain sentences, each a paragraph, before tables and figures.
        tables: pairs of caption and frame; cells are written as they are, numbers with sensible digits. A frame with
            the columns ``value``, ``low``, ``high`` shows them as one column with interval.
        figures: displays, with their own title and description.
        in_short: a sentence for the summary at the top, if the section has one.
    """

    title: str
    sentences: Sequence[str] = ()
    tables: Sequence[tuple[str, pd.DataFrame]] = ()
    figures: Sequence[Display] = ()
    in_short: str = ""


@dataclass(frozen=True, kw_only=True)
class ReportContent:
    """Everything that a report says. Frames that are None or empty give a section that says so.

    Attributes:
        title: the study's title.
        question: what was asked, in the study's own words.
        description: a paragraph on the study; blank lines separate paragraphs.
        generated: when, as text in UTC (``2026-11-30 09:00 UTC``).
        version: version of this package.
        seed: the study's seed; None where nothing was random.
        language: language of the study's texts and words, as an HTML language tag (the report's own words are
            English).
        targets: name and a plain sentence each.
        samples: name, plain description, posts drawn and labelled, what the sample estimates ('posts that survive in
            hand'), and warnings.
        design: sample, phase, stratum, N, in_hand, drawn; a row a stratum.
        totals: day, N, in_hand, drawn; a row a day.
        prevalence: target, sample, cohort, unit, domain ('all' or the name of a grouping), group, an estimate, few.
        truths: the keys of ``prevalence`` (at least target, domain, group) and ``truth``, for studies whose truth is
            known.
        comparisons: the keys of ``prevalence`` (at least target, domain, group) and ``value``: the same share in the
            full data.
        agreement: question, cohort, statistic, n_items, n_annotations, n_raters, an estimate.
        evaluation: target, sample, truth (the cohort whose labels are the truth), scorer, domain, group, metric, an
            estimate, few.
        curves: target, sample, truth, scorer, kind ('precision-recall' or 'roc'), x, y, threshold.
        review: target, sample, truth, scorer, strategy, review_fraction, metric, an estimate, and posts_read where
            some posts are read twice (review_fraction is then a share of readings).
        review_fraction: the share of posts that moderators can read; sentences speak of the nearest one in
            ``review``. None: 5 %.
        queue: rank, post_id, text, proba, review_score, reason, source ('queue' or 'audit'), and target where there
            are several, and readings where some posts are read twice; only the first rows are shown.
        queue_note: why there is no queue, or how many readings it holds beside posts, a sentence.
        examples: labelled posts to show: post_id, text, label.
        sendings: the services that received text.
        warnings: what a reader should know before using a number.
        extras: further sections, before the caveats.
        trimmed: by attribute, a sentence that says which of its groups are not shown.
    """

    title: str
    generated: str
    version: str
    question: str = ""
    description: str = ""
    seed: int | None = None
    language: str = "en"
    targets: Sequence[TargetNote] = ()
    samples: Sequence[SampleNote] = ()
    design: pd.DataFrame | None = None
    totals: pd.DataFrame | None = None
    prevalence: pd.DataFrame | None = None
    truths: pd.DataFrame | None = None
    comparisons: pd.DataFrame | None = None
    agreement: pd.DataFrame | None = None
    evaluation: pd.DataFrame | None = None
    curves: pd.DataFrame | None = None
    review: pd.DataFrame | None = None
    review_fraction: float | None = None
    queue: pd.DataFrame | None = None
    queue_note: str = ""
    examples: pd.DataFrame | None = None
    sendings: Sequence[str] = ()
    warnings: Sequence[str] = ()
    extras: Sequence[ReportSection] = ()
    trimmed: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, columns in COLUMNS.items():
            frame = getattr(self, name)
            if frame is None or not len(frame):
                continue
            missing = [column for column in columns if column not in frame.columns]
            if missing:
                raise ValueError(f"the report's frame {name!r} lacks the columns {', '.join(missing)}")

    @property
    def people(self) -> list[str]:
        """The cohorts: who is a person where a scorer may be one."""
        found = dict.fromkeys(PEOPLE)
        for name, column in (("prevalence", "cohort"), ("agreement", "cohort"), ("evaluation", "truth")):
            frame = self.frame(name)
            found |= {} if frame is None else dict.fromkeys(frame[column].dropna().astype(str))
        return list(found)

    def frame(self, name: str) -> pd.DataFrame | None:
        """The frame of that name, or None where it is missing or empty."""
        found: pd.DataFrame | None = getattr(self, name)
        if found is None or not len(found):
            return None
        numbers = {column: float for column in ("value", "low", "high") if column in found}
        return found.astype(numbers)
