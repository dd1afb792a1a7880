"""What all commands share: opening a study, progress on stderr, tables and JSON on stdout."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from comoderate.study import Study

StudyPath = Annotated[Path, typer.Argument(help="The study's folder.", show_default="the current folder")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Do it again even if it is up to date.")]
PostsFile = Annotated[
    Path | None, typer.Option("--posts", help="The file of posts, in place of the one in study.toml.")
]
AnnotationFiles = Annotated[
    list[str] | None, typer.Option("--annotations", help="NAME=FILE for an import named in study.toml; repeatable.")
]
By = Annotated[str, typer.Option("--by", help="Break down by day, week or attributes, comma-separated.")]

SELDOM = 30.0
"""Seconds between two notes where standard error is a file."""


@dataclass
class State:
    """What the options before the command say."""

    quiet: bool = False


class Progress:
    """Tells on stderr what is being done; on a terminal, counts are updated in place."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.began = time.monotonic()
        self.noted = float("-inf")
        self.live = sys.stderr.isatty()

    def started(self, stage: str) -> None:
        """Name the stage."""
        self.began = time.monotonic()
        if self.live:
            self._write(f"\r  {stage} …")

    def progress(self, stage: str, done: int) -> None:
        """Count posts, on a terminal only."""
        if self.live:
            self._write(f"\r  {stage} … {done:,} posts")

    def note(self, stage: str, text: str) -> None:
        """Say how far it is, on a terminal in place, else a line every half minute."""
        if self.live:
            self._write(f"\r\033[K  {stage} … {text}")
        elif time.monotonic() - self.noted >= SELDOM:
            self.noted = time.monotonic()
            self._write(f"  {stage}: {text}\n")

    def finished(self, stage: str, summary: Mapping[str, Any]) -> None:
        """Say that the stage is done, how long it took, and its warnings."""
        clear = "\r\033[K" if self.live else ""
        self._write(f"{clear}  {stage}: done in {time.monotonic() - self.began:.1f} s\n")
        for text in summary.get("warnings", []):
            self._write(f"    note: {text}\n")

    def skipped(self, stage: str) -> None:
        """Say that there was nothing to do."""
        self._write(f"  {stage}: up to date\n")

    def _write(self, text: str) -> None:
        if not self.quiet:
            sys.stderr.write(text)
            sys.stderr.flush()


def open_study(
    context: typer.Context,
    path: Path,
    *,
    posts: Path | None = None,
    annotations: Mapping[str, Path] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Study:
    """Open a study with progress on stderr."""
    from comoderate.study import Study

    state: State = context.obj or State()
    listener = Progress(state.quiet)
    return Study.open(path, posts=posts, annotations=annotations, columns=columns, listener=listener)


def split(by: str) -> tuple[str, ...]:
    """The parts of a comma-separated option."""
    return tuple(part.strip() for part in by.split(",") if part.strip())


def named(values: list[str] | None) -> dict[str, str]:
    """``NAME=VALUE`` options as a dictionary.

    Raises:
        typer.BadParameter: an option without ``=``.
    """
    pairs = [value.partition("=") for value in values or []]
    for name, sign, value in pairs:
        if not (name and sign and value):
            raise typer.BadParameter(f"write NAME=VALUE, not {name}{sign}{value}")
    return {name: value for name, _, value in pairs}


def named_files(values: list[str] | None) -> dict[str, Path]:
    """``NAME=FILE`` options as a dictionary."""
    return {name: Path(file) for name, file in named(values).items()}


def show_json(content: Any) -> None:
    """Print JSON; NaN becomes null."""
    typer.echo(json.dumps(_plain(content), indent=2, default=str, ensure_ascii=False))


def _plain(content: Any) -> Any:
    if isinstance(content, dict):
        return {str(key): _plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content.item() if hasattr(content, "item") and not isinstance(content, str) else content


def show_table(frame: pd.DataFrame, as_json: bool, *, columns: Mapping[str, str] | None = None) -> None:
    """Print a frame as a plain table, or all of it as JSON.

    Args:
        frame: the rows.
        as_json: whether to print JSON.
        columns: for the plain table, columns and their headings; by default all.
    """
    if as_json:
        show_json(_plain(frame.astype(object).where(frame.notna(), None).to_dict("records")))
        return
    shown = frame if columns is None else frame[list(columns)].rename(columns=dict(columns))
    cells = [[str(name) for name in shown.columns]]
    cells += [[cell(value) for value in row] for row in shown.itertuples(index=False)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    widest = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for at, part in enumerate(side_by_side(cells, widths, widest)):
        if at:
            typer.echo("")
        for row in cells:
            typer.echo("  ".join(row[i].ljust(widths[i]) for i in part).rstrip())


def side_by_side(cells: list[list[str]], widths: list[int], widest: int | None) -> list[list[int]]:
    """Which columns of a table stand side by side: all of them, or where a terminal is too narrow, parts that each
    repeat the names of the rows, which are the columns before the first that holds a number."""
    if widest is None or sum(widths) + 2 * len(widths) - 2 <= widest:
        return [list(range(len(widths)))]
    numeric = (any(re.match(r"[-+]?\d|–", row[i]) for row in cells[1:]) for i in range(len(widths)))
    keys = list(range(next((i for i, found in enumerate(numeric) if found), 1)))
    room = widest - sum(widths[i] + 2 for i in keys)
    parts: list[list[int]] = [[]]
    for i in range(len(keys), len(widths)):
        if parts[-1] and sum(widths[j] + 2 for j in [*parts[-1], i]) - 2 > room:
            parts.append([])
        parts[-1].append(i)
    return [[*keys, *part] for part in parts]


def cell(value: Any) -> str:
    """A value as a table shows it: four significant digits, nothing for what is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:z.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def interval(frame: pd.DataFrame, *, digits: int = 3) -> pd.DataFrame:
    """The frame with a column ``estimate`` that holds value and interval as text."""

    def text(row: Any) -> str:
        if math.isnan(row.value):
            return f"– ({row.reason or 'undefined'})"
        ends = "" if math.isnan(row.low) else f" ({row.low:z.{digits}f} to {row.high:z.{digits}f})"
        few = " few" if getattr(row, "few", False) else ""
        return f"{row.value:z.{digits}f}{ends}{few}"

    return frame.assign(estimate=[text(row) for row in frame.itertuples()])
