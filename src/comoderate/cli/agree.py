"""``comoderate agree``: how far raters agree, and the labels that follow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comoderate.cli.common import AsJson, By, Force, StudyPath, interval, open_study, show_table, split

if TYPE_CHECKING:
    import pandas as pd

NAME = "agree"
AGREEMENT = {
    "question": "question", "cohort": "cohort", "domain": "by", "group": "group", "statistic": "statistic",
    "weighted": "weighted", "n_items": "posts", "n_annotations": "answers", "estimate": "value (interval)",
}  # fmt: skip
RATERS = {
    "question": "question", "cohort": "cohort", "rater_id": "rater", "n_annotations": "answers", "seconds": "seconds",
    "estimate": "agreement (interval)", "verdict": "verdict", "drift": "drift", "drift_verdict": "first half to second",
}  # fmt: skip
GROUPS = {
    "question": "question", "cohort": "cohort", "group": "group", "other": "with", "n_raters": "raters",
    "n_shared": "posts shared", "estimate": "agreement (interval)",
}  # fmt: skip


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    by: By = "",
    raters: Annotated[
        bool, typer.Option("--raters", help="Print each rater's agreement with the others instead, for coaching.")
    ] = False,
    groups: Annotated[
        str, typer.Option("--groups", help="Print agreement within and across groups of raters, by this attribute.")
    ] = "",
    following: Annotated[
        int, typer.Option("--next", min=0, help="Print so many posts on which one more rating is worth most.")
    ] = 0,
    polarised: Annotated[
        int, typer.Option("--polarised", min=0, help="Print so many posts that split their raters most.")
    ] = 0,
    question: Annotated[
        str, typer.Option("--question", help="With --raters or --groups: this question; by default those of targets.")
    ] = "",
    target: Annotated[
        str, typer.Option("--target", help="With --next or --polarised: this target; by default the first.")
    ] = "",
    cohort: Annotated[
        str, typer.Option("--cohort", help="With --next or --polarised: these raters; by default the target's.")
    ] = "",
    show_text: Annotated[
        bool, typer.Option("--show-text", help="With --next or --polarised: print the texts too, anonymised.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Measure how far raters agree.

    Takes a snapshot of the annotations and makes labels of them; all that follows reads the snapshot.
    """
    if sum(map(bool, (raters, groups, following, polarised))) > 1:
        raise typer.BadParameter("choose one of --raters, --groups, --next and --polarised")
    opened = open_study(context, study)
    if raters or groups:
        asked = question or None
        table = opened.raters(question=asked) if raters else opened.rater_groups(groups, question=asked)
        _show(table, RATERS if raters else GROUPS, as_json)
        if raters and len(table) and not as_json:
            _caution()
    elif following or polarised:
        named = {"target": target or None, "cohort": cohort or None}
        posts = opened.next_posts(following, **named) if following else opened.polarised(polarised, **named)
        show_table(opened.with_text(posts) if show_text else posts, as_json)
    else:
        _show(opened.agree(by=split(by), force=force), AGREEMENT, as_json)


def _show(table: pd.DataFrame, columns: dict[str, str], as_json: bool) -> None:
    if len(table) or as_json:
        show_table(interval(table) if len(table) else table, as_json, columns=columns)
    else:
        typer.echo("no raters are known")


def _caution() -> None:
    from comoderate.study.rater_view import CAUTION

    typer.echo(f"\n{CAUTION}")
