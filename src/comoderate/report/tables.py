"""Tables from frames: which columns, in which order, with what remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from comoderate.plots import number, percent, share, statistic_name
from comoderate.plots.arrays import distinguishing, varying
from comoderate.report.blocks import Cell, Head, Table
from comoderate.report.sentences import reading_of, reads_twice
from comoderate.report.words import (
    METRICS,
    STATISTIC_TERMS,
    estimate,
    is_missing,
    is_percentage,
    metric_name,
    text_of,
    whole,
)

if TYPE_CHECKING:
    import pandas as pd

FEW, FEW_POSTS = "few labels", "few posts"
_KEYS = ("target", "sample", "cohort", "unit", "domain", "group")
_NAMES = {"cohort": "Labels of", "unit": "Counted", "domain": "By", "group": "Group", "truth": "Measured against"}


def _head(name: str) -> Head:
    return Head(_NAMES.get(name, name.replace("_", " ").capitalize()))


def _remark(row: pd.Series[Any]) -> str:
    """What a reader must know about one estimate: few labels, and why an interval is doubtful."""
    doubts = [] if is_missing(row["value"]) else [text_of(row["reason"])]
    few = [FEW] if "few" in row and bool(row["few"]) else []
    return "; ".join(word for word in (*few, *doubts) if word)


def lookup(frame: pd.DataFrame | None, column: str) -> tuple[list[str], Mapping[tuple[str, ...], float]]:
    """The keys of a frame of known shares, and its values by them."""
    if frame is None:
        return [], {}
    keys = [key for key in _KEYS if key in frame]
    names = zip(*(frame[key].astype(str) for key in keys))
    return keys, dict(zip(names, frame[column].astype(float)))


def beside(frame: pd.DataFrame, other: pd.DataFrame | None, column: str) -> list[float]:
    """For each estimate the known share of the same target, domain and group (and sample, …), NaN where none is."""
    keys, values = lookup(other, column)
    if not keys:
        return [float("nan")] * len(frame)
    return [values.get(tuple(map(str, row)), float("nan")) for row in frame[keys].itertuples(index=False)]


def prevalence(
    frame: pd.DataFrame, known: Mapping[str, Sequence[float]], *, caption: str, folded: bool = False
) -> Table:
    """Shares with intervals; ``known`` are named columns of shares to print beside them."""
    series = distinguishing(frame, ("sample", "cohort", "unit"))
    keys = [*varying(frame, ("group", "domain")), *series] or ["group"]
    shown = {name: values for name, values in known.items() if any(v == v for v in values)}
    rows = []
    for position, (_, row) in enumerate(frame.iterrows()):
        cells = [Cell(text_of(row[key])) for key in keys]
        cells += [Cell(estimate(row), _remark(row), numeric=True), Cell(whole(row["n"]), numeric=True)]
        cells += [_known(row, values[position]) for values in shown.values()]
        rows.append(cells)
    head = [*map(_head, keys), Head("Share, with interval", "prevalence"), Head("Labels", "label")]
    return Table(caption, [*head, *map(Head, shown)], rows, _methods(frame), folded)


def _known(row: pd.Series[Any], value: float) -> Cell:
    """A known share, and a remark where the estimate's interval misses it."""
    if is_missing(value):
        return Cell("not known")
    missed = bool(value < row["low"] or value > row["high"])
    return Cell(percent(value), "outside the interval" if missed else "", numeric=True)


def _methods(frame: pd.DataFrame) -> list[str]:
    """How the estimates of a table were made, once each."""
    methods = dict.fromkeys(text_of(m) for m in frame["method"] if text_of(m))
    return [f"How made: {'; '.join(methods)}."] if methods else []


def agreement(frame: pd.DataFrame, *, caption: str = "Agreement between raters", folded: bool = False) -> Table:
    """A row a question and cohort, a column a statistic, and a plain reading."""
    statistics = list(dict.fromkeys(frame["statistic"].astype(str)))
    rows = []
    for (question, cohort), part in frame.groupby(["question", "cohort"], sort=False, dropna=False, observed=True):
        by_statistic = {str(row["statistic"]): row for _, row in part.iterrows()}
        values = [_metric_cell(by_statistic.get(s), s) for s in statistics]
        few = FEW_POSTS if "few" in part and part["few"].any() else ""
        remarks = {"n_items": few, "n_annotations": "", "n_raters": ""}
        counts = [Cell(whole(part[name].max()), remark, numeric=True) for name, remark in remarks.items()]
        rows.append([Cell(text_of(question)), Cell(text_of(cohort)), *values, Cell(reading_of(part)), *counts])
    names = [statistic_name(s) for s in statistics]
    values_heads = [Head(name, STATISTIC_TERMS.get(name.partition(", ")[0], "")) for name in names]
    head = [Head("Question"), Head("Raters", "cohort"), *values_heads, Head("In plain words")]
    counted = [Head("Posts with two answers"), Head("Answers"), Head("Number of raters")]
    return Table(caption, [*head, *counted], rows, _methods(frame), folded)


