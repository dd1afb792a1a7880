"""The keys of ``study.toml`` on who reads which posts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from comoderate.study.settings.base import Fraction, Name, Share, Table

StrategyName = Literal[
    "auto", "toxicity", "uncertainty", "random", "hybrid", "expected_error", "expected_auroc_gain",
    "expected_average_precision_gain", "expected_cost", "rater_disagreement", "even_errors", "member_variance",
    "mutual_information", "weak_arms",
]  # fmt: skip


class CostSettings(Table):
    """What mistakes and reading cost, in one currency."""

    missed: float = Field(ge=0, description="Cost of a positive post that is left up.")
    wrongly_removed: float = Field(ge=0, description="Cost of a negative post that is acted on.")
    minute: float = Field(default=0.0, ge=0, description="Cost of a minute of a moderator's time.")
    minutes_per_post: float = Field(default=1.0, gt=0, description="Mean time to read one post.")
    currency: str = Field(default="", description="What the costs are counted in, for tables: `EUR`.")


class ModeratorsSettings(Table):
    """How often moderators are right; without this table they are taken to be always right."""

    sensitivity: Share = Field(
        default=1.0, description="Share of positive posts that a rested moderator calls positive."
    )
    specificity: Share = Field(
        default=1.0, description="Share of negative posts that a rested moderator calls negative."
    )
    from_: Name | None = Field(
        default=None,
        alias="from",
        description="A cohort whose answers, measured against another's labels, say both instead.",
    )
    against: Name | None = Field(default=None, description="The cohort that `from` is measured against.")
    readings: int = Field(default=1, ge=1, description="Moderators who read each post; the majority decides.")
    fatigue: float = Field(
        default=0.0, ge=0, description="By how much the log odds of being right fall over a moderator's shift."
    )
    shift: int = Field(default=500, ge=1, description="Posts that a moderator reads in a shift.")


class DeskSettings(Table):
    """The review desk of the web application: how moderators work through the queue."""

    second_share: Share = Field(
        default=0.05,
        description="Share of posts, drawn at random, that two moderators read, so that their agreement is known.",
    )
    disagreement: Literal["third", "escalate", "stands"] = Field(
        default="third",
        description="What becomes of a post on which its two readers disagree: a third reads it, blind, and the"
        " majority decides (experts or coordinators where all three differ); experts or coordinators decide at once;"
        " or the second decision stands.",
    )
    claim_minutes: float = Field(
        default=15.0,
        gt=0,
        le=525_600,
        description="Minutes after which a post that a moderator opened goes to another.",
    )


class ExperimentSettings(Table):
    """Two strategies compared on real moderators: the one of `[review]` against another, in one queue."""

    against: StrategyName = Field(description="The other strategy; not `auto`.")
    share: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="Chance with which, of two posts that only one of the strategies wants, that of `strategy` is"
        " read.",
    )

    @model_validator(mode="after")
    def _named(self) -> ExperimentSettings:
        if self.against == "auto":
            raise ValueError("against must be one strategy, not auto")
        return self


class ReviewSettings(Table):
    """Who reads the posts that a scorer cannot decide."""

    scorer: Name | None = Field(
        default=None,
        description="The scorer whose posts are reviewed; by default the one with the best average precision.",
    )
    target: Name | None = Field(default=None, description="The target; by default the first.")
    strategy: StrategyName = Field(
        default="uncertainty",
        description="What orders the queue; `auto` takes what cross-fitting on the labelled posts advises.",
    )
    objective: Literal["accuracy", "auroc", "average_precision", "review_efficiency", "cost"] = Field(
        default="accuracy", description="Which metric of model and moderators together the advice makes large."
    )
    fractions: tuple[Fraction, ...] = Field(
        default=(0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2),
        description="Shares of posts that moderators can read, for the curves.",
    )
    capacity: int | None = Field(
        default=None,
        ge=1,
        description="How many posts the queue holds; by default what `per_day` reads from the first day of the posts "
        "to the last, and without that a twentieth of all posts.",
    )
    second_reading: float | None = Field(
        default=None,
        ge=0,
        lt=0.5,
        description="Posts on which two raters differ with more than this probability go to two moderators; the"
        " capacity then counts readings.",
    )
    base_rate: Literal["sample", "stream"] = Field(
        default="sample",
        description="Whose share of positives calibration, advice, thresholds and costs suppose: that of the labelled"
        " posts, or that which the scores of the queue's posts make most likely, for a stream that differs from the"
        " sample in nothing else.",
    )
    per_day: int | None = Field(
        default=None,
        ge=1,
        description="How many posts are read a day: for backlog and waiting time, and for `capacity`.",
    )
    max_wait: int | None = Field(
        default=None, ge=0, description="Days after which a post that was not read leaves the queue; by default never."
    )
    stream: Literal["unlabelled", "all"] = Field(
        default="unlabelled",
        description="What the queue, audit included, is made of: posts without a label for the target, or all.",
    )
    audit_share: float = Field(
        default=0.05, ge=0, le=1, description="Share of the capacity for random posts of the whole stream."
    )
    threshold: float = Field(default=0.5, ge=0, le=1, description="A post above it counts as predicted positive.")
    min_precision: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="Act without reading only above a threshold at which so large a share is positive.",
    )
    max_false_positive_rate: Share | None = Field(
        default=None, description="Act without reading on at most this share of the negative posts."
    )
    level: float = Field(
        default=0.95, gt=0.5, lt=1, description="How sure it is that thresholds for acting keep what they promise."
    )
    cohort: Name = Field(default="moderators", description="The cohort under which moderators' decisions are stored.")
    cost: CostSettings | None = Field(default=None, description="What mistakes and reading cost.")
    moderators: ModeratorsSettings | None = Field(default=None, description="How often moderators are right.")
    desk: DeskSettings = Field(default_factory=DeskSettings, description="How moderators work through the queue.")
    experiment: ExperimentSettings | None = Field(
        default=None, description="Two strategies compared on real moderators."
    )

    @model_validator(mode="after")
    def _priced(self) -> ReviewSettings:
        if self.cost is None and "cost" in (self.objective, self.strategy.removeprefix("expected_")):
            raise ValueError('objective = "cost" and strategy = "expected_cost" need the table [review.cost]')
        if self.experiment is not None and self.experiment.against == self.strategy:
            raise ValueError("[review.experiment] compares a strategy with itself")
        if self.cost is None and self.experiment is not None and self.experiment.against == "expected_cost":
            raise ValueError('against = "expected_cost" needs the table [review.cost]')
        return self
