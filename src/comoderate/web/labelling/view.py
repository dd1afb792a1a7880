"""Questions as a page shows them: in the rater's language, with what was answered before."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from comoderate.codebook import Codebook, answer_text, localised


@dataclass(frozen=True)
class AnswerView:
    """One answer: as stored, as read, what it means, and whether it is ticked."""

    value: str
    text: str
    definition: str
    examples: tuple[str, ...]
    ticked: bool


@dataclass(frozen=True)
class QuestionView:
    """One question of a form.

    Attributes:
        name: as stored; the form's field is ``q.<name>`` behind the form's prefix.
        when: the condition as JSON, for the script that shows and hides follow-ups; empty where it is always asked.
        parents: what it follows on, in the reader's words, for those without the script.
        text_answer: what was written, for a question of free text.
        wrong: whether an answer is missing.
    """

    name: str
    field: str
    text: str
    help: str
    kind: str
    required: bool
    when: str
    parents: str
    answers: tuple[AnswerView, ...]
    text_answer: str = ""
    wrong: bool = False

    @property
    def several(self) -> bool:
        """Whether several answers may be ticked."""
        return self.kind == "multiple"

    @property
    def defined(self) -> bool:
        """Whether there is anything to look up."""
        return any(answer.definition or answer.examples for answer in self.answers)


def question_views(
    codebook: Codebook,
    language: str,
    *,
    given: Mapping[str, Collection[str]] | None = None,
    wrong: Collection[str] = (),
    prefix: str = "",
) -> list[QuestionView]:
    """The questions of a codebook in a language.

    Args:
        codebook: the questions.
        language: what the rater reads.
        given: answers to show as ticked.
        wrong: questions that lack an answer.
        prefix: of the form's fields, where a page has several posts.
    """
    shown, given = localised(codebook, language), given or {}
    return [
        QuestionView(
            name=name,
            field=f"{prefix}q.{name}",
            text=question.text,
            help=question.help,
            kind=question.kind,
            required=question.required,
            when=json.dumps(question.when) if question.when else "",
            parents="; ".join(_parents(codebook, language, name)),
            answers=tuple(
                AnswerView(
                    answer,
                    answer_text(codebook, language, name, answer),
                    question.definitions.get(answer, ""),
                    question.examples.get(answer, ()),
                    answer in given.get(name, ()),
                )
                for answer in question.answers
            ),
            text_answer=next(iter(given.get(name, ())), "") if question.kind == "text" else "",
            wrong=name in wrong,
        )
        for name, question in shown.question.items()
    ]


def _parents(codebook: Codebook, language: str, name: str) -> Iterator[str]:
    """The answers on which a question follows, in words, each once."""
    seen: dict[str, None] = {}
    for parent, answers in codebook.parents(name):
        for answer in answers:
            seen[answer_text(codebook, language, parent, answer)] = None
    yield from seen
