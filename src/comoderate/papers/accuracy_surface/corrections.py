"""What the corrections of the paper change: the same labelled examples, with corrections turned off one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from comoderate.papers.accuracy_surface import experiments
from comoderate.papers.accuracy_surface.estimators import CORRECTIONS, NAMES, OURS
from comoderate.papers.accuracy_surface.worlds import World
from comoderate.papers.benchmark import Run
from comoderate.papers.claims import saved, told
from comoderate.papers.results import Section

Row = dict[str, Any]
WHOLE = "BetaGP-SLP"
"""The paper's whole method, from which corrections are taken one by one."""
NONE, ALL = "none: as corrected", "all: as published"
SEEDS = 3
ATTRIBUTES = "attributes-on-labels"


def rows(run: Run, world: World, labels: int, seed: int, corrected: Mapping[str, Row]) -> Iterator[Row]:
    """Errors of a world's estimators with corrections turned off: estimator, off, seed and the errors.

    The paper's whole method loses its corrections one by one, the other estimators all at once.

    Args:
        run: whose cells are used.
        world: on which it is.
        labels: of Table 2.
        seed: of the labelled set.
        corrected: the errors with the run's own corrections, by estimator.
    """
    for name in NAMES:
        yield {"estimator": name, "off": NONE, "seed": seed, **corrected[name]}
    single = [one for one in sorted(run.corrected) if one != ATTRIBUTES]
    wanted = [(WHOLE, one, run.corrected - {one}) for one in single]
    wanted += [(name, ALL, frozenset()) for name in NAMES if name != OURS]
    for name, off, left in wanted if single else ():
        own = {"world": world.what, "estimator": name, "labels": labels, "seed": seed, "corrected": sorted(left)}
        make = partial(experiments.estimation, world, name, labels, seed=seed, corrected=left)
        cell = f"corrections/{world.name}-{name}-{off.partition(':')[0]}-{seed}"
        yield {"estimator": name, "off": off, "seed": seed, **run.cells.get(cell, own, make)}


def attribute_rows(
    run: Run, world: World, sizes: Sequence[int], seed: int, corrected: Mapping[str, Sequence[float]]
) -> Iterator[Row]:
    """The same for the calibration of attributes, at the last label.

    Args:
        run: whose cells are used.
        world: whose attributes are predicted.
        sizes: numbers of labelled examples.
        seed: of labels and attribute models.
        corrected: the curve of Cal:Full with the run's own corrections.
    """
    if ATTRIBUTES not in run.corrected:
        return
    own = {"world": world.what, "kind": "full", "sizes": list(sizes), "seed": seed, "corrected": []}
    make = partial(
        experiments.calibration, world, "full", sizes, start=500, seed=seed, corrected=run.corrected - {ATTRIBUTES}
    )
    found = run.cells.get(f"corrections/{world.name}-{ATTRIBUTES}-{seed}", own, make)
    for off, curve in ((NONE, corrected), (ATTRIBUTES, found)):
        yield {"estimator": "Beta-I, Cal:Full", "off": off, "seed": seed, **_last(curve)}


def _last(curve: Mapping[str, Sequence[float]]) -> Row:
    return {"macro": curve["macro"][-1], "worst": curve["worst"][-1]}


def section(found: Sequence[Row], *, where: str, labels: int, off: Collection[str]) -> Section:
    """The part of the page.

    Args:
        found: rows of :func:`rows` and :func:`attribute_rows`.
        where: on which world.
        labels: of the estimators.
        off: corrections that the run itself went without.
    """
    frame = pd.DataFrame(found)
    full, shown = [], []
    for (estimator, turned_off), part in frame.groupby(["estimator", "off"], sort=False):
        base = frame[(frame["estimator"] == estimator) & (frame["off"] == NONE)].set_index("seed")["macro"]
        mean = part[["macro", "worst", "coverage"]].mean()
        key = {"estimator": estimator, "turned off": turned_off}
        here = part.set_index("seed")["macro"]
        change = saved(base.loc[here.index], here)
        full.append({**key, **mean, "saved": change.value, "low": change.low, "high": change.high})
        interval = told(change.value, change.low, change.high, share=True)
        shown.append(
            {
                **key, "macro error": round(float(mean["macro"]), 2), "50 worst arms": round(float(mean["worst"]), 2),
                "95 % intervals cover": round(float(mean["coverage"]), 2),
                "the correction saves": None if turned_off == NONE else interval,
            }
        )  # fmt: skip
    sentences = [
        f"On {where}, {labels:,} random labels, the same with and without, mean over seeds; how much of the macro "
        f"error a correction saves, with a 95 % interval over seeds. {WHOLE}, the paper's whole method, loses its "
        "corrections one by one, the others all at once; Comoderate's own surface has none of the paper's flaws to "
        "correct. The last rows are the calibration of attributes of Figure 5.",
        "What each name means stands at the head of the page"
        + (f"; off in the whole run: {', '.join(off)}." if off else "."),
    ]
    return Section("What the corrections change", sentences, "corrections", pd.DataFrame(full), pd.DataFrame(shown))


def missing(corrected: Collection[str]) -> list[str]:
    """The corrections that a run goes without."""
    return [name for name in CORRECTIONS if name not in corrected]
