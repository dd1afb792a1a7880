"""``comoderate score``: give every post a probability."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import AsJson, Force, StudyPath, open_study, show_json

NAME = "score"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    scorer: Annotated[str | None, typer.Option("--scorer", help="Use this scorer only.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Give every post a probability.

    A labelled post is scored by the model that has not seen its fold. What a service answered is kept, and no text is
    paid for twice; posts that it has no answer for are counted, and asked for again with --force.
    """
    opened = open_study(context, study)
    found = {}
    for name in [scorer] if scorer else list(opened.settings.scorer):
        table = opened.score(name, force=force)
        failed = int(table["proba"].isna().sum())
        found[name] = {
            "posts": len(table), "mean": float(table["proba"].mean()), "target": opened.target_of(name),
            "errors": failed,
        }  # fmt: skip
    if as_json:
        show_json(found)
        return
    for name, row in found.items():
        without = f", {row['errors']:,} of them without a probability" if row["errors"] else ""
        typer.echo(
            f"{name}: {row['posts']:,} posts scored for {row['target']}{without}, mean probability {row['mean']:.4f}"
        )
