"""``comoderate evaluate``: prevalence, and scorers side by side."""

from __future__ import annotations

from pathlib import Path

import typer

from comoderate.cli.common import AsJson, By, Force, StudyPath, interval, open_study, show_json, show_table, split

NAME = "evaluate"


def command(
    context: typer.Context, study: StudyPath = Path(), by: By = "", force: Force = False, as_json: AsJson = False
) -> None:
    """Estimate prevalence and compare scorers.

    Against the labels of each cohort in turn, weighted to the real stream, with intervals.
    """
    opened = open_study(context, study)
    groups = split(by) or None
    prevalence, evaluation = opened.estimate(by=groups, force=force), opened.evaluate(by=groups, force=force)
    if as_json:
        show_json(
            {
                "prevalence": prevalence.to_dict("records"),
                "evaluation": evaluation.to_dict("records"),
                "units": opened.result("units").to_dict("records"),
            }
        )
        return
    columns = {"target": "target", "sample": "sample", "cohort": "labels by", "domain": "by", "group": "group"}
    columns |= {"unit": "share of", "n": "labels"}
    show_table(interval(prevalence), False, columns={**columns, "estimate": "share (interval)"})
    units = opened.result("units")
    if len(others := units[(units["unit"] != "posts") & (units["domain"] == "all")]):
        typer.echo("")
        show_table(interval(others), False, columns={**columns, "estimate": "share (interval)"})
    for sample, what in prevalence.drop_duplicates("sample")[["sample", "estimand"]].itertuples(index=False):
        typer.echo(f"sample {sample}: estimates of {what}")
    typer.echo("")
    columns = {"target": "target", "truth": "truth", "scorer": "scorer", "domain": "by", "group": "group"}
    if len(evaluation):
        show_table(interval(evaluation), False, columns={**columns, "metric": "metric", "estimate": "value (interval)"})
