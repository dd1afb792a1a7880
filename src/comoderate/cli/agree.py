"""``comoderate agree``: how far raters agree, and the labels that follow."""

from __future__ import annotations

from pathlib import Path

import typer

from comoderate.cli.common import AsJson, By, Force, StudyPath, interval, open_study, show_table, split

NAME = "agree"


def command(
    context: typer.Context, study: StudyPath = Path(), by: By = "", force: Force = False, as_json: AsJson = False
) -> None:
    """Measure how far raters agree.

    Takes a snapshot of the annotations and makes labels of them; all that follows reads the snapshot.
    """
    opened = open_study(context, study)
    table = opened.agree(by=split(by), force=force)
    columns = {
        "question": "question", "cohort": "cohort", "domain": "by", "group": "group", "statistic": "statistic",
        "weighted": "weighted", "n_items": "posts", "n_annotations": "answers", "estimate": "value (interval)",
    }  # fmt: skip
    show_table(interval(table), as_json, columns=columns)
