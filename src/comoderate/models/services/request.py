"""Filling a request: the texts into its template, environment variables into its headers and address."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from comoderate.errors import ComoderateError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def fill(template: Any, texts: Sequence[str]) -> Any:
    """The request with the texts in it.

    Args:
        template: JSON; the text ``{texts}`` becomes the list of texts, ``{text}`` the first of them, within a longer
            text too.
        texts: at least one.
    """
    if isinstance(template, Mapping):
        return {name: fill(part, texts) for name, part in template.items()}
    if isinstance(template, str):
        return list(texts) if template == "{texts}" else template.replace("{text}", texts[0])
    if isinstance(template, Sequence):
        return [fill(part, texts) for part in template]
    return template


def resolve(text: str, environment: Mapping[str, str]) -> str:
    """A text with ``${NAME}`` replaced by environment variables; of two slashes that meet there, one stays.

    Raises:
        ComoderateError: a variable is not set; its value is never in a message.
    """

    def value(found: re.Match[str]) -> str:
        if not environment.get(found[1]):
            raise ComoderateError(f"the environment variable {found[1]} is not set", do=f"set it: export {found[1]}=…")
        followed = text.startswith("/", found.end())
        return environment[found[1]].rstrip("/") if followed else environment[found[1]]

    return _VARIABLE.sub(value, text)
