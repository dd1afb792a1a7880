"""What raters read of a codebook in their language, and what a campaign owes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from comoderate.codebook.questions import Codebook, Question


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Resource(_Frozen):
    """A place where raters find help; a table of its own for each, in double brackets."""

    name: str = Field(description="What it is called.")
    url: str = Field(default="", pattern=r"^(https://\S+|tel:[+0-9 ()-]+|mailto:\S+)?$", description="Its address.")
    text: str = Field(default="", description="What it offers, and when.")


class Care(_Frozen):
    """What raters are warned of, what they agree to, and where they find help."""

    warning: str = Field(default="", description="The content warning, before anything is shown.")
    consent: str = Field(default="", description="What raters agree to.")
    notice: str = Field(default="", description="What is said after a harmful post.")
    after: dict[str, Any] | None = Field(
        default=None,
        description="Condition on answers: the post was harmful to read. By default the answers that are positive "
        "for a target.",
    )
    resources: tuple[Resource, ...] = Field(default=(), description="Places of help.")


class Video(_Frozen):
    """A film in the study's folder, which the browser plays from there."""

    path: str = Field(description="The film, relative to `study.toml`: an `.mp4` or `.webm`.")
    captions: dict[str, str] = Field(
        min_length=1,
        description="Captions by language: code = a `.vtt` file; without them nobody who is deaf can begin.",
    )
    transcript: str = Field(default="", description="What is said and seen, in words.")


class QuestionTranslation(_Frozen):
    """A question in another language; what is missing stays as it is."""

    text: str = Field(default="", description="The question.")
    help: str = Field(default="", description="The sentence below it.")
    answers: dict[str, str] = Field(default_factory=dict, description="Answer as stored = answer as read.")
    definitions: dict[str, str] = Field(default_factory=dict, description="Answer as stored = definition.")
    examples: dict[str, tuple[str, ...]] = Field(default_factory=dict, description="Answer as stored = examples.")


class Translation(_Frozen):
    """The codebook in another language."""

    name: str = Field(default="", description="What the language calls itself.")
    question: dict[str, QuestionTranslation] = Field(default_factory=dict, description="The questions.")
    care: Care = Field(default_factory=Care, description="As for the codebook itself.")
    words: dict[str, str] = Field(
        default_factory=dict, description="Words of the pages that should read otherwise: key = text."
    )


def localised(codebook: Codebook, language: str) -> Codebook:
    """The codebook with the texts of ``language`` in the place of its own, where there are any.

    Only what raters read changes; the answers' names, which are stored, are those of :func:`answer_text`.
    """
    translation = codebook.language.get(language)
    if translation is None:
        return codebook
    care = {name: value for name, value in translation.care if value not in ("", (), None)}
    questions = {
        name: _localised(question, translation.question.get(name)) for name, question in codebook.question.items()
    }
    return codebook.model_copy(update={"question": questions, "care": codebook.care.model_copy(update=care)})


def _localised(question: Question, own: QuestionTranslation | None) -> Question:
    if own is None:
        return question
    return question.model_copy(
        update={
            "text": own.text or question.text,
            "help": own.help or question.help,
            "definitions": {**question.definitions, **own.definitions},
            "examples": {**question.examples, **own.examples},
        }
    )


def answer_text(codebook: Codebook, language: str, question: str, answer: str) -> str:
    """What raters who read ``language`` read for an answer."""
    translation = codebook.language.get(language)
    own = None if translation is None else translation.question.get(question)
    return answer if own is None else own.answers.get(answer, answer)
