"""The run: which worlds, which sizes, in which order, and the page that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from comoderate.errors import ComoderateError
from comoderate.papers import results
from comoderate.papers.accuracy_surface import corrections, experiments, pages, readers, worlds
from comoderate.papers.accuracy_surface.estimators import CORRECTIONS, NAMES, OURS
from comoderate.papers.accuracy_surface.worlds import World
from comoderate.papers.benchmark import Run

__all__ = ["CORRECTIONS", "DATA", "TITLE", "sections", "seeds"]

TITLE = "Accuracy surfaces (Piratla et al. 2021): published beside measured"

EXPLORERS = (
    (OURS, "error_reduction"), (OURS, "random"), ("Beta-I", "variance"), ("BetaGP", "variance"),
    ("BetaGP-SLP", "variance"),
)  # fmt: skip
"""Whose uncertainty chooses what is labelled, and how (Figure 4)."""

ATTRIBUTED, CORRECTED = "smooth", "hatecheck"
"""On which worlds attributes are predicted (Figure 5), and corrections turned off."""


@dataclass(frozen=True)
class Setting:
    """How much is run.

    Attributes:
        table: labels of Table 2.
        sizes: labels of Figure 3.
        stop: labels at the end of exploration.
        batch: labels a round; 12 as published.
        explored: worlds of Figure 4.
        calibrated: labels of Figure 5.
    """

    table: int
    sizes: tuple[int, ...]
    stop: int
    batch: int
    explored: tuple[str, ...]
    calibrated: tuple[int, ...]


SMALL = Setting(2000, (500, 1000, 2000), 1200, 100, ("smooth", "hatecheck"), (500, 1000, 2000, 3000))
FULL = Setting(
    2000, (500, 1000, 1500, 2000, 2500, 3000, 3500), 3500, 12,
    ("smooth", "rough", "pockets", "hatecheck", "madlibs", "flights-by-month", "flights-by-hour", "celeba"),
    tuple(range(500, 3501, 250)),
)  # fmt: skip


def seeds(small: bool) -> tuple[int, ...]:
    """Three, as published, or ten."""
    return tuple(range(3 if small else 10))


DATA = ("smooth", "rough", "pockets", "hatecheck", "madlibs", "flights-by-month", "flights-by-hour", "celeba")


def _worlds(run: Run) -> list[Callable[[int], World | None]]:
    """A maker for each world; only the made-up ones differ by seed."""
    made = [partial(_synthetic, kind) for kind in DATA[:3] if run.wants(kind)]
    real: dict[str, Callable[[], World | None]] = {
        "hatecheck": partial(readers.hatecheck, run),
        "madlibs": partial(readers.madlibs, run),
        "flights-by-month": partial(readers.flights, run, ("carrier", "origin", "month")),
        "flights-by-hour": partial(readers.flights, run, ("carrier", "origin", "hour")),
        "celeba": partial(readers.celeba, run),
    }
    kept = [reader() for name, reader in real.items() if run.wants(name)]
    return [*made, *(partial(_same, world) for world in kept if world is not None)]


def _synthetic(kind: str, seed: int) -> World:
    return worlds.synthetic(kind, seed=seed)


def _same(world: World, seed: int) -> World:
    return world


def sections(run: Run) -> Sequence[results.Section]:
    """Run what is not there yet, and arrange the results.

    Raises:
        ComoderateError: none of the data sets asked for is there.
    """
    setting = SMALL if run.options.small else FULL
    rows: list[dict[str, Any]] = []
    curves: list[dict[str, Any]] = []
    calibrated: list[dict[str, Any]] = []
    made: dict[str, list[World]] = {}
    for make in _worlds(run):
        for seed in run.seeds:
            world = make(seed)
            if world is None:
                continue
            made.setdefault(world.name, []).append(world)
            run.data[world.name] = world.what
            rows += _estimation(run, world, setting, seed)
            if world.name in setting.explored:
                curves += _exploration(run, world, setting, seed)
            if world.name == ATTRIBUTED:
                calibrated += _calibration(run, world, setting, seed)
    if not made:
        raise ComoderateError(
            "none of the data sets is here", where=run.options.data,
            do="; ".join(f"{name}: {why}" for name, why in run.missing.items()),
        )  # fmt: skip
    shapes = [own[0] for own in made.values()]
    judged = CORRECTED if CORRECTED in made else shapes[0].name
    changed = [*_corrections(run, made[judged], setting, rows), *_attributes(run, made, setting, calibrated)]
    found = pages.Found(shapes, rows, curves, calibrated, changed, judged)
    return pages.arrange(found, labels=setting.table, off=corrections.missing(run.corrected))


def _corrections(
    run: Run, made: Sequence[World], setting: Setting, rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """What the corrections change on one world, for the first few seeds; nothing where all are off."""
    if not run.corrected - {corrections.ATTRIBUTES}:
        return []
    found = []
    for seed, world in list(zip(run.seeds, made, strict=False))[: corrections.SEEDS]:
        own = [one for one in rows if (one["world"], one["seed"], one["labels"]) == (world.name, seed, setting.table)]
        table = {one["estimator"]: one for one in own}
        if table:
            found += list(corrections.rows(run, world, setting.table, seed, table))
    return found


def _attributes(
    run: Run, made: Mapping[str, Sequence[World]], setting: Setting, calibrated: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The same for the calibration of attributes."""
    found = []
    for seed, world in list(zip(run.seeds, made.get(ATTRIBUTED, ()), strict=False))[: corrections.SEEDS]:
        curve = next(one for one in calibrated if (one["kind"], one["seed"]) == ("full", seed))
        found += list(corrections.attribute_rows(run, world, setting.calibrated, seed, curve))
    return found


