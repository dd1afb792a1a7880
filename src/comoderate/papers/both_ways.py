"""What turning all corrections off changes: two runs of a paper beside each other, from the tables that they wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from comoderate.papers.claims import told
from comoderate.papers.results import Section

Tables = Mapping[str, pd.DataFrame]
TITLE = "What turning all corrections off changes"
KEYS = ["where", "quantity"]
HEADS = {"published": "the paper, or the truth"}
CLAIM = ["claim", "where", "measure"]
WIKI, CIVIL = "testing environment", "deployment environment"
_PREDICTION = {"auroc": "AUROC", "auprc": "AUPRC", "accuracy": "accuracy", "brier": "Brier score", "ece": "ECE"}
_GROUPS = {"all models": "", "Monte Carlo dropout": "Monte Carlo dropout", "SNGP": "SNGP"}
_PAIR = {"oracle_collaborative_auroc": "OC-AUROC", "review_efficiency": "review efficiency"}
_READ = 0.05


NOTES = {
    "troll-patrol": "Three ratings a post instead of up to six also change which posts the experts are given, and "
    "leave fewer doubtful posts on which two raters were asked for the type: both move agreement.",
    "collaboration": "Monte Carlo dropout makes one pass, and SNGP is trained with the other precision matrix; the "
    "other networks are the same. Where labels are known only as 0 and 1 the label rule changes nothing.",
    "accuracy-surface": "Errors change by how the estimators are fitted, coverage also by what the intervals are "
    "compared with: the accuracy in general, or the mean of this pool.",
}


class Number(NamedTuple):
    """A headline number of a run.

    Attributes:
        where: the data, or the environment.
        quantity: in words.
        value: of the run.
        paper: what the paper published, or the truth where that is known; NaN: nothing.
    """

    where: str
    quantity: str
    value: float
    paper: float = float("nan")


def tables_of(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables of a run, by name."""
    return {path.stem: pd.read_csv(path) for path in sorted((folder / "tables").glob("*.csv"))}


def run_of(folder: Path) -> dict[str, Any] | None:
    """What was run in a folder; None where no run has ended there."""
    path = folder / "run.json"
    found: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    return found


def comparable(corrected: Mapping[str, Any] | None, published: Mapping[str, Any]) -> bool:
    """Whether one run has all corrections on, the other none, and they are of one paper and setting."""
    if corrected is None or any((corrected[name] != published[name]) for name in ("paper", "mode")):
        return False
    on, off = (any(one["on"] for one in run["corrections"].values()) for run in (corrected, published))
    return on and not off


def section(
    corrected: Tables, published: Tables, runs: tuple[Mapping[str, Any], Mapping[str, Any]], *, page: str = ""
) -> Section:
    """The part of a page: headline numbers of both runs, then the claims that come out otherwise.

    Args:
        corrected: the tables of a run with all corrections.
        published: the tables of one without any.
        runs: what was run, of both.
        page: a link to the page of the run without corrections.
    """
    numbers = HEADLINES[str(runs[0]["paper"])]
    seeds = [seed for seed in runs[0]["seeds"] if seed in runs[1]["seeds"]]
    on, off = (
        _frame(numbers({name: _of(table, seeds) for name, table in one.items()})) for one in (corrected, published)
    )
    both = on.merge(off, on=KEYS, suffixes=("", " off"), sort=False)
    full = both[KEYS].assign(
        **{"corrected": both["value"], "as published": both["value off"], "published": both["paper"]}
    )
    shown = full[KEYS].copy()
    for name in ("corrected", "as published", "published"):
        shown[HEADS.get(name, name)] = [None if pd.isna(value) else f"{value:.3f}" for value in full[name]]
    sentences = [
        f"The same command with `--as-published`: every correction at the head of the page turned off at once{page}. "
        "The headline numbers of both runs; last what the paper published or, of a simulated campaign's share, the "
        "truth.",
        NOTES[str(runs[0]["paper"])], *_seeds(runs), *_otherwise(corrected["claims"], published["claims"]),
    ]  # fmt: skip
    return Section(TITLE, sentences, "both-ways", full, shown)


def _frame(numbers: Iterator[Number]) -> pd.DataFrame:
    return pd.DataFrame(list(numbers), columns=list(Number._fields))


def _of(table: pd.DataFrame, seeds: Sequence[int]) -> pd.DataFrame:
    """The rows of some seeds, of a table that tells them apart."""
    return table[table["seed"].isin(seeds)] if "seed" in table else table


