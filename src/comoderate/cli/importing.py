"""``comoderate import``: posts and annotations into the study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from comoderate.study import Study

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
    answers: Annotated[
        Path | None,
        typer.Option("--answers", help="Add answers from a file of comoderate export, Label Studio or crowd-kit."),
    ] = None,
    cohort: Annotated[
        str | None, typer.Option("--cohort", help="With --answers: who answered, where the file does not say.")
    ] = None,
    question: Annotated[
        str | None,
        typer.Option("--question", help="With --answers: which question was answered, where the file does not say."),
    ] = None,
    drop_unknown: Annotated[
        bool, typer.Option("--drop-unknown", help="With --answers: leave out answers on posts that are not there.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Import posts and annotations.

    From CSV, JSON lines or Parquet, each also gzipped, by the column names in study.toml or given here.
    """
    if answers is not None:
        _add(open_study(context, study), answers, (cohort, question), drop_unknown, as_json)
        return
    opened = open_study(context, study, posts=posts, annotations=named_files(annotations), columns=named(column))
    counts = {"posts": opened.import_posts(force=force), "annotations": opened.import_annotations(force=force)}
    if as_json:
        show_json(counts)
        return
    p = counts["posts"]
    typer.echo(
        f"posts: {p['written']:,} of {p['read']:,} imported"
        f" (dropped: {p['dropped_duplicates']:,} repeated, {p['dropped_missing_text']:,} without text,"
        f" {p.get('dropped_missing_time', 0):,} without a time)"
    )
    for name, a in counts["annotations"].items():
        typer.echo(
            f"{name}: {a['answers']:,} answers, {a['appended']:,} new"
            f" ({a['dropped_duplicates']:,} repeated and {a['dropped_unknown_posts']:,} of unknown posts dropped)"
        )


def _add(study: Study, path: Path, said: tuple[str | None, str | None], drop_unknown: bool, as_json: bool) -> None:
    from comoderate.study.exchange import Rules, import_exchange

    study.import_posts()
    rules = Rules(cohort=said[0], question=said[1], unknown_posts="drop" if drop_unknown else "refuse")
    counts = import_exchange(study, path, rules=rules)
    if as_json:
        show_json(counts._asdict())
        return
    typer.echo(
        f"{counts.answers:,} answers, {counts.appended:,} new, {counts.known:,} there already"
        f" ({counts.dropped_unknown_posts:,} of unknown posts dropped)"
    )
