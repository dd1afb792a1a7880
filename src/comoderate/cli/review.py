"""``comoderate review``: what review buys, and the queue."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import AsJson, Force, StudyPath, interval, open_study, show_json, show_table

NAME = "review"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    queue: Annotated[int, typer.Option("--queue", help="Print so many posts of the queue instead of the curves.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Measure what review buys, and make the queue.

    For each strategy and share of posts that moderators can read.
    """
    opened = open_study(context, study)
    table = opened.review(force=force)
    if queue:
        show_table(opened.queue().head(queue), as_json)
        return
    if as_json:
        show_json(table.to_dict("records"))
        return
    columns = {"target": "target", "truth": "truth", "scorer": "scorer", "strategy": "strategy"}
    columns |= {"review_fraction": "reviewed", "metric": "metric", "estimate": "value (interval)"}
    if len(table):
        show_table(interval(table), False, columns=columns)
    typer.echo(f"\nqueue: {len(opened.queue()):,} posts in {opened.folder / 'queue' / 'review.parquet'}")
