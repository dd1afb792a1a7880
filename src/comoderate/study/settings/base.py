"""What all tables of ``study.toml`` share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 1
"""The version of the study folder that this code writes; a study with a larger one is refused."""

Fraction = Annotated[float, Field(gt=0, le=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
Duplicates = Literal["first", "last", "refuse"]
FileFormat = Literal["auto", "csv", "tsv", "jsonl", "parquet"]


class Table(BaseModel):
    """A table of ``study.toml``: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class StudySettings(Table):
    """What the study is called and asks."""

    title: str = Field(description="Title of the study, at the top of its report.")
    question: str = Field(default="", description="What the study asks, in a sentence.")
    description: str = Field(default="", description="What readers should know about the posts and the raters.")
    seed: int = Field(default=0, ge=0, description="Every random draw of the study follows from this number.")
    format: int = Field(
        default=FORMAT, ge=1, description="Version of the study's layout; written by `comoderate init`."
    )


class PrivacySettings(Table):
    """What is hidden."""

    anonymise: bool = Field(default=True, description="Replace handles and links in every text that is shown.")
