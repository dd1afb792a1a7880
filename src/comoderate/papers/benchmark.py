"""One command a paper: what all three share."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from comoderate.errors import ComoderateError
from comoderate.papers import both_ways, results
from comoderate.papers.cells import Cells
from comoderate.study.stages import Listener, Silent

PAPERS: dict[str, str] = {
    "collaboration": "Kivlichan et al. 2021: measuring and improving model–moderator collaboration",
    "troll-patrol": "Delisle et al. 2019: a large-scale crowdsourced analysis of abuse against women",
    "accuracy-surface": "Piratla et al. 2021: active assessment of prediction services as accuracy surface",
}
"""The papers, by the name of their command."""

ABOVE = 0.7
"""The share of raters above which a comment of CivilComments is toxic, as published."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What to run.

    Attributes:
        data: the folder with data sets, a subfolder each.
        out: where results go; cells that are there already are kept.
        small: the setting that two cores finish within the hour; else the paper's own sizes.
        seeds: of repetitions; empty: as many as the setting says.
        as_published: names of corrections to turn off.
        only: names of data sets to run on; empty: all that are there.
        above: share of raters above which a comment with soft labels is toxic.
        figures: whether the page has figures.
        listener: hears how work goes on.
    """

    data: Path
    out: Path
    small: bool = True
    seeds: tuple[int, ...] = ()
    as_published: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    above: float = ABOVE
    figures: bool = True
    listener: Listener = field(default_factory=Silent)


@dataclass
class Run:
    """A run under way: its options, its cells, and what it notes about its data.

    Attributes:
        options: what was asked.
        cells: the results so far.
        seeds: of repetitions.
        corrected: the corrections that are on.
        data: what was used: name → what it is, and how many rows.
        missing: what was not: name → why.
    """

    options: Options
    cells: Cells
    seeds: tuple[int, ...]
    corrected: frozenset[str]
    data: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def wants(self, name: str) -> bool:
        """Whether a data set is to be run on."""
        return not self.options.only or name in self.options.only

    def file(self, name: str) -> Path | None:
        """The path of a file in the folder of data; None, and a note, where it is not there."""
        path = self.options.data / name
        if path.is_file():
            return path
        self.missing[name] = "no such file in the folder of data"
        return None


class Paper(Protocol):
    """What the module of a paper offers."""

    TITLE: str
    CORRECTIONS: Mapping[str, str]
    DATA: Sequence[str]

    def seeds(self, small: bool) -> tuple[int, ...]:
        """The seeds of a setting."""

    def sections(self, run: Run) -> Sequence[results.Section]:
        """Run what is not there yet, and arrange the results."""


def paper(name: str) -> Paper:
    """The module of a paper.

    Raises:
        ComoderateError: no such paper.
    """
    if name not in PAPERS:
        raise ComoderateError(f"there is no benchmark {name!r}", do=f"name one of {', '.join(PAPERS)}")
    module: Any = import_module(f"comoderate.papers.{name.replace('-', '_')}")
    return module  # type: ignore[no-any-return]


def run(name: str, options: Options) -> Path:
    """Reproduce a paper; gives the path of the page with the results.

    Raises:
        ComoderateError: an unknown paper or correction, or no data at all.
    """
    own = paper(name)
    unknown = sorted(options.as_published - own.CORRECTIONS.keys())
    if unknown:
        raise ComoderateError(f"there is no correction {unknown[0]!r}", do=f"{name} has: {', '.join(own.CORRECTIONS)}")
    strange = sorted(options.only - set(own.DATA))
    if strange:
        raise ComoderateError(f"there is no data set {strange[0]!r}", do=f"{name} has: {', '.join(own.DATA)}")
    if not 0 <= options.above < 1:
        raise ComoderateError("the share of raters is not from 0 to below 1", do="give --toxic-above such a number")
    if not options.data.is_dir():
        raise ComoderateError("there is no such folder", where=options.data, do="name the folder of data with --data")
    corrected = frozenset(own.CORRECTIONS) - options.as_published
    seeds = options.seeds or own.seeds(options.small)
    this = Run(options, Cells(options.out / "cells", options.listener), seeds, corrected)
    sections = own.sections(this)
    facts = {
        "paper": name, "mode": "small" if options.small else "full", "seeds": list(seeds), "data": this.data,
        "missing": this.missing, "machine": _machine(), "versions": _versions(),
        "corrections": {one: {"on": one in corrected, "what": what} for one, what in own.CORRECTIONS.items()},
    }  # fmt: skip
    return results.write(
        options.out, own.TITLE, facts, [*_beside(facts, options.out, sections), *sections], figures=options.figures
    )


def _beside(facts: Mapping[str, Any], out: Path, sections: Sequence[results.Section]) -> list[results.Section]:
    """Of a run without any correction: what that changes, where the corrected run lies in the folder around its own."""
    corrected = both_ways.run_of(out.parent)
    if corrected is None or not both_ways.comparable(corrected, facts):
        return []
    tables = {one.name: one.table for one in sections if one.table is not None}
    return [both_ways.section(both_ways.tables_of(out.parent), tables, (corrected, facts))]


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def _versions() -> dict[str, str]:
    found = {}
    for name in ("comoderate", "numpy", "scipy", "scikit-learn", "torch", "transformers", "gpytorch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
