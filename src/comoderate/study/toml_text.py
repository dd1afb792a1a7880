"""A study's file as text, for studies that the code itself writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from comoderate.study.starting import quoted


def table_lines(table: str, /, **values: Any) -> Iterator[str]:
    """The lines of a table: its head, a line a key, an empty line. None is left out."""
    yield f"[{table}]"
    yield from (f"{key} = {value_text(value)}" for key, value in values.items() if value is not None)
    yield ""


def value_text(value: Any) -> str:
    """A value in TOML's spelling: texts, numbers, truth values, lists and inline tables."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {value_text(one)}" for key, one in value.items()) + " }"
    return str(value)


def _key(key: str) -> str:
    """A key, quoted where it holds more than letters, digits, ``_`` and ``-``."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else quoted(key)
