"""What a run leaves behind: tables as CSV, figures as SVG, and a page that joins them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from comoderate.corpus import atomic_path
from comoderate.plots import Display


@dataclass(frozen=True)
class Figure:
    """A picture on the page.

    Attributes:
        name: of its file.
        display: what draws it.
    """

    name: str
    display: Display


@dataclass(frozen=True)
class Section:
    """A part of the page: sentences, then a table, then pictures.

    Attributes:
        title: what it shows.
        sentences: what to know, a paragraph each.
        name: of the table's file; empty where there is no table.
        table: rows as they are written to the CSV file, numbers not rounded.
        shown: the same for readers, rounded and with units; None: ``table``.
        figures: pictures.
    """

    title: str
    sentences: Sequence[str] = ()
    name: str = ""
    table: pd.DataFrame | None = None
    shown: pd.DataFrame | None = None
    figures: Sequence[Figure] = field(default=())


def write(
    folder: Path, title: str, run: Mapping[str, Any], sections: Sequence[Section], *, figures: bool = True
) -> Path:
    """Write tables, figures, ``run.json`` and the page; gives the path of the page.

    Args:
        folder: of the run.
        title: of the page.
        run: what was run, where and on what, for ``run.json`` and the head of the page.
        sections: the parts, in order.
        figures: whether there are to be any; without, parts that are nothing but figures are left out.
    """
    if not figures:
        sections = [replace(one, figures=()) for one in sections if one.table is not None]
    lines = [f"# {title}", "", *_head(run)]
    _clear(folder, sections)
    for section in sections:
        lines += ["", f"## {section.title}", ""]
        lines += [line for sentence in section.sentences for line in (sentence, "")]
        if section.table is not None:
            path = folder / "tables" / f"{section.name}.csv"
            _text(path, section.table.to_csv(index=False, float_format="%.6g"))
            shown = section.table if section.shown is None else section.shown
            lines += [*markdown(shown), "", f"All digits: [{path.name}](tables/{path.name})."]
        for figure in section.figures:
            path = folder / "figures" / f"{figure.name}.svg"
            _text(path, figure.display.svg(name=figure.name) + "\n")
            title = str(getattr(figure.display, "title", ""))
            lines += [
                "",
                *([f"*{title}*", ""] if title else []),
                f"![{figure.display.describe()}](figures/{path.name})",
            ]
    _text(folder / "run.json", json.dumps(run, indent=2, default=str) + "\n")
    page = folder / "README.md"
    _text(page, "\n".join(lines).rstrip() + "\n")
    return page


def _clear(folder: Path, sections: Sequence[Section]) -> None:
    """Take tables and figures away that an earlier run left and this one does not have."""
    kept = {f"tables/{one.name}.csv" for one in sections if one.table is not None}
    kept |= {f"figures/{figure.name}.svg" for one in sections for figure in one.figures}
    for path in (*folder.glob("tables/*.csv"), *folder.glob("figures/*.svg")):
        if path.relative_to(folder).as_posix() not in kept:
            path.unlink()


def markdown(table: pd.DataFrame) -> list[str]:
    """A table in Markdown, a line a row; what is missing is a dash."""

    def cell(value: Any) -> str:
        if value is None or (isinstance(value, float) and value != value):
            return "–"
        return f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", "\\|").replace("\n", " ")

    numeric = [pd.api.types.is_numeric_dtype(table[name]) for name in table.columns]
    head = "| " + " | ".join(str(name) for name in table.columns) + " |"
    rule = "|" + "|".join("---:" if right else "---" for right in numeric) + "|"
    return [head, rule, *("| " + " | ".join(map(cell, row)) + " |" for row in table.itertuples(index=False))]


def _head(run: Mapping[str, Any]) -> list[str]:
    """What was run, where, on what, with which seeds."""
    rows = [("Run", run["mode"]), ("Seeds", ", ".join(map(str, run["seeds"]))), ("Machine", run["machine"])]
    rows += [("Versions", ", ".join(f"{name} {number}" for name, number in run["versions"].items()))]
    lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows), "", "Data:", ""]
    lines += [f"- {name}: {what}" for name, what in run["data"].items()]
    missing = [f"- {name}: not here ({why})" for name, why in run["missing"].items()]
    lines += ["", "Corrections of the paper (turned off by `--as-published`):", "", *_corrections(run["corrections"])]
    return lines if not missing else [*lines, "", "Left out:", "", *missing]


def _corrections(corrections: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [f"- `{name}` ({'on' if one['on'] else 'off'}): {one['what']}" for name, one in corrections.items()]


def _text(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(content, encoding="utf-8")
