"""``comoderate report``: write the page that says it all."""

from __future__ import annotations

from pathlib import Path

import typer

from comoderate.cli.common import AsJson, Force, StudyPath, open_study, show_json

NAME = "report"


def command(context: typer.Context, study: StudyPath = Path(), force: Force = False, as_json: AsJson = False) -> None:
    """Write the report.

    One page that needs no network, with the text of posts hidden until it is asked for.
    """
    page = open_study(context, study).report(force=force)
    if as_json:
        show_json({"report": str(page)})
    else:
        typer.echo(f"report: {page}")
