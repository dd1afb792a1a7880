"""Settings of a scorer as a file gives them, checked before anything is trained."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from comoderate.errors import ComoderateError


def option_names(kind: str, make: Callable[..., Any]) -> list[str]:
    """The options that a scorer's class takes; the seed is the study's, a lexicon's words have a key of their own."""
    elsewhere = {"random_state", *(["words"] if kind == "lexicon" else [])}
    return [name for name in inspect.signature(make).parameters if name not in elsewhere]


def check_options(kind: str, make: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, each of the type that the class asks for; settings that contradict each other are refused.

    Args:
        kind: the kind of scorer, for messages.
        make: its class.
        options: name → value.

    Raises:
        ComoderateError: an unknown option (names the nearest), a wrong value.
    """
    known, found = option_names(kind, make), {}
    hints = get_type_hints(make.__init__)
    for name, value in options.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            advice = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known) or 'none'}"
            raise ComoderateError(f"{kind} has no option {name!r}", do=advice)
        found[name] = _typed(kind, name, value, hints.get(name, Any))
    plan = getattr(make(**found), "_plan", None)
    if plan is not None:
        plan()
    return found


def _typed(kind: str, name: str, value: Any, hint: Any) -> Any:
    """The value, a list as the class wants it; numbers and texts are not made of each other."""
    try:
        found = TypeAdapter(hint).validate_python(value)
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        raise ComoderateError(
            f"option {name!r} of {kind} is {value!r}", do=f"{problem[0].lower()}{problem[1:]}"
        ) from None
    if isinstance(found, int | float) and not isinstance(value, int | float):
        raise ComoderateError(f"option {name!r} of {kind} is the text {value!r}", do="write it without quotation marks")
    return found
