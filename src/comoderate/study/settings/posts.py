"""The keys of ``study.toml`` on posts and on the world that they come from."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from comoderate.study.settings.base import Duplicates, FileFormat, Name, Table


class PostsSettings(Table):
    """Where posts come from, and what their columns are called there."""

    path: str | None = Field(
        default=None, description="The file of posts, relative to `study.toml`; `--posts` overrides it."
    )
    format: FileFormat = Field(
        default="auto",
        description="`auto` (from the file's name), `csv`, `tsv`, `jsonl` or `parquet`; each may be gzipped.",
    )
    encoding: str = Field(default="utf-8", description="Character encoding of a text file.")
    post_id: str | list[str] = Field(
        default="post_id",
        description="Column of the post's id, a list of columns that identify a post together, or `(row)`: "
        "posts are named by their row.",
    )
    text: str | None = Field(
        default="text", description="Column of the text; an empty name where only recorded probabilities are assessed."
    )
    created_at: str | None = Field(default=None, description="Column of the time: ISO 8601, or seconds since 1970.")
    author: str | None = Field(default=None, description="Column of the author; kept only as a keyed hash.")
    thread: str | None = Field(
        default=None, description="Column of the thread or conversation; kept only as a keyed hash."
    )
    views: str | None = Field(default=None, description="Column of the number of views.")
    attributes: dict[Name, str] = Field(
        default_factory=dict, description="Attributes of a post: name in the study = column in the file."
    )
    scores: dict[Name, str] = Field(
        default_factory=dict,
        description='Recorded probabilities of other services, for `kind = "recorded"` scorers: name = column.',
    )
    length: bool = Field(
        default=True, description="Whether to add the attribute `length` (short, medium or long text)."
    )
    duplicates: Duplicates = Field(
        default="refuse",
        description="A post id that occurs again: `refuse` the file, or keep the `first` or the `last`.",
    )
    missing_text: Literal["drop", "refuse"] = Field(
        default="refuse", description="A post without text: `refuse` the file, or `drop` the post and count it."
    )
    missing_time: Literal["drop", "refuse"] = Field(
        default="refuse",
        description="A post without a time, where `created_at` is named: `refuse` the file, or `drop` the post and "
        "count it.",
    )
    missing_score: Literal["refuse", "keep"] = Field(
        default="refuse",
        description="A post without a recorded probability: `refuse` the file, or `keep` the post without one; it is "
        "then left out, and counted, wherever that scorer is used.",
    )


class TotalsSettings(Table):
    """Daily totals of the world, where only a capped daily sample of it is in hand."""

    path: str = Field(description="File with a row a day, relative to `study.toml`.")
    day: str = Field(default="day", description="Column of the day (YYYY-MM-DD).")
    total: str = Field(default="N", description="Column of the number of posts in the world on that day.")


class CorpusSettings(Table):
    """Where the drawing of samples runs; the same posts are drawn everywhere."""

    engine: Literal["duckdb", "spark"] = Field(
        default="duckdb", description="`duckdb`, on this machine, or `spark`, for posts that lie on a cluster."
    )
    master: str | None = Field(
        default=None, description="Spark's master: `local[2]`, `spark://host:7077`; by default all of this machine."
    )

    @model_validator(mode="after")
    def _fitting(self) -> CorpusSettings:
        if self.master is not None and self.engine != "spark":
            raise ValueError('master belongs to engine = "spark"')
        return self
