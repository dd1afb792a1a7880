"""The keys of ``study.toml`` on answers that exist already, and on those who gave them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from comoderate.study.settings.base import Duplicates, FileFormat, Name, Table


class AnnotationsSettings(Table):
    """Answers that already exist, in one of five forms."""

    form: Literal["long", "wide", "one-hot", "raters", "counts"] = Field(
        description="`long` (a row an answer), `wide` (a row a judgement, a column a question), `one-hot` (a row a "
        "judgement, a column an answer), `raters` (a row a post, a column a rater, for one question) or `counts` (a "
        "row a post, votes in columns)."
    )
    path: str | None = Field(
        default=None, description="The file, relative to `study.toml`; by default the file of posts."
    )
    format: FileFormat = Field(default="auto", description="As for posts.")
    encoding: str = Field(default="utf-8", description="Character encoding of a text file.")
    cohort: Name = Field(description="Which raters these are: `volunteers`, `experts`, …")
    post_id: str | list[str] | None = Field(
        default=None, description="Column or columns of the post's id; by default as for posts."
    )
    rater_id: str | None = Field(default=None, description="Column of the rater; leave out where raters are unknown.")
    rater: str | None = Field(
        default=None, description="One name for the rater of all rows: an adjudicated label, say."
    )
    rater_columns: dict[str, str] = Field(
        default_factory=dict,
        description="Form `raters`: rater = column; an empty cell says that the rater did not judge.",
    )
    rater_question: str | None = Field(default=None, description="Form `raters`: the question that they answered.")
    question: str | None = Field(default=None, description="Form `long`: column that names the question.")
    answer: str | None = Field(default=None, description="Form `long`: column of the answer.")
    columns: dict[str, str] = Field(default_factory=dict, description="Form `wide`: question = column.")
    answers: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="Forms `one-hot` and `counts`: question = { answer = column }."
    )
    recode: dict[str, dict[str, str]] = Field(
        default_factory=dict,
        description="Answers that the file spells otherwise: question = { spelling there = answer in the codebook }; "
        "an empty answer stands for none given.",
    )
    created_at: str | None = Field(default=None, description="Column of the time of the answer.")
    seconds: str | None = Field(default=None, description="Column of the seconds that the answer took.")
    duplicates: Duplicates = Field(
        default="refuse",
        description="A rater who judged a post twice: `refuse`, or keep the `first` or `last` judgement.",
    )
    unknown_posts: Literal["refuse", "drop"] = Field(
        default="refuse", description="An annotation of a post that was not imported: `refuse`, or `drop` and count."
    )
    source: Literal["import", "sample", "gold", "tutorial"] = Field(
        default="import",
        description="How these posts were chosen for labelling; `gold` and `tutorial` answers never enter an estimate.",
    )


class RatersSettings(Table):
    """What is known about raters, to see whether groups of them agree."""

    path: str | None = Field(
        default=None,
        description="A file with a row a rater, relative to `study.toml`; by default the file of the first import of "
        "annotations that names raters.",
    )
    format: FileFormat = Field(default="auto", description="As for posts.")
    encoding: str = Field(default="utf-8", description="Character encoding of a text file.")
    rater_id: str = Field(default="rater_id", description="Column of the rater.")
    attributes: dict[Name, str] = Field(
        min_length=1, description="Attributes of a rater: name in the study = column in the file."
    )
    duplicates: Duplicates = Field(
        default="refuse",
        description="A rater who occurs again with other attributes: `refuse`, or keep the `first` or `last` row.",
    )
