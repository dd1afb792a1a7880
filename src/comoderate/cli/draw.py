"""``comoderate sample``: draw the study's samples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from comoderate.cli.common import AsJson, Force, StudyPath, open_study, show_json

NAME = "sample"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    name: Annotated[str | None, typer.Option("--name", help="Draw this sample only.")] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write the posts of the sample to this CSV file for raters, in random order."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Draw samples of posts.

    Each post is stored with the exact chance that it had of being drawn.
    """
    opened = open_study(context, study)
    summaries: dict[str, dict[str, Any]] = {}
    for sample in [name] if name else list(opened.settings.sample):
        draws = opened.draw(sample, force=force)
        phases = {str(phase): int(count) for phase, count in draws["phase"].value_counts(sort=False).items()}
        low, high = float(draws["pi"].min()), float(draws["pi"].max())
        summaries[sample] = {"drawn": len(draws), "phases": phases, "pi": [low, high]}
    if export is not None:
        if name is None and len(opened.settings.sample) > 1:
            raise typer.BadParameter("several samples: choose one with --name")
        opened.export_sample(name or next(iter(summaries)), export)
    if as_json:
        show_json(summaries)
        return
    for sample, found in summaries.items():
        parts = ", ".join(f"{count:,} {phase}" for phase, count in found["phases"].items())
        typer.echo(
            f"{sample}: {found['drawn']:,} posts ({parts}), pi from {found['pi'][0]:.4g} to {found['pi'][1]:.4g}"
        )