def _estimation(run: Run, world: World, setting: Setting, seed: int) -> list[dict[str, Any]]:
    found = []
    sizes = list(experiments.label_sizes(world, sorted({*setting.sizes, setting.table})))
    for labels in sizes:
        for name in NAMES:
            own = {"world": world.what, "estimator": name, "labels": labels, "seed": seed, **_key(run)}
            row = run.cells.get(
                f"estimation/{world.name}-{labels}-{name}-{seed}", own,
                partial(experiments.estimation, world, name, labels, seed=seed, corrected=run.corrected),
            )  # fmt: skip
            found.append({"world": world.name, "estimator": name, "labels": labels, "seed": seed, **row})
    return found


def _exploration(run: Run, world: World, setting: Setting, seed: int) -> list[dict[str, Any]]:
    found = []
    stop = min(setting.stop, 2 * len(world.correct) // 3)
    for name, strategy in EXPLORERS:
        own = {
            "world": world.what, "estimator": name, "strategy": strategy, "stop": stop, "batch": setting.batch,
            "seed": seed, **_key(run),
        }  # fmt: skip
        curve = run.cells.get(
            f"exploration/{world.name}-{name}-{strategy}-{seed}", own,
            partial(
                experiments.exploration, world, name, strategy, start=500, stop=stop, batch=setting.batch, seed=seed,
                corrected=run.corrected,
            ),
        )  # fmt: skip
        found.append({"world": world.name, "estimator": name, "strategy": strategy, "seed": seed, **curve})
    return found


def _calibration(run: Run, world: World, setting: Setting, seed: int) -> list[dict[str, Any]]:
    found = []
    for kind in experiments.KINDS:
        own = {"world": world.what, "kind": kind, "sizes": list(setting.calibrated), "seed": seed, **_key(run)}
        curve = run.cells.get(
            f"calibration/{world.name}-{kind}-{seed}", own,
            partial(
                experiments.calibration, world, kind, setting.calibrated, start=500, seed=seed, corrected=run.corrected
            ),
        )  # fmt: skip
        found.append({"world": world.name, "kind": kind, "seed": seed, **curve})
    return found


def _key(run: Run) -> dict[str, Any]:
    return {"corrected": sorted(run.corrected)}
