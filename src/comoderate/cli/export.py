"""``comoderate export``: all annotations of a study into a file, for other tools and for safe keeping."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import AsJson, StudyPath, open_study, show_json

NAME = "export"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    to: Annotated[
        Path | None, typer.Option("--to", help="The file; by default annotations.csv or .json; - for standard output.")
    ] = None,
    form: Annotated[
        str,
        typer.Option("--form", help="long, wide, label-studio or crowd-kit (columns task, worker, label)."),
    ] = "long",
    question: Annotated[str | None, typer.Option("--question", help="Only the answers to this question.")] = None,
    texts: Annotated[
        bool | None, typer.Option("--texts/--no-texts", help="With the posts' texts; by default for label-studio only.")
    ] = None,
    rater_ids: Annotated[
        bool, typer.Option("--rater-ids", help="Raters' ids as they are stored, in place of keyed hashes.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write every annotation to a file, with who answered (as a keyed hash) and when.

    `comoderate import --answers FILE` reads each form back; what a study has already is not added twice.
    """
    from comoderate.study.exchange import export_annotations, exported
    from comoderate.study.exchange_forms import SUFFIX

    opened = open_study(context, study)
    options = {"texts": texts, "raters": "stored" if rater_ids else "hashed", "question": question}
    if to is not None and str(to) == "-":
        for piece in exported(opened, form, **options):  # type: ignore[arg-type]
            sys.stdout.write(piece)
        return
    path = to or Path(f"annotations.{SUFFIX.get(form, 'csv')}")
    characters = export_annotations(opened, path, form, **options)  # type: ignore[arg-type]
    if as_json:
        show_json({"path": str(path), "form": form, "characters": characters})
        return
    typer.echo(f"{characters:,} characters in {path}")
