"""What the report says of where scorers fail: a section for each scorer whose surface is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate.plots import Band, BandDisplay, Display, HeatmapDisplay, QuantileDisplay
from comoderate.report import ReportSection
from comoderate.study import making_surface, surfaces
from comoderate.study.making_surface import SurfaceResult
from comoderate.study.surface_tables import About, grid_table, is_rate, measure_of, widest_pair
from comoderate.study.surface_wording import amount, change, change_with_interval, percent, value_with_interval

if TYPE_CHECKING:
    from comoderate.study.study import Study

SHOWN = 10
"""Arms in the first table; the others are in the file that the section names."""

MOST_CELLS = 600
"""Larger grids are left out: no page holds them."""


def surface_sections(study: Study) -> list[ReportSection]:
    """The sections of all reported scorers that have a surface; arms without a single label say nothing."""
    names = [n for n in making_surface.reported(study) if study.artefacts.record(f"surface:{n}") is not None]
    found = {name: making_surface.read(study, name) for name in names}
    return [surface_section(result, chosen=len(surfaces.proposed(study, name)) > 0) for name, result in found.items()]


def surface_section(result: SurfaceResult, *, chosen: bool) -> ReportSection:
    """One scorer's surface: words, the weakest arms, effects, and figures.

    ``chosen``: whether assessment chose some of the labelled posts.
    """
    arms, about = result.arms, result.about
    title = f"Where “{about.scorer}” fails"
    if not about.labels:
        return ReportSection(title=title, sentences=result.sentences)
    note = f"All combinations: surface/{about.scorer}/arms.csv."
    if chosen:
        note = (
            "Posts that were chosen to make this picture sharper are random within their combination. They say what "
            f"each combination is like, and no estimate of how much there is uses them. {note}"
        )
    tables = [("Combinations of attributes, the surest weak ones first", _arms(result))]
    effects = result.effects[result.effects["order"] == 1]
    tables.append(("Single values", _effects(effects, about.loss)))
    pairs = result.effects[(result.effects["order"] == 2) & result.effects["sure"]]
    if len(pairs):
        tables.append(("Pairs of values that surely differ from what the two alone would give", _pairs(pairs, about)))
    tables += _changes(result)
    return ReportSection(
        title=title,
        sentences=[*result.sentences, *result.changed, note],
        in_short=result.sentences[0],
        tables=tables,
        figures=list(_figures(result, arms)),
    )


def _arms(result: SurfaceResult) -> pd.DataFrame:
    """The first arms, and whether each is among those that are surely worse."""
    about = result.about
    shown = result.arms[result.arms["counts"]].head(SHOWN)
    measure = measure_of(about.loss)
    ends = zip(shown["value"], shown["low"], shown["high"], strict=True)
    said: dict[str, Any] = {"of all posts": shown["share"].map(percent), "labels": shown["labels"]}
    said[measure] = [value_with_interval(*row, about.loss) for row in ends]
    if shown["here"].notna().all() and (shown["labels"] < shown["posts"]).any():
        here = zip(shown["here"], shown["here_low"], shown["here_high"], strict=True)
        said["of these posts"] = [value_with_interval(*row, about.loss) for row in here]
    said["jointly"] = shown["named"].map({True: "surely worse than the mean", False: ""})
    return shown[[*about.attributes, "posts"]].assign(**said)


def _effects(effects: pd.DataFrame, loss: str) -> pd.DataFrame:
    """Values of single attributes, the worst first."""
    shown = effects.sort_values("difference", ascending=not is_rate(loss), kind="stable").head(SHOWN)
    said: dict[str, Any] = {
        "of all posts": shown["share"].map(percent),
        measure_of(loss): [amount(value, loss) for value in shown["value"]],
        "against the mean": [change(*row, loss) for row in zip(shown["difference"], shown["reach"], strict=True)],
        "jointly": shown["sure"].map({True: "surely", False: ""}),
    }
    return shown[["attributes", "values"]].rename(columns={"attributes": "attribute", "values": "value"}).assign(**said)


def _pairs(effects: pd.DataFrame, about: About) -> pd.DataFrame:
    """Pairs of values, those first that matter to most posts."""
    strength = effects["difference"] ** 2 * effects["share"]
    return _effects(effects.loc[strength.sort_values(ascending=False).index[:SHOWN]], about.loss).rename(
        columns={"against the mean": "beyond the two values", "attribute": "attributes", "value": "values"}
    )


def _changes(result: SurfaceResult) -> list[tuple[str, pd.DataFrame]]:
    """A table for each comparison: the arms that changed most surely, for the worse or the better."""
    if result.drift is None:
        return []
    found, loss = [], result.about.loss
    for against, arms in result.drift.groupby("against", sort=False):
        surest = (arms["worse"] - 0.5).abs().sort_values(ascending=False, kind="stable").index
        shown = arms.loc[surest[:SHOWN]]
        ends = zip(shown["change"], shown["low"], shown["high"], strict=True)
        said: dict[str, Any] = {
            "labels before, after": [
                f"{a:.0f}, {b:.0f}" for a, b in zip(shown["labels_before"], shown["labels_after"], strict=True)
            ],
            "before": [amount(value, loss) for value in shown["before"]],
            "after": [amount(value, loss) for value in shown["after"]],
            "change": [change_with_interval(*row, loss) for row in ends],
            "jointly": shown["surely"].map({"worse": "surely worse", "better": "surely better", "": ""}),
        }
        table = shown[[*result.about.attributes, "posts"]].assign(**said)
        found.append((f"{measure_of(loss).capitalize()} {against}, the surest changes first", table))
    return found


def _figures(result: SurfaceResult, arms: pd.DataFrame) -> list[Display]:
    about = result.about
    found: list[Display] = []
    measure, counted = measure_of(about.loss), arms[arms["counts"]]
    if len(counted) > 1:
        title = f"{measure[0].upper()}{measure[1:]} over combinations of attributes, the worst first"
        values = {about.scorer: counted["value"]}
        found.append(QuantileDisplay(values, title=title, value_label=measure, high_is_worse=is_rate(about.loss)))
    pair = widest_pair(arms, about.attributes)
    if pair is not None and arms[pair[0]].nunique() * arms[pair[1]].nunique() <= MOST_CELLS:
        found.append(grid_display(arms, *pair, measure=measure))
    if len(result.curve) > 1:
        found.append(curve_display(result.curve, measure))
    return found


def grid_display(arms: pd.DataFrame, rows: str, columns: str, *, measure: str) -> HeatmapDisplay:
    """Two attributes against each other; cells without a label of their own are in brackets."""
    cells = grid_table(arms, rows, columns)
    value = cells.pivot(index=rows, columns=columns, values="value").sort_index()
    bare = cells.pivot(index=rows, columns=columns, values="labels").reindex_like(value).eq(0)
    title = f"{measure[0].upper()}{measure[1:]} by {rows} and {columns}"
    return HeatmapDisplay(
        value.to_numpy(dtype=float), list(value.index), list(value.columns), row_label=rows, column_label=columns,
        few=bare.to_numpy(dtype=bool), value_label=measure, title=title,
    )  # fmt: skip


def curve_display(curve: pd.DataFrame, measure: str) -> BandDisplay:
    """Expected error and half the width of intervals against labels."""
    labels = curve["labels"]
    bands = [
        Band("expected error of a combination", labels, curve["error"]),
        Band("half the width of its interval", labels, curve["width"] / 2),
    ]
    return BandDisplay(
        bands, x_label="labels", y_label=f"{measure}, ± points", y_percent=True,
        title="How well the combinations are known, by number of labels",
    )  # fmt: skip
