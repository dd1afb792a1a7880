"""From a Matplotlib figure to a small, accessible SVG that can stand alone or inside a page."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from comoderate.plots.style import COLOURS, GRID, INK, MUTED, PAPER, house_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_LONG = re.compile(r"-?\d+\.\d{3,}")
_FONT = re.compile(r"font:\s*((?:[a-z0-9]+ )*)([\d.]+px)[^;]*")
_FAMILY = re.compile(r"font-family:[^;]*;?\s*")
_THEME = {INK: "currentColor", MUTED: "var(--muted,#6b6b6b)", GRID: "var(--grid,#d9d9d9)", PAPER: "var(--paper,#fff)"}
_THEME |= {c: f"var(--series-{i},{c})" for i, c in enumerate(COLOURS)}
_HEX = re.compile("|".join(_THEME))


def _raw(figure: Figure) -> bytes:
    """The SVG as Matplotlib writes it, without date and other metadata."""
    with house_style(), warnings.catch_warnings():
        # The browser has the glyphs (emoji, Arabic, …) that the measuring font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return out.getvalue()


def _without(root: ET.Element, *names: str) -> None:
    """Drop ``<style>`` (which would reach the whole page) and ``<metadata>``."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in {f"{{{_SVG}}}{name}" for name in names}:
                parent.remove(child)


def _short_numbers(text: str) -> str:
    return _LONG.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), text)


def _style(style: str, themed: bool) -> str:
    style = _FAMILY.sub("", _FONT.sub(_font, style))
    return _HEX.sub(lambda m: _THEME[m[0]], style) if themed else style


def _font(match: re.Match[str]) -> str:
    """Only size and weight: the family is the page's own, so that nothing needs a font file."""
    words = match[1].split()
    weight = next((w for w in words if w == "bold" or w.isdigit()), "")
    return f"font-size: {match[2]}" + (f"; font-weight: {weight}" if weight else "")


def _rewrite(element: ET.Element, prefix: str, themed: bool) -> None:
    """Ids of this figure only, short numbers, and (``themed``) colours that follow the page."""
    attributes = element.attrib
    if "id" in attributes:
        attributes["id"] = prefix + attributes["id"]
    if _HREF in attributes:
        target = attributes.pop(_HREF)
        attributes["href" if themed else _HREF] = "#" + prefix + target.removeprefix("#")
    if "clip-path" in attributes:
        attributes["clip-path"] = attributes["clip-path"].replace("url(#", f"url(#{prefix}")
    if "style" in attributes:
        style = attributes["style"].replace("url(#", f"url(#{prefix}")
        attributes["style"] = _style(style, themed)
    for name in ("d", "x", "y", "transform", "points"):
        if name in attributes:
            attributes[name] = _short_numbers(attributes[name])


def _label(root: ET.Element, prefix: str, title: str, description: str) -> None:
    """Say what the picture shows to those who can't see it."""
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(f"{{{_SVG}}}{tag}", {"id": f"{prefix}{tag}"})
        element.text = "".join(c if c.isprintable() else " " for c in text)
        root.insert(position, element)
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}title", "aria-describedby": f"{prefix}desc"}


def to_svg(figure: Figure, *, name: str, title: str, description: str, themed: bool = False) -> str:
    """The figure as an ``<svg>`` element: text as text, no date, no outside reference, described in words.

    Args:
        figure: a Matplotlib figure.
        name: a word that makes the ids of this picture differ from those of others on the page.
        title, description: what the picture is, and what it shows.
        themed: colours follow the page's CSS (``currentColor`` and variables) and ids suit an HTML page; without it
            the picture stands alone as a file.
    """
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    root = ET.fromstring(_raw(figure))
    _without(root, "style", "metadata")
    prefix = re.sub(r"[^A-Za-z0-9-]", "-", name) + "-"
    for element in root.iter():
        _rewrite(element, prefix, themed)
    for size in ("width", "height"):
        if themed:
            root.attrib.pop(size, None)
    root.attrib["style"] = "stroke-linejoin: round; stroke-linecap: butt"
    if not themed:
        root.attrib["font-family"] = "DejaVu Sans, Verdana, sans-serif"
    _label(root, prefix, title, description)
    return ET.tostring(root, encoding="unicode")
