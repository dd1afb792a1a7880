"""``comoderate benchmark``: reproduce one of the three papers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import AsJson, Progress, State, show_json, split

NAME = "benchmark"


class PaperName(StrEnum):
    """The papers."""

    COLLABORATION = "collaboration"
    TROLL_PATROL = "troll-patrol"
    ACCURACY_SURFACE = "accuracy-surface"


def command(
    context: typer.Context,
    paper: Annotated[PaperName, typer.Argument(help="Which paper.")],
    data: Annotated[Path, typer.Option("--data", help="The folder of data sets, a subfolder each.")] = Path("data"),
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Where results go.", show_default="benchmark/PAPER, below it as-published"),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full/--small", help="The paper's own sizes, or sizes that two cores finish in an hour.")
    ] = False,
    seeds: Annotated[
        str, typer.Option("--seeds", help="Comma-separated seeds of repetitions.", show_default="as the setting says")
    ] = "",
    as_published: Annotated[
        bool, typer.Option("--as-published", help="Turn all corrections of the paper off.")
    ] = False,
    without: Annotated[
        list[str] | None, typer.Option("--without", help="Turn one correction off, by its name; repeatable.")
    ] = None,
    only: Annotated[
        str, typer.Option("--only", help="Comma-separated data sets to run on.", show_default="all that are there")
    ] = "",
    above: Annotated[
        float,
        typer.Option("--toxic-above", help="collaboration: share of raters above which a comment is toxic."),
    ] = 0.7,
    no_figures: Annotated[bool, typer.Option("--no-figures", help="Write tables and the page alone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Reproduce a paper's tables and figures on the data at hand, beside what it published.

    What is finished is kept: the same command goes on where it was stopped.
    """
    from comoderate.papers import Options, run
    from comoderate.papers.benchmark import paper as module

    state: State = context.obj or State()
    off = frozenset(module(paper.value).CORRECTIONS) if as_published else frozenset(without or ())
    numbers = tuple(_seed(part) for part in split(seeds))
    folder = out or Path("benchmark", paper.value, *(["as-published"] if as_published else []))
    page = run(
        paper.value,
        Options(
            data=data,
            out=folder,
            small=not full,
            seeds=numbers,
            as_published=off,
            only=frozenset(split(only)),
            above=above,
            figures=not no_figures,
            listener=Progress(state.quiet),
        ),
    )
    if as_json:
        show_json({"page": str(page), "tables": sorted(str(path) for path in (folder / "tables").glob("*.csv"))})
    else:
        typer.echo(page)


def _seed(text: str) -> int:
    if not text.strip().isdecimal():
        raise typer.BadParameter(f"seeds are whole numbers, not {text.strip()!r}")
    return int(text)
