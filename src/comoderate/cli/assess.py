"""``comoderate assess``: where a scorer fails, and which posts to label next to know it better."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from comoderate.cli.common import AsJson, StudyPath, open_study, show_json, show_table, split

if TYPE_CHECKING:
    import pandas as pd

    from comoderate.study import Study
    from comoderate.study.drifting import Drifted
    from comoderate.study.making_surface import SurfaceResult

NAME = "assess"


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    scorer: Annotated[
        str | None, typer.Option("--scorer", help="The scorer; by default the one that is reviewed, or the first.")
    ] = None,
    next_posts: Annotated[
        int | None, typer.Option("--next", min=0, help="Posts to label next; by default as [assess] says.")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="Take in answers: a CSV of post_id, answer and perhaps rater.")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            "--strategy", help="What chooses arms: error_reduction, worst_error_reduction, variance, uniform or random."
        ),
    ] = None,
    rows: Annotated[int, typer.Option("--rows", min=1, help="Arms to print, the surest weak ones first.")] = 15,
    by: Annotated[str, typer.Option("--by", help="Print two attributes against each other: NAME,NAME.")] = "",
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss", help="Print error, false_positive, false_negative, brier or a column; proposes no posts."
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Print what changed since a day (YYYY-MM-DD); proposes no posts.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option("--against", help="Print what changed since another scorer, or NAME@VERSION; proposes no posts."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say where a scorer fails, and propose posts to label next.

    Each call is a round: it takes answers in, fits the accuracy surface again, and writes the posts that are worth
    most to surface/SCORER/to_label.csv. Fill in its column "answer" and give it back with --answers.
    """
    from comoderate.study.assessing import scorer_of

    opened = open_study(context, study)
    name = scorer or scorer_of(opened)
    if since is not None or against is not None:
        _drift(opened, opened.surface_drift(name, date=since, other=against, loss=loss), loss, rows, as_json)
    elif by:
        _grid(opened, name, split(by), loss, as_json)
    elif loss is not None:
        found = opened.surface(name, loss=loss)
        _surface(found, rows, as_json)
    else:
        _round(opened, name, next_posts, answers, strategy, rows, as_json)


def _round(
    study: Study, name: str, size: int | None, answers: Path | None, strategy: str | None, rows: int, as_json: bool
) -> None:
    found = study.assess(name, size=size, answers=answers, strategy=strategy)
    if as_json:
        content = {
            "about": asdict(found.surface.about), "said": found.surface.sentences, "next": found.sentences,
            "answers": found.answers, "new": found.new, "known": found.known, "counted": found.counted,
            "reached": found.reached, "file": str(found.path), "batch": found.batch.to_dict("records"),
            "arms": found.surface.arms.to_dict("records"),
        }  # fmt: skip
        show_json(content)
        return
    if answers is not None:
        typer.echo(f"{found.answers:,} answers read, {found.new:,} of them new\n")
    _surface(found.surface, rows, False)
    typer.echo("")
    for text in found.sentences:
        typer.echo(text)


def _surface(found: SurfaceResult, rows: int, as_json: bool) -> None:
    from comoderate.study.surface_wording import value_with_interval

    arms = found.arms
    if as_json:
        show_json({"about": asdict(found.about), "said": found.sentences, "arms": arms.to_dict("records")})
        return
    for text in found.sentences:
        typer.echo(text)
    if not arms["labels"].any():
        return
    typer.echo("")
    shown = arms.head(rows)
    ends = [value_with_interval(a, b, c, found.about.loss) for a, b, c in _values(shown)]
    named = shown["named"].map({True: "yes", False: ""})
    shown = shown.assign(estimate=ends, sure=named, traffic=[f"{100 * share:.1f} %" for share in shown["share"]])
    columns = {"arm": "arm", "posts": "posts", "traffic": "of all", "labels": "labels", "estimate": "value (interval)"}
    if shown["here"].notna().all():
        here = zip(shown["here"], shown["here_low"], shown["here_high"], strict=True)
        shown = shown.assign(exact=[value_with_interval(*row, found.about.loss) for row in here])
        columns["exact"] = "of these posts"
    show_table(shown, False, columns={**columns, "sure": "surely worse"})
    if len(arms) > rows:
        typer.echo(f"… and {len(arms) - rows:,} more arms")


def _values(arms: pd.DataFrame) -> list[tuple[float, float, float]]:
    return list(zip(arms["value"], arms["low"], arms["high"], strict=True))


def _grid(study: Study, name: str, attributes: tuple[str, ...], loss: str | None, as_json: bool) -> None:
    from comoderate.study.surface_wording import loss_of, plain

    if len(attributes) != 2:
        raise typer.BadParameter("name two attributes: --by NAME,NAME")
    table = study.surface_grid(name, attributes[0], attributes[1], loss=loss)
    if as_json:
        show_json(table.to_dict("records"))
        return
    bare = table["labels"].eq(0).map({True: " ?", False: ""})
    table, bare = table[table["value"].notna()], bare[table["value"].notna()]
    cells = table.assign(cell=[plain(value, loss or loss_of(study)) for value in table["value"]] + bare)
    first, second = attributes
    wide = cells.pivot(index=first, columns=second, values="cell").fillna("").reset_index()
    show_table(wide, False)
    typer.echo("\n?: no label of its own")


def _drift(study: Study, found: Drifted, loss: str | None, rows: int, as_json: bool) -> None:
    from comoderate.study.surface_wording import change_with_interval, loss_of, plain

    table = found.arms
    if as_json:
        content = {"said": found.sentences, "whole": found.whole.as_dict(), "covered": found.covered}
        show_json({**content, "before": found.before, "after": found.after, "arms": table.to_dict("records")})
        return
    for text in found.sentences:
        typer.echo(text)
    typer.echo("")
    shown = table.head(rows)
    ends = zip(shown["change"], shown["low"], shown["high"], strict=True)
    meant = loss or loss_of(study)
    changes = [change_with_interval(*row, meant) for row in ends]
    shares = {name: [plain(v, meant) for v in shown[name]] for name in ("before", "after")}
    shares["worse"] = [plain(v, "error") for v in shown["worse"]]
    shown = shown.assign(points=changes, **shares)
    shown = shown.astype({"labels_before": int, "labels_after": int})
    columns = {"arm": "arm", "labels_before": "labels before", "labels_after": "labels after", "before": "before"}
    columns |= {"after": "after", "points": "change (interval)", "worse": "chance worse", "surely": "surely"}
    show_table(shown, False, columns=columns)
    if len(table) > rows:
        typer.echo(f"… and {len(table) - rows:,} more arms")
