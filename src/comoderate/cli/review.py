"""``comoderate review``: advice on moderators' time, the queue, thresholds, decisions and what they measure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comoderate.cli.common import AsJson, Force, StudyPath, interval, open_study, show_json, show_table, split

if TYPE_CHECKING:
    import pandas as pd

    from comoderate.study import Study

NAME = "review"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    queue: Annotated[
        int, typer.Option("--queue", min=0, help="Print so many posts of the queue instead of advice.")
    ] = 0,
    curves: Annotated[bool, typer.Option("--curves", help="Print what review buys at every share read.")] = False,
    by: Annotated[
        str, typer.Option("--by", help="Print load and remaining mistakes by attributes, comma-separated.")
    ] = "",
    thresholds: Annotated[
        bool, typer.Option("--thresholds", help="Print thresholds for acting without reading, outcomes and costs.")
    ] = False,
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", help="Add moderators' decisions: a CSV of post_id, decision, moderator."),
    ] = None,
    audit: Annotated[
        bool, typer.Option("--audit", help="Print the share of positives by the audit, apart from the queue's.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Say how moderators' time is best used, and make the queue.

    Compares review strategies on the labelled posts, at the study's capacity and objective, and says which to use and
    by how much it is better.
    """
    opened = open_study(context, study)
    if decisions is not None:
        _decide(opened, decisions, as_json)
    elif audit:
        _audit(opened, as_json)
    elif by:
        _groups(opened.review_groups(split(by)), as_json)
    elif thresholds:
        opened.advise(force=force)
        _thresholds(opened, as_json)
    else:
        table = opened.review(force=force)
        if queue:
            show_table(opened.queue().head(queue), as_json)
        elif curves:
            _curves(opened, table, as_json)
        else:
            _advice(opened, as_json)


def _advice(study: Study, as_json: bool) -> None:
    from comoderate.study.review_wording import advice_sentences, base_rate_sentences

    advice, crossings, groups = study.advise(), study.result("crossings"), study.result("review_groups")
    rates = study.result("base_rate")
    told = [*advice_sentences(advice, crossings), *base_rate_sentences(rates)]
    if as_json:
        tables = {"advice": advice, "crossings": crossings, "groups": groups, "base_rate": rates}
        show_json({"said": told, **{name: table.to_dict("records") for name, table in tables.items()}})
        return
    for text in told:
        typer.echo(text)
    if len(advice):
        shown = interval(advice[advice["metric"] != "tenth_more"], digits=4)
        wide = shown.pivot(index="strategy", columns="metric", values="estimate")
        wide = wide.loc[shown["strategy"].drop_duplicates()].reset_index()
        base = str(advice["baseline"].iloc[0])
        typer.echo("")
        columns = {"strategy": "strategy", "value": f"{advice['objective'].iloc[0]} (interval)"}
        show_table(wide, False, columns={**columns, "gain": f"more than {base} (interval)"})
    if len(groups):
        typer.echo("")
        _groups(groups, False)
    _queue_size(study)


def _groups(table: pd.DataFrame, as_json: bool) -> None:
    if as_json or table.empty:
        show_table(table, as_json)
        return
    shown = interval(table)
    keys = ["domain", "group"]
    wide = shown.pivot(index=keys, columns="metric", values="estimate").reset_index()
    columns = {"domain": "by", "group": "group", "load": "read", "load_share": "of all readings"}
    columns |= {"error_before": "wrong before", "error_after": "wrong after"}
    show_table(wide, False, columns=columns)


def _curves(study: Study, table: pd.DataFrame, as_json: bool) -> None:
    if as_json:
        show_json(table.to_dict("records"))
        return
    columns = {"target": "target", "truth": "truth", "scorer": "scorer", "strategy": "strategy"}
    from comoderate.report.sentences import reads_twice

    if reads_twice(table):
        columns |= {"review_fraction": "readings, of all posts", "posts_read": "posts read"}
    else:
        columns |= {"review_fraction": "posts read"}
    columns |= {"metric": "metric", "estimate": "value (interval)"}
    if len(table):
        show_table(interval(table), False, columns=columns)
    _queue_size(study)


