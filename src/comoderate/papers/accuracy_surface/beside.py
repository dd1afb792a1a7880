"""What the paper published beside what was measured here: its services and ours, a row each, in the same columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from comoderate.papers.facts import published
from comoderate.papers.results import Section

LABELS = 2000
"""Labels at which the paper's services are compared, as read from its plots; beyond the first 500 in Figure 4."""
LAST = {"estimation": LABELS, "exploration": LABELS, "calibration": 4000}


class Here(NamedTuple):
    """What was measured here for one of the paper's figures.

    Attributes:
        kind: of the published numbers.
        title: of the part of the page.
        methods: the columns, in the paper's order; each is compared with the one before it.
        errors: by world, then by method.
        sentences: what the numbers are, and why they differ.
    """

    kind: str
    title: str
    methods: tuple[str, ...]
    errors: Mapping[str, Mapping[str, float]]
    sentences: Sequence[str]


def published_savings(kind: str, better: str, worse: str) -> str:
    """How much of an error one method saves of another's on the paper's services, in words; empty where unknown."""
    table = _paper(kind)
    if not {better, worse} <= set(table.columns):
        return ""
    return _range(1 - table[better] / table[worse]) + f" on its {len(table)} services"


def section(here: Here) -> Section:
    """The part of a page: the paper's services, then ours."""
    own = pd.DataFrame.from_dict({world: dict(values) for world, values in here.errors.items()}, orient="index")
    methods = [name for name in here.methods if name in own.columns]
    paper = _paper(here.kind)[methods]
    both = pd.concat([paper.assign(source="published"), own[methods].assign(source="here")])
    full = both.rename_axis("service").reset_index()[["source", "service", *methods]]
    shown = full.round(2)
    told = []
    for worse, better in pairwise(methods):
        gain = 1 - full[better] / full[worse]
        shown[f"{better} saves of {worse}"] = [f"{100 * one:+z.0f} %" for one in gain]
        there, mine = gain[full["source"] == "published"], gain[full["source"] == "here"]
        told.append(f"{better} saves {_range(there)} of {worse}'s error in the paper, and {_range(mine)} here.")
    return Section(here.title, [*here.sentences, " ".join(told)], f"beside-{here.kind}", full, shown)


def _paper(kind: str) -> pd.DataFrame:
    """A row a service, a column a method."""
    rows = pd.DataFrame(published("accuracy_surface")[kind])
    return rows[rows["labels"] == LAST[kind]].pivot_table(index="service", columns="method", values="value", sort=False)


def _range(gain: Any) -> str:
    values = np.round(100 * np.asarray(gain, dtype=np.float64)).astype(int)
    low, high = int(values.min()), int(values.max())
    return f"{low} %" if low == high else f"{low} to {high} %"
