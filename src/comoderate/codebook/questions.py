"""The questions asked of raters, their answers, and which of them a rater sees."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from comoderate.codebook.conditions import Answers, holds, mentioned
from comoderate.codebook.posts import ExamplePost, Qualification
from comoderate.codebook.translation import Care, Translation, Video

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
    help: str = Field(default="", description="A sentence that stands below the question.")
    definitions: dict[str, str] = Field(default_factory=dict, description="A definition for an answer.")
    examples: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="Examples for an answer, in words or as short texts."
    )

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
        described = (("a definition", list(self.definitions)), ("an example", list(self.examples)))
        for what, given in described:
            unknown = set(given) - set(self.answers)
            if unknown:
                raise ValueError(f"{what} is given for {sorted(unknown)[0]!r}, which is no answer")
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
    language: dict[str, Translation] = Field(
        default_factory=dict, description="Translations, by code of the language: `ar`, `pt-BR`, …"
    )
    care: Care = Field(default_factory=Care, description="What raters are warned of, and where they find help.")
    video: Video | None = Field(default=None, description="A film that opens the tutorial.")
    tutorial: tuple[ExamplePost, ...] = Field(default=(), description="Posts with explained answers.")
    qualification: Qualification | None = Field(default=None, description="A test that raters pass first.")
    gold: tuple[ExamplePost, ...] = Field(
        default=(), description="Posts with known answers that are mixed in without being told apart."
    )

    @model_validator(mode="after")
    def _answers_known(self) -> Codebook:
        test = () if self.qualification is None else self.qualification.post
        for kind, posts in (("tutorial", self.tutorial), ("qualification", test), ("gold", self.gold)):
            for number, post in enumerate(posts, start=1):
                for name, right in post.answers.items():
                    self._check_answers(f"{kind} post {number}", name, right)
        for name, harmful in mentioned(self.care.after):
            self._check_answers("care.after", name, harmful)
        for code, translation in self.language.items():
            for name, own in translation.question.items():
                self._check_answers(f"language.{code}", name, [*own.answers, *own.definitions, *own.examples])
        return self

    def _check_answers(self, where: str, name: str, answers: Iterable[str]) -> None:
        if name not in self.question:
            raise ValueError(f"{where} names the question {name!r}, which the codebook does not have")
        for answer in answers:
            if self.question[name].refuses(answer):
                raise ValueError(f"{where} names the answer {answer!r}, which {name!r} does not have")

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

    @property
    def digest(self) -> str:
        """Ten hex digits that change with what is asked: questions, answers, conditions, definitions, examples.

        Translations, the tutorial and the like do not count: they do not change what an answer means.
        """
        content = [[name, question.model_dump(mode="json")] for name, question in self.question.items()]
        text = json.dumps([self.label, content], sort_keys=True, ensure_ascii=False)
        return hashlib.blake2b(text.encode(), digest_size=5).hexdigest()

    def parents(self, name: str) -> list[tuple[str, list[str]]]:
        """The questions and answers on which ``name`` follows, at any depth of its condition."""
        return list(mentioned(self.question[name].when))

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
