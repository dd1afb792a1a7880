"""``comoderate sample``: draw the study's samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comoderate.cli.common import AsJson, Force, StudyPath, open_study, show_json, show_table

if TYPE_CHECKING:
    from comoderate.study.planning import SamplePlans

NAME = "sample"


def show_plan(found: SamplePlans, as_json: bool) -> None:
    """Print the plans as a table, and the sentences."""
    if as_json:
        show_json({"plans": found.table.to_dict("records"), "sentences": found.sentences})
        return
    columns = {
        "sample": "sample", "design": "design", "posts": "posts", "labels": "labels", "share": "expected share",
        "se": "standard error", "rare": "rare type", "rare_se": "standard error ", "rare_posts": "rare posts",
        "design_effect": "design effect",
    }  # fmt: skip
    show_table(found.table, False, columns=columns)
    for sentence in found.sentences:
        typer.echo(f"\n{sentence}")


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    name: Annotated[str | None, typer.Option("--name", help="Draw this sample only.")] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Draw nothing: say what each sample costs and how sharp it will be.")
    ] = False,
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
    if plan:
        show_plan(opened.plan(), as_json)
        return
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
        least, most = (f"{end:.4g}" for end in found["pi"])
        chance = least if least == most else f"{least} to {most}"
        typer.echo(f"{sample}: {found['drawn']:,} posts ({parts}); a post's chance of being drawn: {chance}")
    if export is not None:
        asked = ", ".join(opened.settings.codebook.question)
        typer.echo(
            f"{export}: the posts in random order. Add a column for each question that was answered ({asked}) and a"
            f" column rater, then `comoderate import {study} --answers FILE --cohort NAME`."
        )