def scorers(frame: pd.DataFrame, *, caption: str, folded: bool = False) -> Table:
    """A row a scorer (and group, where there are several), a column a metric."""
    keys = [*varying(frame, ("group",)), "scorer"]
    held = set(frame["metric"])
    metrics = [m for m in METRICS if m in held and m != "prevalence"]
    metrics += [m for m in dict.fromkeys(frame["metric"]) if m not in METRICS]
    frame = frame[frame["metric"] != "prevalence"]
    rows = []
    for _, part in frame.groupby(keys, sort=False, dropna=False, observed=True):
        by_metric = {row["metric"]: row for _, row in part.iterrows()}
        first = part.iloc[0]
        cells = [_metric_cell(by_metric.get(metric), metric) for metric in metrics]
        lead = [_scorer(first[key]) if key == "scorer" else Cell(text_of(first[key])) for key in keys]
        rows.append([*lead, *cells, Cell(whole(part["n"].max()), FEW if part["few"].any() else "", numeric=True)])
    terms = [Head(metric_name(m), METRICS[m][1] if m in METRICS else "") for m in metrics]
    return Table(caption, [*map(_head, keys), *terms, Head("Labels", "label")], rows, _methods(frame), folded)


def _scorer(name: Any) -> Cell:
    """A scorer, its version under its name."""
    scorer, _, version = text_of(name).partition("@")
    return Cell(scorer, f"version {version}" if version else "")


def _metric_cell(row: pd.Series[Any] | None, metric: str) -> Cell:
    if row is None:
        return Cell("not measured")
    doubt = "" if is_missing(row["value"]) else text_of(row["reason"])
    return Cell(estimate(row, percentage=is_percentage(metric)), doubt, numeric=True)


def review(frame: pd.DataFrame, *, caption: str) -> Table:
    """A row a scorer, strategy and review fraction, a column a metric."""
    metrics = [m for m in METRICS if m in set(frame["metric"])]
    keys, twice = [*varying(frame, ("scorer",)), "strategy", "review_fraction"], reads_twice(frame)
    rows = []
    for _, part in frame.groupby(keys, sort=False, dropna=False, observed=True):
        by_metric = {row["metric"]: row for _, row in part.iterrows()}
        first = part.iloc[0]
        lead = [_scorer(first[key]) if key == "scorer" else Cell(text_of(first[key])) for key in keys[:-1]]
        shares = ("review_fraction", "posts_read") if twice else ("review_fraction",)
        lead += [Cell(share(float(part[name].iloc[0])), numeric=True) for name in shares]
        rows.append([*lead, *[_metric_cell(by_metric.get(metric), metric) for metric in metrics]])
    terms = [Head(metric_name(m), METRICS[m][1]) for m in metrics]
    read = Head("Posts read", "review-fraction")
    lead_heads = [*map(_head, keys[:-1]), *([Head("Readings, of all posts"), read] if twice else [read])]
    return Table(caption, [*lead_heads, *terms], rows, _methods(frame), folded=True)


def phases(frame: pd.DataFrame) -> Table:
    """What each phase drew, its strata added up."""
    rows = []
    for (sample, phase), part in frame.groupby(["sample", "phase"], sort=False, dropna=False, observed=True):
        counts = [part[name].sum(min_count=1) for name in ("N", "in_hand", "drawn")]
        numbers = [Cell(whole(value), numeric=True) for value in (len(part), *counts)]
        rows.append([Cell(str(sample)), Cell(str(phase)), *numbers])
    head = [Head("Sample"), Head("Phase"), Head("Strata", "stratum"), Head("Posts there were")]
    return Table("What each phase drew", [*head, Head("In hand"), Head("Drawn")], rows)


def plain(caption: str, frame: pd.DataFrame, *, folded: bool = False) -> Table:
    """Any frame as it is; the columns value, low and high become one."""
    merged = {"value", "low", "high"} <= set(frame.columns)
    names = [str(c) for c in frame.columns if not (merged and c in ("low", "high"))]
    rows = [[_plain_cell(row, name, merged) for name in names] for _, row in frame.iterrows()]
    return Table(caption, [_head(name) for name in names], rows, folded=folded)


def _plain_cell(row: pd.Series[Any], name: str, merged: bool) -> Cell:
    value = row[name]
    if merged and name == "value":
        ends = [float("nan") if is_missing(row[end]) else float(row[end]) for end in ("low", "high")]
        return Cell("undefined" if is_missing(value) else number(float(value), *ends), numeric=True)
    if is_missing(value):
        return Cell("–")
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return Cell({True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value))
    return Cell(whole(value) if float(value).is_integer() else number(float(value)), numeric=True)


def share_text(value: object) -> str:
    """A share as a percentage, or 'unknown'."""
    return "unknown" if is_missing(value) else percent(float(str(value)))


def number_text(value: object) -> str:
    """A number with sensible digits, or 'unknown'."""
    return "unknown" if is_missing(value) else number(float(str(value)))