def _queue_size(study: Study) -> None:
    from comoderate.study.queueing import emptiness, queue_path, queued

    found = queued(study) or {"posts": 0, "readings": 0}
    readings = f" for {found['readings']:,} readings" if found["readings"] != found["posts"] else ""
    posts = "post" if found["posts"] == 1 else "posts"
    typer.echo(f"\nqueue: {found['posts']:,} {posts}{readings} in {queue_path(study.folder)}")
    why = emptiness(study)
    if why:
        typer.echo(why)


def _thresholds(study: Study, as_json: bool) -> None:
    tables = {name: study.result(name) for name in ("thresholds", "outcomes", "costs", "stream")}
    if as_json:
        show_json({name: table.to_dict("records") for name, table in tables.items()})
        return
    found = tables["thresholds"]
    if found.empty:
        typer.echo("No threshold is sought: set min_precision or max_false_positive_rate under [review].")
    else:
        columns = ["target", "scorer", "domain", "group", "act_above", "precision", "precision_low"]
        columns += ["false_positive_rate", "false_positive_rate_high", "n", "reason"]
        heads = {"domain": "by", "act_above": "act above", "precision_low": "at least", "n": "labels", "reason": "note"}
        heads |= {"false_positive_rate": "negatives hit", "false_positive_rate_high": "at most"}
        typer.echo(f"Acting without reading is sought where {_bound(study)}.\n")
        never = found["act_above"].map(lambda value: "never" if value == float("inf") else f"{value:.4f}")
        show_table(found.assign(act_above=never), False, columns={name: heads.get(name, name) for name in columns})
    if len(tables["outcomes"]):
        typer.echo("")
        shown = interval(tables["outcomes"].assign(reason=None))
        wide = shown.pivot(index=["target", "plan"], columns="metric", values="estimate")
        order = shown[["target", "plan"]].drop_duplicates()
        wide = wide.loc[list(order.itertuples(index=False, name=None))].reset_index()
        heads = {"automatic_precision": "right when acting", "missed_rate": "missed of left"}
        names = ["target", "plan", "acted", "reviewed", "left", "automatic_precision", "recall", "missed_rate"]
        show_table(wide, False, columns={name: heads.get(name, name) for name in [*names, "accuracy"]})
    for name in ("costs", "stream"):
        if len(tables[name]):
            typer.echo("")
            shown = tables[name].dropna(axis="columns", how="all")
            whole = {one: shown[one].round().astype("int64") for one in _COUNTS if one in shown}
            heads = {str(name): _HEADS.get(str(name), str(name).replace("_", " ")) for name in shown}
            show_table(shown.assign(**whole), False, columns=heads)


def _bound(study: Study) -> str:
    """What is promised of acting without reading, as [review] has it."""
    own, parts = study.settings.review, []
    if own.min_precision is not None:
        parts.append(f"at least {own.min_precision:.4g} of the posts are positive")
    if own.max_false_positive_rate is not None:
        parts.append(f"at most {own.max_false_positive_rate:.4g} of the negative posts are hit")
    return f"{' and '.join(parts)}, with {own.level:.4g} confidence"


_HEADS = {
    "per_day": "read a day", "mean_wait": "mean wait (days)", "longest_wait": "longest wait (days)",
    "most_waiting": "most waiting (posts)",
}  # fmt: skip
_COUNTS = ("acted", "reviewed", "missed", "wrongly_removed")
"""Columns of posts, which are expected numbers: shown whole."""


def _decide(study: Study, path: Path, as_json: bool) -> None:
    counts = study.import_decisions(path)
    if as_json:
        show_json(counts._asdict())
        return
    typer.echo(
        f"{counts.decisions:,} decisions: {counts.audit:,} on audit posts, {counts.queue:,} on posts that the strategy"
        f" chose; {counts.appended:,} new, {counts.withdrawn:,} replaced"
    )


def _audit(study: Study, as_json: bool) -> None:
    table = study.audit()
    if as_json:
        show_json(table.to_dict("records"))
        return
    if table.empty:
        typer.echo("There are no decisions yet: import some with --decisions FILE.")
        return
    columns = {"target": "target", "slice": "posts of", "posts": "decided", "estimate": "positive (interval)"}
    show_table(interval(table.assign(reason=None)), False, columns={**columns, "says": "which is"})
