"""A target makes a codebook binary: which answers to which question count as positive."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from comoderate.codebook.questions import Codebook

Ties = Literal["abstain", "positive", "negative", "ordinal-median", "experts"]
Aggregation = Literal["majority", "any", "soft", "dawid_skene", "one_coin", "hierarchical"]
MODELS = ("dawid_skene", "one_coin", "hierarchical")
"""Aggregations that learn how far each rater can be trusted; they need to know who gave which answer."""


class Target(BaseModel):
    """One policy: a question of the codebook, and the answers to it that violate the policy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str = Field(description="The question of the codebook that the target reads.")
    positive: tuple[str, ...] | None = Field(default=None, description="The answers that count as positive.")
    at_least: str | None = Field(
        default=None, description="For an ordinal question: this answer and all above it are positive."
    )
    cohort: str | None = Field(
        default=None, description="The raters whose labels train scorers; by default the first cohort of the study."
    )
    aggregation: Aggregation = Field(
        default="majority",
        description="How ratings become `y`: `majority` (for an ordinal question the median answer), `any` (one "
        "positive rating is enough), `soft` (`y` only where raters are unanimous; scorers learn from the share of "
        "positive ratings); or, where raters are known, `dawid_skene` (each rater errs in a way of their own), "
        "`one_coin` (each rater is right with one chance) or `hierarchical` (raters resemble their cohort).",
    )
    ties: Ties = Field(
        default="abstain",
        description="What an even split becomes: `abstain` (no label), `positive`, `negative`, `ordinal-median` (the "
        "answer halfway between the two middle ones, the lower where there is none) or `experts` (what `tie_cohort` "
        "says).",
    )
    tie_cohort: str | None = Field(
        default=None, description='The raters who settle even splits, for `ties = "experts"`.'
    )
    anchor_cohort: str | None = Field(
        default=None,
        description="Trusted raters, for `dawid_skene`, `one_coin` and `hierarchical`: their answers count beside "
        "those of each cohort, and they are taken to be nearly always right.",
    )

    @model_validator(mode="after")
    def _one_rule(self) -> Target:
        if (self.positive is None) == (self.at_least is None):
            raise ValueError("give either positive = [answers] or at_least = answer")
        if (self.ties == "experts") != (self.tie_cohort is not None):
            raise ValueError('ties = "experts" and tie_cohort go together')
        if self.anchor_cohort is not None and self.aggregation not in MODELS:
            raise ValueError(f"anchor_cohort needs one of the aggregations {', '.join(MODELS)}")
        return self

    def positive_answers(self, codebook: Codebook) -> tuple[str, ...]:
        """The positive answers, spelt out.

        Raises:
            ValueError: the question or an answer is not in the codebook, or ``at_least`` a question without order.
        """
        if self.question not in codebook.question:
            raise ValueError(
                f"question {self.question!r} is not in the codebook, which has {', '.join(codebook.question)}"
            )
        question = codebook.question[self.question]
        named = (self.at_least,) if self.at_least is not None else self.positive or ()
        for answer in named:
            if question.refuses(answer):
                raise ValueError(
                    f"{answer!r} is no answer to {self.question!r}, which has {', '.join(question.answers)}"
                )
        if self.ties == "ordinal-median" and question.kind != "ordinal":
            raise ValueError(f"ties = 'ordinal-median' needs an ordinal question; {self.question!r} is {question.kind}")
        if self.at_least is None:
            return tuple(named)
        if question.kind != "ordinal":
            raise ValueError(f"at_least needs an ordinal question, and {self.question!r} is {question.kind}")
        return question.answers[question.answers.index(self.at_least) :]
