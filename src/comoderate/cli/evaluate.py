"""``comoderate evaluate``: prevalence, who receives it, and scorers side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comoderate.cli.common import AsJson, By, Force, StudyPath, interval, open_study, show_json, show_table, split

if TYPE_CHECKING:
    import pandas as pd

NAME = "evaluate"
ROWS = 12
TABLES = ("units", "assisted", "risks", "concentration")
EveryRow = Annotated[bool, typer.Option("--all", help=f"Show every row of tables with more than {ROWS}.")]


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    by: By = "",
    force: Force = False,
    every: EveryRow = False,
    as_json: AsJson = False,
) -> None:
    """Estimate prevalence and compare scorers.

    Against the labels of each cohort in turn, weighted to the real stream, with intervals; prevalence with a scorer's
    help, who receives it and how unevenly, where the study has attributes or people.
    """
    opened = open_study(context, study)
    groups = split(by) or None
    found = {
        "prevalence": opened.estimate(by=groups, force=force),
        "evaluation": opened.evaluate(by=groups, force=force),
        **{name: opened.result(name) for name in TABLES},
    }
    if as_json:
        show_json({name: table.to_dict("records") for name, table in found.items()})
        return
    prevalence, units = found["prevalence"], found["units"]
    columns = {"target": "target", "sample": "sample", "cohort": "labels of", "domain": "by", "group": "group"}
    columns |= {"unit": "share of", "n": "labels", "estimate": "share (interval)"}
    show_table(interval(prevalence), False, columns=columns)
    more(units[(units["unit"] != "posts") & (units["domain"] == "all")], columns, every=True)
    for sample, what in prevalence.drop_duplicates("sample")[["sample", "estimand"]].itertuples(index=False):
        typer.echo(f"sample {sample}: estimates of {what}")
    _analysis(found, every)
    columns = {"target": "target", "truth": "truth", "scorer": "scorer", "domain": "by", "group": "group"}
    more(found["evaluation"], {**columns, "metric": "metric", "estimate": "value (interval)"}, every=True)


def _analysis(found: Mapping[str, pd.DataFrame], every: bool) -> None:
    """Prevalence with a scorer's help, who receives it, and what the most abused receive."""
    labels = {"target": "target", "sample": "sample", "cohort": "labels of"}
    helped = {"scorer": "with the help of", "estimate": "share (interval)", "width": "width (labels alone: 1)"}
    assisted = found["assisted"]
    more(assisted[assisted["scorer"] != ""], {**labels, **helped}, every)
    ratio = {"target": "target", "unit": "of", "domain": "by", "group": "group"}
    ratio |= {"estimate": "times as likely as others", "adjusted": "adjusted p (Holm)"}
    more(found["risks"].sort_values("adjusted", kind="stable"), ratio, every)
    most = {"target": "target", "most": "most abused", "people": "of people", "estimate": "share received (interval)"}
    more(found["concentration"], {**most, "even": "if all alike"}, every)


def more(table: pd.DataFrame, columns: Mapping[str, str], every: bool) -> None:
    """A further table after an empty line, if it has rows: the first :data:`ROWS`, or every one."""
    if table.empty:
        return
    typer.echo("")
    show_table(interval(table if every else table.head(ROWS)), False, columns=columns)
    if len(table) > ROWS and not every:
        typer.echo(f"{len(table) - ROWS:,} more rows: --all shows them")
