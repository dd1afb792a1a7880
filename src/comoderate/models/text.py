"""Text as the baselines read it: one normal form, one rule for what a token is."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

TOKEN = r"@?\w(?:[\w$@*'’]*[\w$*])?"
"""A token: a word with its inner apostrophes and masking signs (``don't``, ``f**k``), or ``@user``."""

_LINK = re.compile(r"(?:https?://|www\.)\S+")
_HANDLE = re.compile(r"(?<![\w@])@\w+")
_RETWEET = re.compile(r"^[\s!\"'“”.:]*rt\b[\s:]*@user\b:?")
_SPACE = re.compile(r"\s+")


def normalise(text: str) -> str:
    """One text in the form that the baselines learn from.

    HTML entities are resolved and letters lower-cased; a link becomes ``httplink``, a handle ``@user``, the prefix
    of a repeated post (``!!! RT @name:``) becomes ``rt @user``, and white space one blank.

    Args:
        text: the text as it was posted.

    Returns:
        The normal form; empty where the text holds nothing but white space.
    """
    plain = html.unescape(text) if "&" in text else text
    plain = _HANDLE.sub("@user", _LINK.sub("httplink", plain.lower()))
    return _SPACE.sub(" ", _RETWEET.sub("rt @user", plain)).strip()


def tidy(text: str) -> str:
    """One text in the form that encoders read: entities resolved, links and handles shortened, case kept."""
    plain = html.unescape(text) if "&" in text else text
    return _SPACE.sub(" ", _HANDLE.sub("@user", _LINK.sub("http", plain))).strip()


def normalise_all(texts: Iterable[str]) -> list[str]:
    """:func:`normalise` of each text.

    Raises:
        ValueError: where a text is not a string (missing, or a number), with its position.
    """
    return [normalise(text) for text in _strings(texts)]


def tidy_all(texts: Iterable[str]) -> list[str]:
    """:func:`tidy` of each text.

    Raises:
        ValueError: as :func:`normalise_all`.
    """
    return [tidy(text) for text in _strings(texts)]


def _strings(texts: Iterable[str]) -> Iterator[str]:
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"texts must be strings: number {position} (from 0) is {text!r}")
        yield text
