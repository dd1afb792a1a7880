"""When a follow-up question is asked: conditions on the answers given so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any, TypeAlias

Answers: TypeAlias = Mapping[str, Set[str]]
"""The answers given on one post: question name → the answers ticked."""

Condition: TypeAlias = Mapping[str, Any]
"""``{question = [answers]}``, ``{any = [conditions]}`` or ``{all = [conditions]}``; entries side by side all hold."""


def holds(condition: Condition | None, answers: Answers) -> bool:
    """Whether ``condition`` holds given ``answers``; no condition always holds."""
    if condition is None:
        return True
    return all(_entry_holds(key, value, answers) for key, value in condition.items())


def _entry_holds(key: str, value: Any, answers: Answers) -> bool:
    if key == "any":
        return any(holds(inner, answers) for inner in value)
    if key == "all":
        return all(holds(inner, answers) for inner in value)
    return not answers.get(key, frozenset()).isdisjoint(value)


def mentioned(condition: Condition | None) -> Iterator[tuple[str, list[str]]]:
    """Every (question, answers) pair that ``condition`` speaks of, at any depth."""
    for key, value in (condition or {}).items():
        if key in {"any", "all"}:
            for inner in value:
                yield from mentioned(inner)
        else:
            yield key, list(value)
