"""``comoderate import``: posts and annotations into the study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from comoderate.cli.common import (
    AnnotationFiles,
    AsJson,
    Force,
    PostsFile,
    StudyPath,
    named,
    named_files,
    open_study,
    show_json,
)

NAME = "import"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    posts: PostsFile = None,
    annotations: AnnotationFiles = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", help="KEY=COLUMN: what a column is called (post_id, text, created_at, author, …)."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Import posts and annotations.

    From CSV, JSON lines or Parquet, each also gzipped, by the column names in study.toml or given here.
    """
    opened = open_study(context, study, posts=posts, annotations=named_files(annotations), columns=named(column))
    counts = {"posts": opened.import_posts(force=force), "annotations": opened.import_annotations(force=force)}
    if as_json:
        show_json(counts)
        return
    p = counts["posts"]
    typer.echo(
        f"posts: {p['written']:,} of {p['read']:,} imported"
        f" ({p['dropped_duplicates']:,} repeated and {p['dropped_missing_text']:,} without text dropped)"
    )
    for name, a in counts["annotations"].items():
        typer.echo(
            f"{name}: {a['answers']:,} answers, {a['appended']:,} new"
            f" ({a['dropped_duplicates']:,} repeated and {a['dropped_unknown_posts']:,} of unknown posts dropped)"
        )
