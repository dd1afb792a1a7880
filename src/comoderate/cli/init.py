"""``comoderate init``: a new study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import AsJson, show_json

NAME = "init"


def command(
    folder: Annotated[Path, typer.Argument(help="Where to make the study.")],
    posts: Annotated[Path | None, typer.Option("--posts", help="A file of posts, whose columns are guessed.")] = None,
    title: Annotated[str | None, typer.Option("--title", help="The study's title.")] = None,
    codebook: Annotated[
        str,
        typer.Option("--codebook", help="Questions that come with Comoderate: troll-patrol, or short, its first one."),
    ] = "troll-patrol",
    as_json: AsJson = False,
) -> None:
    """Make a new study to edit."""
    from comoderate.study.starting import start

    path = start(folder, posts=posts, title=title, codebook=codebook)
    if as_json:
        show_json({"study": str(path)})
    else:
        typer.echo(f"{path}: look through it, then `comoderate run {folder}`")
