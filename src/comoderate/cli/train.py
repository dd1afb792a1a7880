"""``comoderate train``: train the study's scorers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import AsJson, Force, StudyPath, open_study, show_json

NAME = "train"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    scorer: Annotated[str | None, typer.Option("--scorer", help="Train this scorer only.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Train the scorers.

    Each is trained once for every fold that is left out, so that labelled posts get honest scores. Stopped by Ctrl-C or
    killed, the same command goes on where it was.
    """
    opened = open_study(context, study)
    trained = [name for name, own in opened.settings.scorer.items() if own.trained]
    cards = {name: opened.train(name, force=force) for name in ([scorer] if scorer else trained)}
    if as_json:
        show_json(cards)
        return
    for name, card in cards.items():
        seen = f", {card['posts']:,} posts, {card['positives']:,} positive" if "posts" in card else ""
        typer.echo(f"{name}@{card['version']}: {card['kind']} for {card['target']}{seen}")
