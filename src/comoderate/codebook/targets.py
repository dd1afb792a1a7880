"""A target makes a codebook binary: which answers to which question count as positive."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from comoderate.codebook.questions import Codebook

Ties = Literal["abstain", "positive", "negative"]
Aggregation = Literal["majority", "any", "soft"]


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
        description="How ratings become `y`: `majority`, `any` (one positive rating is enough), or `soft` "
        "(`y` only where raters are unanimous; scorers learn from the share of positive ratings).",
    )
    ties: Ties = Field(
        default="abstain", description="What an even split becomes: `abstain` (no label), `positive` or `negative`."
    )

    @model_validator(mode="after")
    def _one_rule(self) -> Target:
        if (self.positive is None) == (self.at_least is None):
            raise ValueError("give either positive = [answers] or at_least = answer")
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
        if self.at_least is None:
            return tuple(named)
        if question.kind != "ordinal":
            raise ValueError(f"at_least needs an ordinal question, and {self.question!r} is {question.kind}")
        return question.answers[question.answers.index(self.at_least) :]
