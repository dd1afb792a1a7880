"""``comoderate release``: the dataset that may be published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import AsJson, StudyPath, open_study, show_json

NAME = "release"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    out: Annotated[Path, typer.Option("--out", help="The folder to write; new, empty, or an earlier release.")] = Path(
        "release"
    ),
    name: Annotated[
        str | None, typer.Option("--name", help="The sample to release; by default the one that measures.")
    ] = None,
    raters: Annotated[
        int, typer.Option("--raters", min=1, help="Raters that must share each combination of their attributes.")
    ] = 5,
    url: Annotated[
        str | None,
        typer.Option("--url", help="Write addresses instead of ids: https://example.org/{post_id}."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the dataset that may be published.

    Ids or addresses, labels, counts of answers, weights, design, codebook and a datasheet; no text and no rater.
    """
    found = open_study(context, study).release(out, sample=name, raters=raters, address=url)
    if as_json:
        show_json({**found._asdict(), "folder": str(found.folder)})
        return
    typer.echo(f"release: {found.folder}, {found.posts:,} posts, {found.answers:,} counts of answers")
    for text in found.warnings:
        typer.echo(f"before you publish: {text}")
