"""The questions asked of raters, their answers, and which of them a rater sees."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from comoderate.codebook.conditions import Answers, holds, mentioned

Kind = Literal["single", "ordinal", "multiple", "text"]


class Question(BaseModel):
    """One question: what it asks, which answers it takes, and when it is asked.

    ``ordinal`` answers are listed from least to most; ``multiple`` takes several answers at once; ``text`` takes
    anything. ``when`` is a condition on earlier questions (see :mod:`comoderate.codebook.conditions`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(description="What raters read.")
    kind: Kind = Field(
        default="single", description="`single`, `ordinal` (answers from least to most), `multiple` or `text`."
    )
    answers: tuple[str, ...] = Field(default=(), description="The answers; for an ordinal question from least to most.")
    when: dict[str, Any] | None = Field(
        default=None,
        description="Condition for a follow-up: `{question = [answers]}`, or `{any = […]}`, or `{all = […]}`.",
    )
    required: bool = Field(default=True, description="Whether a rater who is asked must answer.")
    definitions: dict[str, str] = Field(default_factory=dict, description="A definition for an answer.")

    @field_validator("answers")
    @classmethod
    def _distinct(cls, answers: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(answers)) != len(answers):
            raise ValueError("an answer is listed twice")
        return answers

    @model_validator(mode="after")
    def _complete(self) -> Question:
        if self.kind != "text" and len(self.answers) < 2:
            raise ValueError("a question needs at least two answers")
        unknown = set(self.definitions) - set(self.answers)
        if unknown:
            raise ValueError(f"a definition is given for {sorted(unknown)[0]!r}, which is no answer")
        return self

    def refuses(self, answer: str) -> bool:
        """Whether ``answer`` is none of the question's answers."""
        return self.kind != "text" and answer not in self.answers


class Codebook(BaseModel):
    """A named and versioned set of questions, in the order in which they are asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(default="codebook", description="Name of the codebook; stored with every annotation.")
    version: str = Field(default="1", description="Version; answers to different versions are never mixed silently.")
    question: dict[str, Question] = Field(min_length=1, description="The questions, by name, in the order asked.")

    @model_validator(mode="after")
    def _conditions_known(self) -> Codebook:
        before: set[str] = set()
        for name, question in self.question.items():
            if name in {"any", "all"}:
                raise ValueError(f"{name!r} is a word of conditions and cannot name a question")
            for parent, answers in mentioned(question.when):
                self._check_parent(name, parent, answers, before)
            before.add(name)
        return self

    def _check_parent(self, name: str, parent: str, answers: list[str], before: set[str]) -> None:
        if parent not in before:
            raise ValueError(f"question {name!r} depends on {parent!r}, which is not asked before it")
        for answer in answers:
            if self.question[parent].refuses(answer):
                raise ValueError(f"question {name!r} depends on the answer {answer!r}, which {parent!r} does not have")

    @property
    def label(self) -> str:
        """Name and version, as stored with each annotation."""
        return f"{self.name}@{self.version}"

    def asked(self, answers: Answers) -> list[str]:
        """The questions that a rater who gave ``answers`` was asked, in order.

        A follow-up counts only where its parent was itself asked.
        """
        seen: list[str] = []
        for name, question in self.question.items():
            visible = {parent: answers[parent] for parent in seen if parent in answers}
            if holds(question.when, visible):
                seen.append(name)
        return seen
