"""From a form to answers: only those to questions that were asked, and which required ones are missing."""

from __future__ import annotations

from starlette.datastructures import FormData

from comoderate.codebook import Codebook
from comoderate.web.access import plain

LONGEST = 2_000
"""Characters of a free-text answer."""

Given = dict[str, set[str]]


def read_answers(sent: FormData, codebook: Codebook, *, prefix: str = "") -> Given:
    """The answers of a form, as they were sent; unknown answers are left out, hidden ones are not."""
    found: Given = {}
    for name, question in codebook.question.items():
        values = [value for value in sent.getlist(f"{prefix}q.{name}") if isinstance(value, str)]
        if question.kind == "text":
            known = {plain(value)[:LONGEST] for value in values[:1] if plain(value)}
        else:
            known = {value for value in values if not question.refuses(value)}
        if known:
            found[name] = known
    return found


def missing(given: Given, codebook: Codebook) -> list[str]:
    """Questions that were asked and need one answer, and have none, or have several where one is due."""
    found = []
    for name in codebook.asked(given):
        question = codebook.question[name]
        ticked = len(given.get(name, ()))
        if (question.required and not ticked) or (ticked > 1 and question.kind != "multiple"):
            found.append(name)
    return found


def asked_only(given: Given, codebook: Codebook) -> Given:
    """The answers to questions that were asked: a hidden follow-up leaves nothing behind."""
    return {name: given[name] for name in codebook.asked(given) if name in given}
