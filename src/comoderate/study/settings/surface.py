"""The keys of ``study.toml`` on accuracy surfaces and on what is labelled next to sharpen them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from comoderate.study.settings.base import Name, Share, Table

Kind = Literal["auto", "category", "number", "text_length", "language", "mentions", "which", "scorer", "predicted"]
ASSESSORS = "assessors"
"""The cohort of answers to assessment in a study that names no other."""

CHARACTERS = "characters"
"""The cost of a label that is in proportion to the length of the text."""

TEXT_KINDS = ("text_length", "language", "mentions", "which")


class SurfaceAttributeSettings(Table):
    """How one attribute of a post becomes a few values."""

    kind: Kind = Field(
        default="auto",
        description="`category` (values as they stand), `number` (in bins), or made from the text: `text_length` "
        "(characters, in bins), `language` (by its script and commonest words), `mentions` (whether one of some terms "
        "occurs), `which` (the first of the terms that occurs). `scorer`: the probability that a "
        "scorer gives, in bins (by default below and above 0.5), the assessed scorer's own confidence say. "
        "`predicted`: one of a few values, each with a scorer of its own, and allowed to be predicted wrongly. `auto`: "
        "numbers with more than twelve values in bins, all else as categories.",
    )
    column: Name | None = Field(
        default=None,
        description="The attribute of `[posts]`, or the scorer, that it reads; by default the one of its own name.",
    )
    bins: int = Field(default=4, ge=1, le=20, description="Numbers and lengths: bins of about equal size.")
    edges: tuple[float, ...] = Field(
        default=(), description="Numbers, lengths and probabilities: where bins part, increasing, in place of `bins`."
    )
    terms: tuple[str, ...] = Field(
        default=(), description="Kinds `mentions` and `which`: words or phrases, in any case."
    )
    scorers: dict[str, Name] = Field(
        default_factory=dict,
        description="Kind `predicted`: value = the scorer that says how probably a post has it.",
    )
    rest: str | None = Field(
        default=None,
        description="Kind `predicted`: the value of posts that have none of the others; without it, each post has one "
        "of those.",
    )
    truth: Name | None = Field(
        default=None,
        description="Kind `predicted`: the attribute of `[posts]` that holds the true value where it is known; by "
        "default what the scorers' targets are labelled as, in the samples that the scorers learn from.",
    )
    rare: int | None = Field(
        default=None, ge=1, description="Values with fewer posts become `other`; by default as for the whole surface."
    )
    values: int = Field(default=50, ge=1, description="At most so many values keep a name, the commonest first.")

    @model_validator(mode="after")
    def _fitting(self) -> SurfaceAttributeSettings:
        if (self.kind in {"mentions", "which"}) != bool(self.terms):
            raise ValueError('terms belong to kind = "mentions" and "which", which need them')
        if self.edges and self.kind not in {"number", "text_length", "scorer"}:
            raise ValueError('edges belong to kind = "number", "text_length" and "scorer"')
        if self.column and self.kind in TEXT_KINDS:
            raise ValueError(f"kind = {self.kind!r} reads the text and takes no column")
        self._check_predicted()
        if list(self.edges) != sorted(set(self.edges)):
            raise ValueError("edges must increase")
        return self

    def _check_predicted(self) -> None:
        if self.kind != "predicted" and (self.scorers or self.rest is not None or self.truth):
            raise ValueError('scorers, rest and truth belong to kind = "predicted"')
        if self.kind == "predicted" and (self.column or len(self.scorers) + (self.rest is not None) < 2):
            raise ValueError(
                'kind = "predicted" takes no column, and needs scorers for two values, or for one and rest'
            )
        if self.rest in self.scorers:
            raise ValueError(f"rest, {self.rest!r}, has a scorer of its own")


class SurfaceSettings(Table):
    """Where a scorer fails: its accuracy in every combination of attributes."""

    attributes: tuple[Name, ...] = Field(
        default=(),
        description="The attributes whose combinations are the arms; by default all of `[posts]`, the length of the "
        "text, and those that have a table of their own here.",
    )
    attribute: dict[Name, SurfaceAttributeSettings] = Field(
        default_factory=dict, description="How attributes become values, where the default does not do."
    )
    rare: int = Field(default=10, ge=1, description="Values with fewer posts become `other`.")
    calibration: Literal["raw", "temperature", "full"] | None = Field(
        default=None,
        description="Where attributes are predicted: take the probabilities as they are (`raw`), sharpen or soften "
        "those of each attribute (`temperature`), or learn besides which values occur together (`full`), from the "
        "posts whose true values are known. By default `full`, `raw` where none is known.",
    )
    assignment: Literal["hard", "fractional", "em"] | None = Field(
        default=None,
        description="Where attributes are predicted: a post counts for the likeliest arm (`hard`), for each arm as far "
        "as it probably belongs there (`fractional`), or so that whether the scorer was right speaks for an arm too "
        "(`em`). By default `em`; `fractional` with `aaa`, as published.",
    )
    scorers: tuple[Name, ...] = Field(
        default=(), description="Whose surfaces stand in the report; by default those of all compared scorers."
    )
    loss: Name = Field(
        default="error",
        description="What counts against a scorer: `error`, `false_positive` (among negative posts), `false_negative` "
        "(among positive ones), `brier` (the squared error of its probability), or an attribute of `[posts]` that "
        "holds a loss from 0 to 1, empty where unknown.",
    )
    since: str | None = Field(
        default=None,
        pattern=r"^\d{4}-\d{2}-\d{2}$",
        description="A day, YYYY-MM-DD: the report also says what changed since then.",
    )
    against: Name | None = Field(
        default=None,
        description="A scorer for the same target: the report also says what changed against it. Against the last "
        "earlier version of a scorer it says so unasked.",
    )
    threshold: Share = Field(default=0.5, description="A post above it counts as predicted positive.")
    cohort: Name | None = Field(
        default=None, description="Whose labels are the truth; by default the first of `truth` under `[evaluate]`."
    )
    estimator: Literal["auto", "logistic_normal", "boosting", "empirical_bayes", "beta_i", "aaa"] = Field(
        default="auto",
        description="`auto` takes the one under which held-out labels are likeliest; `aaa` is the published system: "
        "a Gaussian process for the accuracy and one for its scale, with a warm start in every arm (slow, needs "
        "`comoderate[surface]`).",
    )
    min_posts: int = Field(default=20, ge=1, description="Arms with fewer posts are not named among the worst.")
    level: float = Field(default=0.95, gt=0.5, lt=1, description="Nominal coverage of intervals and of joint claims.")


class AssessSettings(Table):
    """Which posts are labelled next to sharpen a surface, and when to stop."""

    next: int = Field(default=50, ge=1, description="Posts in a batch.")
    strategy: Literal["error_reduction", "worst_error_reduction", "variance", "uniform", "random"] = Field(
        default="error_reduction",
        description="What chooses the arm of each post: where a label reduces the expected error most, of all arms or "
        "of the weakest, where the accuracy is least known, all arms in turn, or posts as they come. Within an arm "
        "posts are drawn at random.",
    )
    cohort: Name | None = Field(
        default=None,
        description="The cohort of those who answer; by default the one whose labels are the truth of the surface, "
        "`assessors` in a study without annotations.",
    )
    cost: Name | None = Field(
        default=None,
        description="What a label costs is in proportion to: a number attribute of `[posts]`, or `characters`, those "
        "of the text. `error_reduction` then asks for the labels that are worth most for their cost.",
    )
    margin: float = Field(
        default=0.1, gt=0, lt=1, description="Stop when every arm that counts is known to plus or minus this."
    )
    min_posts: int | None = Field(
        default=None, ge=1, description="Arms that count have so many posts; by default as for the worst arms."
    )
