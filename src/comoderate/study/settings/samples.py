"""The keys of ``study.toml`` on samples and their plan."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from comoderate.study.settings.base import Name, Share, Table


class EnrichSettings(Table):
    """A second phase that takes more of the posts that a scorer calls positive."""

    scorer: Name = Field(description="The scorer that says which posts are taken in greater number.")
    size: Annotated[int, Field(ge=1)] | Literal["all"] = Field(
        description='How many posts to add, or `"all"` that the scorer calls positive: a census of them.'
    )
    threshold: float = Field(
        default=0.5, ge=0, le=1, description="Posts with a probability above it count as positive."
    )


class SampleSettings(Table):
    """A draw of posts with known inclusion probabilities."""

    design: Literal["stratified", "uniform", "poisson", "census"] = Field(
        default="stratified",
        description="`stratified` by day in proportion to totals, `uniform`, `poisson` (each post by itself, with a "
        "chance in proportion to a score or to views), or `census` (every post has `pi` = 1).",
    )
    size: int | None = Field(
        default=None, ge=1, description="How many posts to draw (before enrichment); not for a census."
    )
    of: Name | None = Field(
        default=None, description="Draw from this sample instead of from all posts: a second phase, for experts say."
    )
    proportional_to: Name | None = Field(
        default=None, description="Design `poisson`: `views`, or the scorer whose probabilities set the chances."
    )
    least: Share = Field(
        default=0.1,
        description="Design `poisson`: the smallest chance of any post, as a share of the average; above 0, so that "
        "no post is left out for good.",
    )
    rated: int | None = Field(
        default=None, ge=1, description="Second phase: only posts with exactly so many ratings in the first sample."
    )
    flagged_by: tuple[Name, ...] = Field(
        default=(),
        description="Second phase: half of the posts from those that all these scorers call positive (above 0.5), half "
        "from the rest.",
    )
    enrich: EnrichSettings | None = Field(
        default=None, description="A phase that adds posts that a scorer calls positive."
    )
    cluster: Literal["author", "thread"] | None = Field(
        default=None, description="Posts of one author or thread resemble each other: widen intervals accordingly."
    )
    finite: bool = Field(
        default=False,
        description="Whether estimates speak of exactly the posts counted in the totals (a finite population "
        "correction narrows their intervals), not of a longer stream.",
    )
    estimand: str = Field(
        default="",
        description="What an estimate from this sample speaks of, in words: `posts that survive`, say.",
    )

    @model_validator(mode="after")
    def _sizes(self) -> SampleSettings:
        if (self.size is None) != (self.design == "census"):
            raise ValueError("a census has no size" if self.size else "size is missing")
        if self.design == "census" and (self.enrich or self.of):
            raise ValueError("a census cannot be enriched or be a second phase")
        if self.of and self.enrich:
            raise ValueError("a second phase cannot be enriched")
        if (self.design == "poisson") != (self.proportional_to is not None):
            raise ValueError('proportional_to belongs to design = "poisson", and it needs it')
        if self.design == "poisson" and (self.enrich or self.of):
            raise ValueError("a Poisson sample cannot be enriched or be a second phase")
        if (self.rated or self.flagged_by) and not self.of:
            raise ValueError("rated and flagged_by belong to a second phase: name its first sample in of")
        return self

    @property
    def scorers(self) -> tuple[str, ...]:
        """The scorers that must have scored the posts before the draw."""
        enriching = (self.enrich.scorer,) if self.enrich else ()
        sizes = (self.proportional_to,) if self.proportional_to not in {None, "views"} else ()
        return tuple(name for name in (*enriching, *sizes, *self.flagged_by) if name)


class PlanSettings(Table):
    """What `comoderate sample --plan` takes for granted before there are labels."""

    prevalence: tuple[Share, Share] = Field(
        default=(0.05, 0.3),
        description="Guessed share of positive posts: among those that the enriching scorer does not flag, and among "
        "those that it flags.",
    )
    rare: tuple[Share, Share] = Field(default=(0.002, 0.02), description="The same for a rare type that matters.")
    margin: float | None = Field(
        default=None,
        gt=0,
        lt=0.5,
        description="How far the interval of overall prevalence may reach to either side (0.01 is a percentage point); "
        "the plan then says how many posts that takes.",
    )
    overlap: int = Field(default=3, ge=1, description="Ratings wanted a post.")
    seconds: float | None = Field(
        default=None, gt=0, description="Seconds that a rating takes; by default the median of the ratings there are."
    )
    raters: int | None = Field(default=None, ge=1, description="People who will rate.")
    hours: float | None = Field(default=None, gt=0, description="Hours that each of them gives.")
