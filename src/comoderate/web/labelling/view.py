"""Questions as a page shows them: in the rater's language, with what was answered before."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from comoderate.codebook import Codebook, ExamplePost, answer_text, localised


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


@dataclass(frozen=True)
class Compared:
    """One question of an example: what was answered and what is right, in the reader's words.

    ``no_answer`` says why ``mine`` is empty: ``not_asked``, or ``none`` was given.
    """

    question: str
    mine: tuple[str, ...]
    ours: tuple[str, ...]
    no_answer: str

    @property
    def same(self) -> bool:
        """Whether both are the same, whatever their order."""
        return set(self.mine) == set(self.ours)


def compare(post: ExamplePost, given: Mapping[str, set[str]], codebook: Codebook, language: str) -> list[Compared]:
    """What was answered beside what is right, question by question, in the codebook's order.

    Left out is what the example says nothing about, as long as it would have been asked: any answer is right there.
    """
    right = {name: set(answers) for name, answers in post.answers.items()}
    asked, rightly = codebook.asked(given), codebook.asked(right)
    shown = localised(codebook, language).question

    def words(name: str, said: Collection[str]) -> tuple[str, ...]:
        order = codebook.question[name].answers or sorted(said)
        return tuple(answer_text(codebook, language, name, one) for one in order if one in said)

    return [
        Compared(
            shown[name].text, words(name, given.get(name, ())), words(name, right.get(name, ())),
            "none" if name in asked else "not_asked",
        )
        for name in codebook.question
        if name in right or (name in given and name not in rightly)
    ]  # fmt: skip


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