def _seeds(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which repetitions are compared, where the two runs have different ones."""
    on, off = (", ".join(map(str, run["seeds"])) for run in runs)
    if on == off:
        return []
    return [f"The corrected run has the seeds {on}, the one as published {off}; numbers are means over those of both."]


def _otherwise(corrected: pd.DataFrame, published: pd.DataFrame) -> list[str]:
    """The claims whose verdict changes, an item each."""
    both = corrected.merge(published, on=CLAIM, suffixes=("", " off"), sort=False)
    changed = both[both["verdict"] != both["verdict off"]]
    if changed.empty:
        return [f"None of the {len(both)} verdicts on the paper's claims changes."]
    lines = []
    for row in changed.to_dict("records"):
        on, off = (
            f"{told(row['difference' + end], row['low' + end], row['high' + end])} *{row['verdict' + end]}*"
            for end in ("", " off")
        )
        lines.append(f"- {row['claim']}, {row['where']}, {row['measure']}: corrected {on}, as published {off}.")
    head = f"Of {len(both)} verdicts on the paper's claims {len(changed)} come out otherwise:"
    return [head, "\n".join(lines)]


# ------------------------------------------------------------------ headline numbers


def _collaboration(tables: Tables) -> Iterator[Number]:
    for name, where in (("test", WIKI), ("deployment", CIVIL)):
        table = tables.get(f"table-1-{name}")
        if table is None:
            continue
        for metric, words in _PREDICTION.items():
            for group, start in _GROUPS.items():
                own = table[(table["metric"] == metric) & table["model"].str.startswith(start)]
                yield Number(where, f"{words}, {group}", own["value"].mean(), own["published"].mean())
        curves = tables[f"curves-{name}"]
        for metric, words in _PAIR.items():
            for strategy in ("uncertainty", "toxicity"):
                kept = (curves["metric"] == metric) & (curves["strategy"] == strategy)
                own = curves[kept & (curves["review_fraction"] == _READ)]
                what = f"{words} at {100 * _READ:g} % read by {strategy}, all models"
                yield Number(where, what, own["value"].mean(), own["published"].mean())


def _troll_patrol(tables: Tables) -> Iterator[Number]:
    agreement = tables["table-1"]
    for campaign in [
        name for name in agreement.columns if name not in ("question", "statistic", "raters", "published")
    ]:
        for row in agreement.to_dict("records"):
            what = f"{row['statistic']} of {row['raters']} on the {row['question']}"
            yield Number(campaign, what, row[campaign], row["published"])
    for cohort in ("volunteers", "experts"):
        for row in tables[f"table-2-{cohort}"].to_dict("records"):
            if row["classifier"].startswith("Model of the campaign"):
                what = f"average precision of the campaign's model against {cohort}"
                yield Number(row["campaign"], what, row["average_precision"], row["average_precision published"])
    for row in tables["estimates"].to_dict("records"):
        yield Number(row["campaign"], f"share {row['target']} by {row['cohort']}", row["value"], row["truth"])


def _accuracy_surface(tables: Tables) -> Iterator[Number]:
    """Means over the seeds that the tables have, each at the most labels that a world has."""
    figures: list[tuple[str, list[str], dict[str, str]]] = [
        ("figure-3", ["world", "estimator"],
         {"worst": "{estimator}, error of the 50 worst arms", "coverage": "{estimator}, 95 % intervals cover"}),
        ("figure-4", ["world", "estimator", "strategy"],
         {"macro": "{estimator}, labels chosen by {strategy}: macro error at the last"}),
        ("figure-5", ["calibration"], {"macro": "Beta-I, {calibration}: macro error at the last label"}),
    ]  # fmt: skip
    for name, keys, measures in figures:
        if name not in tables:
            continue
        for _, own in tables[name].groupby(keys, sort=False):
            last = own[own["labels"] == own["labels"].max()]
            words = {key: str(last[key].iloc[0]).replace("_", " ") for key in keys}
            for measure, quantity in ((one, words_of) for one, words_of in measures.items() if one in own):
                where = words.get("world", "predicted attributes")
                yield Number(where, quantity.format_map(words), float(last[measure].mean()))


HEADLINES: dict[str, Callable[[Tables], Iterator[Number]]] = {
    "collaboration": _collaboration, "troll-patrol": _troll_patrol, "accuracy-surface": _accuracy_surface,
}  # fmt: skip
