"""Where in a service's JSON answer a value stands: ``results[*].scores.hate``, ``[*][label=toxic].score``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

_STEP = re.compile(r"\[(?P<star>\*)\]|\[(?P<number>\d+)\]|\[(?P<name>[^\]=]+)=(?P<value>[^\]]*)\]|(?P<key>[^.\[\]]+)")


class NonsenseError(Exception):
    """An answer that does not have the form that was described."""


class Star(NamedTuple):
    """``[*]``: one element for each text that was sent."""


class Match(NamedTuple):
    """``[name=value]``: the element of a list of objects whose ``name`` is ``value``."""

    name: str
    value: str


Step = str | int | Star | Match
STAR = Star()


class AnswerPath(NamedTuple):
    """The way to one value, cut at ``[*]``.

    Attributes:
        before: steps from the whole answer to the list with an element for each text; None where there is no
            ``[*]`` and the answer is about one text.
        after: steps from the element (or from the whole answer) to the value.
    """

    before: tuple[Step, ...] | None
    after: tuple[Step, ...]


def parse_path(text: str) -> AnswerPath:
    """A path as steps.

    Args:
        text: keys joined by dots, ``[0]`` for an element of a list, ``[name=value]`` for the object in a list that has
            this, and at most one ``[*]``, where texts are sent together.

    Raises:
        ValueError: not a path, or more than one ``[*]``.
    """
    steps: list[Step] = []
    at = 0
    while at < len(text):
        if text[at] == "." and steps and at + 1 < len(text) and text[at + 1] != "[":
            at += 1
        found = _STEP.match(text, at)
        if found is None:
            raise ValueError(f"{text!r} is not a path: write keys with dots between, [0], [*] or [label=toxic]")
        steps.append(_step(found))
        at = found.end()
    if steps.count(STAR) > 1:
        raise ValueError(f"{text!r} has [*] more than once")
    if STAR not in steps:
        return AnswerPath(None, tuple(steps))
    cut = steps.index(STAR)
    return AnswerPath(tuple(steps[:cut]), tuple(steps[cut + 1 :]))


def _step(found: re.Match[str]) -> Step:
    if found["star"]:
        return STAR
    if found["number"]:
        return int(found["number"])
    if found["name"]:
        return Match(found["name"].strip(), found["value"].strip())
    return found["key"]


def follow(document: Any, steps: Sequence[Step]) -> Any:
    """The value at the end of some steps.

    Raises:
        NonsenseError: the document has no such place.
    """
    for step in steps:
        document = _one(document, step)
    return document


def _one(document: Any, step: Step) -> Any:
    if isinstance(step, str) and isinstance(document, dict) and step in document:
        return document[step]
    if isinstance(step, int) and isinstance(document, list) and step < len(document):
        return document[step]
    if isinstance(step, Match) and isinstance(document, list):
        for part in document:
            if isinstance(part, dict) and str(part.get(step.name)) == step.value:
                return part
    raise NonsenseError(f"the answer has no {_shown(step)}")


def _shown(step: Step) -> str:
    return f"[{step.name}={step.value}]" if isinstance(step, Match) else repr(step)


def split_answer(document: Any, paths: Sequence[AnswerPath], n: int) -> list[Any]:
    """The part of an answer for each of ``n`` texts.

    Args:
        document: the whole answer.
        paths: all with the same steps before ``[*]``.
        n: how many texts were sent.

    Raises:
        NonsenseError: no list there, or one of another length.
    """
    before = paths[0].before
    if before is None:
        return [document]
    items = follow(document, before)
    if not isinstance(items, list) or len(items) != n:
        length = f"{len(items)} parts" if isinstance(items, list) else "no list"
        raise NonsenseError(f"{n} texts were sent, and {length} came back")
    return items
