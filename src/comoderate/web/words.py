"""The words of the pages: a TOML file a language under ``words``; English stands in for what is missing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "words"
FALLBACK = "en"
RIGHT_TO_LEFT = {"ar", "fa", "he", "ur", "ps", "sd", "ug", "yi", "dv", "ckb"}


@cache
def known(language: str) -> dict[str, str]:
    """The words of a language: dotted key → text; empty where there is no file for it."""
    if language not in languages():
        return {}
    tables = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{table}.{key}": text for table, entries in tables.items() for key, text in entries.items()}


@cache
def languages() -> tuple[str, ...]:
    """The languages that the pages speak."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def direction(language: str) -> str:
    """``rtl`` or ``ltr``."""
    return "rtl" if language.partition("-")[0] in RIGHT_TO_LEFT else "ltr"


class Words:
    """The words of one language, with a study's own on top.

    Args:
        language: its code.
        own: key → text that stands in for ours.
    """

    def __init__(self, language: str, own: Mapping[str, str] | None = None) -> None:
        self.language = language
        self.texts = {**known(FALLBACK), **known(language), **(own or {})}

    def __call__(self, key: str, **values: object) -> str:
        """The text for ``key``; names in braces are filled in, and nothing else is read of them.

        Raises:
            KeyError: no language has the key.
        """
        text = self.texts[key]
        for name, value in values.items():
            text = text.replace("{" + name + "}", str(value))
        return text

    def plural(self, key: str, n: int, **values: object) -> str:
        """The text for ``key.one`` or ``key.many``, with ``{n}`` filled in."""
        return self(f"{key}_{'one' if n == 1 else 'many'}", n=f"{n:,}", **values)
