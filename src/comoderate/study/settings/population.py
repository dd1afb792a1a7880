"""The keys of ``study.toml`` on the people whom posts mention."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from comoderate.study.comparisons import parse
from comoderate.study.settings.base import Name, Table


class PopulationSettings(Table):
    """The people whose mentions are studied: posts that mention none of them are never drawn."""

    path: str = Field(default="population.csv", description="File with a row a person, relative to `study.toml`.")
    handle: str = Field(default="handle", description="Column of the handle, with or without `@`; case does not count.")
    attributes: dict[Name, str] = Field(
        default_factory=dict, description="Attributes of a person: name in the study = column in the file."
    )
    include: tuple[str, ...] = Field(
        default=(),
        description="Rules that a person must meet, each a comparison of a column with a value: "
        '`["active = yes", "protected != yes", "followers < 1000000"]`. Whoever fails one is left out and counted.',
    )
    most: int = Field(
        default=10, ge=1, description="Concentration: how many of the most abused people the share is given for."
    )

    @field_validator("include")
    @classmethod
    def _readable(cls, rules: tuple[str, ...]) -> tuple[str, ...]:
        for rule in rules:
            parse(rule)
        return rules


class MentionsSettings(Table):
    """Which post mentions whom; without this table handles are taken from the texts."""

    path: str | None = Field(
        default=None, description="File with a row a mention (CSV, JSON lines or Parquet), relative to `study.toml`."
    )
    post_id: str = Field(default="post_id", description="In that file, the column of the post's id.")
    handle: str = Field(default="handle", description="In that file, the column of the handle mentioned.")
    column: str | None = Field(
        default=None,
        description="In place of a file: a column of the file of posts that lists handles, with anything between them.",
    )

    @model_validator(mode="after")
    def _one_place(self) -> MentionsSettings:
        if self.path is not None and self.column is not None:
            raise ValueError("give either path or column")
        return self
