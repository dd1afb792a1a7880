"""``comoderate agree``: how far raters agree, and the labels that follow."""

from __future__ import annotations

from pathlib import Path

import typer

from comoderate.cli.common import AsJson, By, Force, StudyPath, interval, open_study, show_table, split

NAME = "agree"


def command(
    context: typer.Context, study: StudyPath = Path(), by: By = "", force: Force = False, as_json: AsJson = False
) -> None:
    """Take a snapshot of the annotations, make labels of them, and measure how far raters agree."""
    opened = open_study(context, study)
    table = opened.agree(force=force)
    if by:
        table = opened.agreement(by=split(by))
    columns = {
        "question": "question", "cohort": "cohort", "domain": "by", "group": "group", "statistic": "statistic",
        "n_items": "posts", "n_annotations": "answers", "estimate": "value (interval)",
    }  # fmt: skip
    show_table(interval(table), as_json, columns=columns)
