"""The keys of ``study.toml`` on scorers and their comparison."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from comoderate.study.settings.base import Name, Table


class ScorerSettings(Table):
    """Anything that gives a post a probability."""

    kind: Literal["naive_bayes", "tfidf_logistic", "lexicon", "recorded"] = Field(
        description="`naive_bayes` and `tfidf_logistic` are trained on the study's labels, `lexicon` counts listed "
        "words, `recorded` reads probabilities from the file of posts."
    )
    target: Name | None = Field(
        default=None, description="The target that the probabilities are for; by default the first."
    )
    sample: Name | None = Field(
        default=None, description="Train on the labelled posts of this sample; by default the first."
    )
    cohort: Name | None = Field(
        default=None, description="Train on the labels of these raters; by default the target's."
    )
    soft: bool = Field(default=False, description="Train on shares of positive ratings instead of majority labels.")
    weighted: bool = Field(
        default=True, description="Train with the sample's weights, so that probabilities fit the real stream."
    )
    words: tuple[str, ...] = Field(default=(), description="Kind `lexicon`: the words.")
    score: Name | None = Field(
        default=None, description="Kind `recorded`: which of `[posts] scores`; by default the scorer's own name."
    )
    folds: tuple[int, ...] = Field(
        default=(),
        description="Train one model on these folds; by default one for each fold that is left out. It is then refused "
        "as a measure of itself: see `only_folds` under `[evaluate]`.",
    )
    options: dict[str, int | float | bool | str] = Field(
        default_factory=dict, description="Settings of the scorer's class, as its documentation names them."
    )
    compare: bool = Field(
        default=True, description="Whether the scorer stands in the comparison (a filter that only enriches need not)."
    )

    @model_validator(mode="after")
    def _fitting(self) -> ScorerSettings:
        if (self.kind == "lexicon") != bool(self.words):
            raise ValueError('words belong to kind = "lexicon", and it needs them')
        if self.score and self.kind != "recorded":
            raise ValueError('score belongs to kind = "recorded"')
        return self


class EvaluateSettings(Table):
    """How scorers are compared."""

    sample: Name | None = Field(default=None, description="Posts whose labels measure; by default the first sample.")
    truth: tuple[Name, ...] = Field(
        default=(), description="Cohorts whose majority counts as the truth; by default all cohorts, each in turn."
    )
    samples: dict[Name, Name] = Field(
        default_factory=dict,
        description="A sample of its own for a cohort's labels: cohort = sample (experts who labelled a second phase).",
    )
    by: tuple[str, ...] = Field(default=(), description="Break estimates down by `day`, `week` or an attribute.")
    folds: int = Field(
        default=5,
        ge=2,
        le=20,
        description="Number of folds; posts of one author, one thread, or nearly the same text share one.",
    )
    only_folds: tuple[int, ...] = Field(
        default=(), description="Compare scorers only on posts of these folds; by default on all labelled posts."
    )
    replicates: int = Field(default=200, ge=20, le=5000, description="Bootstrap replicates for intervals.")
    level: float = Field(default=0.95, gt=0.5, lt=1, description="Nominal coverage of every interval.")
