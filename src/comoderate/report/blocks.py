"""The pieces a page is laid out from: sentences, tables, pictures, posts, and sections that hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from comoderate.plots import Display


@dataclass(frozen=True)
class Sentence:
    """A paragraph; ``tone`` is 'plain', 'key' (the number to take away) or 'warning'."""

    text: str
    tone: str = "plain"
    kind: str = "sentence"


@dataclass(frozen=True)
class Cell:
    """A table's cell: its text, a remark under it, and whether it holds a number."""

    text: str
    remark: str = ""
    numeric: bool = False


@dataclass(frozen=True)
class Head:
    """A column's heading, and the glossary's term that explains it."""

    text: str
    term: str = ""


@dataclass(frozen=True)
class Table:
    """A table; the first column heads the rows. ``folded`` tables open on a click and scroll in their own box."""

    caption: str
    head: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    folded: bool = False
    kind: str = "table"


@dataclass(frozen=True)
class Picture:
    """One or more displays side by side where there is room, with one caption."""

    displays: Sequence[Display]
    caption: str
    kind: str = "picture"


@dataclass(frozen=True)
class Post:
    """A post whose text is hidden until asked for."""

    post_id: str
    text: str | None
    facts: Sequence[tuple[str, str]]
    tag: str = ""


@dataclass(frozen=True)
class Posts:
    """A numbered list of posts."""

    posts: Sequence[Post]
    kind: str = "posts"


@dataclass(frozen=True)
class Listing:
    """A bulleted list of sentences."""

    items: Sequence[str]
    kind: str = "listing"


Block = Sentence | Table | Picture | Posts | Listing


@dataclass(frozen=True)
class Section:
    """A heading with blocks and sections under it."""

    anchor: str
    title: str
    blocks: Sequence[Block] = ()
    parts: Sequence[Section] = field(default_factory=tuple)


def anchor(*words: str) -> str:
    """An id for a heading from words of any script: letters and digits, joined by hyphens."""
    return "-".join(re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words) or "section"
