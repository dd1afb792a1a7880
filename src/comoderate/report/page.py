"""The page: sections laid out by a template, every word escaped, nothing from outside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from comoderate.report import sections
from comoderate.report.blocks import Picture, Section
from comoderate.report.content import ReportContent
from comoderate.report.glossary import METHODS, TERMS

if TYPE_CHECKING:
    from jinja2 import Environment

_DIGITS = r"[\N{MINUS SIGN}\d][\d.,]*"
_NUMBER = re.compile(rf"(?:κ )?{_DIGITS}(?: %)?(?: \({_DIGITS} to {_DIGITS}\))|{_DIGITS} %")
_OVERRIDES = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def _readable(text: str) -> str:
    """``text`` with what no page can hold (control characters, half surrogates) as replacement characters."""
    bad, text = ("Cc", "Cs", "Cn"), text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in bad else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def clean(value: Any) -> Any:
    """What the template writes, made fit for a page; marks that turn the direction of what follows are dropped.

    A post's own text keeps those marks (:func:`verbatim`): there they can't reach beyond its box.
    """
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return _readable(value).translate(_OVERRIDES)


def verbatim(text: str) -> Markup:
    """A post's text, escaped, as it was written."""
    return escape(_readable(text))


_ENDS = re.compile(rf"({_DIGITS}(?: %)?) (\({_DIGITS} to {_DIGITS}\))")


def figures(text: str) -> Markup:
    """A table's number, escaped, which may break before its interval and nowhere else."""
    return Markup(_ENDS.sub(r'<b class="n">\1</b> <span class="n">\2</span>', str(escape(clean(text)))))


def prose(text: str) -> Markup:
    """A sentence, escaped, in which a number stays on one line with its unit and interval."""
    return Markup(_NUMBER.sub(lambda m: f'<span class="n">{m[0]}</span>', str(escape(clean(text)))))


class _Pictures:
    """Draws displays, each with ids of its own on the page."""

    def __init__(self) -> None:
        self._drawn = 0

    def __call__(self, picture: Picture) -> Iterator[Markup]:
        for display in picture.displays:
            self._drawn += 1
            yield Markup(display.svg(name=f"f{self._drawn}", themed=True))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("comoderate.report"),
        autoescape=True,
        finalize=clean,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"prose": prose, "figures": figures, "verbatim": verbatim}
    return environment


def _sections(content: ReportContent) -> list[Section]:
    """All sections in the order of reading."""
    told = [sections.in_short, sections.asked, sections.drawn, sections.how_much, sections.agree]
    told += [sections.which_scorer, sections.review, sections.queue]
    built: list[Section | None] = [build(content) for build in told]
    built += [sections.examples(content), *map(sections.extra, content.extras), sections.caveats(content)]
    return _distinct([section for section in built if section is not None])


def _distinct(found: list[Section], taken: set[str] | None = None) -> list[Section]:
    """The same sections, with anchors that differ."""
    taken = set() if taken is None else taken
    out = []
    for section in found:
        name, number = section.anchor, 1
        while name in taken:
            number += 1
            name = f"{section.anchor}-{number}"
        taken.add(name)
        out.append(Section(name, section.title, section.blocks, _distinct(list(section.parts), taken)))
    return out


def render(content: ReportContent) -> str:
    """The report as one HTML page that needs nothing else: no network, no script, no font file.

    Args:
        content: the study's numbers and words.

    Returns:
        The page, to be written as UTF-8.
    """
    methods = [METHODS[name] for name in METHODS if content.frame(name) is not None]
    page = _environment().get_template("report.html.j2")
    return page.render(content=content, sections=_sections(content), draw=_Pictures(), methods=methods, terms=TERMS)
