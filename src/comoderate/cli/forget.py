"""``comoderate forget``: take a post out of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import AsJson, open_study, show_json

NAME = "forget"


def command(
    context: typer.Context,
    post_ids: Annotated[list[str], typer.Argument(metavar="POST_ID...", help="Ids of the posts to forget.")],
    study: Annotated[Path, typer.Option("--study", help="The study's folder.", show_default="the current folder")] = (
        Path()
    ),
    as_json: AsJson = False,
) -> None:
    """Remove posts' texts and ids everywhere in the study.

    Strata keep their counts, and estimates say what they lost. The posts do not come back by another import. Models,
    results and the report are removed, and made anew by `comoderate run`.
    """
    found = open_study(context, study).forget(post_ids)
    if as_json:
        show_json(found._asdict())
        return
    typer.echo(
        f"forgotten: {found.posts:,} posts; {len(found.files):,} files and {found.texts:,} texts in the database"
    )
    for path in found.remain:
        typer.echo(f"still in your own file {path}: remove it there")
    typer.echo("run `comoderate run` to make results and report anew; copies outside the study are yours to find")
