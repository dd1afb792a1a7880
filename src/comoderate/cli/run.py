"""``comoderate run``: everything that the study asks for."""

from __future__ import annotations

from pathlib import Path

import typer

from comoderate.cli.common import AnnotationFiles, AsJson, PostsFile, StudyPath, named_files, open_study, show_json

NAME = "run"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    posts: PostsFile = None,
    annotations: AnnotationFiles = None,
    as_json: AsJson = False,
) -> None:
    """Do all that the study asks for.

    What is up to date is skipped; after Ctrl-C the same command goes on where it stopped.
    """
    opened = open_study(context, study, posts=posts, annotations=named_files(annotations))
    page = opened.run()
    if page is None and as_json:
        show_json({"report": None, "results": {}})
        return
    if page is None:
        typer.echo(
            "The samples are drawn, and there are no labels yet. Label the posts in the browser (add a [campaign] to"
            f" study.toml, then `comoderate serve {study}`), or write them for your raters with `comoderate sample"
            f" {study} --export FILE`, and give the answers back with `comoderate import {study} --answers FILE"
            " --cohort NAME`. Answers that exist already are named under [annotations] in study.toml."
        )
        return
    if as_json:
        show_json({"report": str(page), "results": {name: opened.result(name).to_dict("records") for name in RESULTS}})
    else:
        typer.echo(f"report: {page}")


RESULTS = ("prevalence", "agreement", "evaluation", "review")
