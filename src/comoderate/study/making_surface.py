"""Making a scorer's surface: what the folder ``surface/<scorer>`` holds, and how it is read again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from comoderate import __version__
from comoderate.corpus import atomic_path, read_frame, write_frame
from comoderate.errors import ComoderateError
from comoderate.study import drifting, surface_tables, surfaces, weak_card
from comoderate.study.arms import predicted_of, scorers_of, surface_settings
from comoderate.study.artefacts import digest
from comoderate.study.surface_tables import About
from comoderate.study.surface_wording import surface_sentences
from comoderate.study.surfaces import Assessed, Fitted
from comoderate.surface import LogisticNormal, ScalePoints

if TYPE_CHECKING:
    from comoderate.study.study import Study

LAYOUT = 5
"""Of the tables and of the estimator: what an older Comoderate wrote with another one is made anew."""

TABLES = ("arms", "effects", "curve")
"""The tables of a surface, each a Parquet file; the arms also as CSV, worst first."""

ANEW = 1.5
"""Scales are learned anew when labels have grown by this factor since they were; in between they are kept."""


DRIFT = "drift.parquet"
"""What changed, where a surface is compared with another."""


class SurfaceResult(NamedTuple):
    """A surface as stored: its tables, what it is of, and what it says in words.

    ``changed`` says what changed, ``drift`` has a row for each arm and comparison (column ``against``); None where the
    surface is compared with nothing.
    """

    arms: pd.DataFrame
    effects: pd.DataFrame
    curve: pd.DataFrame
    about: About
    sentences: list[str]
    changed: tuple[str, ...] = ()
    drift: pd.DataFrame | None = None


def folder_of(study: Study, scorer: str) -> Path:
    """Where a scorer's surface is."""
    return study.folder / "surface" / scorer


def fit(study: Study, scorer: str, *, loss: str | None = None, warm: bool = False) -> Fitted:
    """The surface of a scorer, fitted to what is labelled now.

    ``warm``: with the scales of the last fit, where labels have grown little since; what it says then depends a little
    on when scales were last learned.
    """
    found = surfaces.assessed(study, scorer, loss=loss)
    kept = _remembered(study, found) if warm else None
    if kept is None:
        return surfaces.fit(study, found)
    order, points, name = kept
    table = found.table
    return Fitted(found, LogisticNormal(order=order).settle(points, table.arms, table.n, table.c), name)


def describe(study: Study, fitted: Fitted, *, curve: pd.DataFrame | None = None) -> SurfaceResult:
    """Tables and words for a fitted surface.

    Args:
        study: for its settings.
        fitted: as :func:`fit` gives it; its estimator is fitted again, to parts of the labels, where ``curve`` is None.
        curve: errors and widths of earlier rounds.
    """
    own = surface_settings(study)
    found, surface, name = fitted
    asked: dict[str, Any] = {"level": own.level, "min_posts": own.min_posts}
    arms = surface_tables.arms_table(found, surface, **asked)
    effects = surface_tables.effects_table(found, surface)
    told, belief = surface_tables.powered(found, level=own.level), found.arms.belief
    uncertain: dict[str, Any] = {}
    if belief is not None:
        uncertain = {"calibration": belief.calibration, "assignment": belief.assignment, "known": belief.known}
        uncertain["hit"] = belief.hit if np.isfinite(belief.hit) else None
    value, low, high = surface_tables.overall(found, surface, level=own.level)
    about = About(
        scorer=found.scorer, version=found.version, target=found.target, cohort=found.cohort, loss=found.loss,
        estimator=name, attributes=tuple(found.arms.encoder.names), posts=len(found.arms.post_id),
        labels=int(found.known.sum()), value=value, low=low, high=high,
        power=None if told is None else told.power, predicted=predicted_of(study.settings), **uncertain, **asked,
    )  # fmt: skip
    if curve is None and name == "aaa":  # it would be fitted six times more, at half a minute each
        curve = pd.DataFrame([surface_tables.progress(found, surface, **asked)])
    elif curve is None:
        curve = surface_tables.curve_table(found, surface, seed=study.settings.study.seed, **asked)
    return SurfaceResult(arms, effects, curve, about, surface_sentences(arms, effects, about))


def make(study: Study, scorer: str) -> dict[str, Any]:
    """Fit the surface of a scorer and write all that it says; gives a summary."""
    fitted = fit(study, scorer)
    scales = scales_of(fitted)  # before the curve, which fits the estimator to parts of the labels
    history = rounds(study, scorer)
    result = describe(study, fitted, curve=history if len(history) > 1 else None)
    return write(study, _compared(study, result), scales)


def _compared(study: Study, result: SurfaceResult) -> SurfaceResult:
    """With what changed since what the study compares it with."""
    scorer = result.about.scorer
    found = [drifting.drifted(study, scorer, **arguments) for arguments in drifting.asked(study, scorer)]
    if not found or not result.about.labels:
        return result
    table = pd.concat([one.arms.assign(against=one.against) for one in found], ignore_index=True)
    return result._replace(changed=tuple(text for one in found for text in one.sentences), drift=table)


def write(study: Study, result: SurfaceResult, scales: dict[str, Any]) -> dict[str, Any]:
    """Write a surface's tables, the arms as CSV too, and last the summary that makes it whole."""
    folder = folder_of(study, result.about.scorer)
    for name in TABLES:
        write_frame(getattr(result, name), folder / f"{name}.parquet", {"version": __version__})
    with atomic_path(folder / "arms.csv") as temporary:
        result.arms.to_csv(temporary, index=False, float_format="%.6g")
    if result.drift is not None:
        write_frame(result.drift, folder / DRIFT, {"version": __version__})
    about = asdict(result.about)
    with atomic_path(folder / "surface.json") as temporary:
        content = {"about": about, "said": result.sentences, "changed": result.changed, "scales": scales}
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    weak_card.tell(study.folder, result.arms, result.about)
    named = int(result.arms["named"].sum())
    return {
        "arms": len(result.arms),
        "labels": result.about.labels,
        "estimator": result.about.estimator,
        "named": named,
    }


def read(study: Study, scorer: str, *, loss: str | None = None) -> SurfaceResult:
    """A surface as it was last made; or, for another loss than the study's, made now and not stored.

    Raises:
        ComoderateError: it was never made.
    """
    if loss not in {None, surface_settings(study).loss}:
        return describe(study, fit(study, scorer, loss=loss))
    folder, content = folder_of(study, scorer), _content(study, scorer)
    if not content:
        raise ComoderateError(f"there is no surface of {scorer!r} yet", where=folder, do="run `comoderate assess`")
    told: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in content["about"].items()}
    about = About(**told)
    arms, effects, curve = (read_frame(folder / f"{name}.parquet") for name in TABLES)
    changed = tuple(content.get("changed", ()))
    drift = read_frame(folder / DRIFT) if changed else None
    return SurfaceResult(arms, effects, curve, about, list(content["said"]), changed, drift)


def reported(study: Study) -> tuple[str, ...]:
    """The scorers whose surfaces stand in the report: those of ``[surface]``; none without that table."""
    s = study.settings
    if s.surface is None:
        return ()
    return s.surface.scorers or tuple(name for name, own in s.scorer.items() if own.compare)


def scores_of(study: Study, scorer: str) -> tuple[str, ...]:
    """The scores that a scorer's surface is made from: its own, its attributes', those it is compared with."""
    own = study.settings.surface
    named = [] if own is None else [*scorers_of(study.settings), *([] if own.against is None else [own.against])]
    return tuple(f"scores:{name}" for name in dict.fromkeys([scorer, *named]))


def sample_of(study: Study, scorer: str) -> str:
    """The artefact of the sample whose labels a scorer's surface may use."""
    return f"sample:{study.sample_for(surfaces.cohort_of(study, study.target_of(scorer)))}"


def grid(result: SurfaceResult, rows: str, columns: str) -> pd.DataFrame:
    """A surface by two of its attributes: a row a pair of values, with value, posts and labels.

    Raises:
        ComoderateError: one of them is no attribute of the surface.
    """
    for name in (rows, columns):
        if name not in result.about.attributes:
            listed = ", ".join(result.about.attributes)
            raise ComoderateError(f"there is no attribute of the surface {name!r}", do=f"it has: {listed}")
    return surface_tables.grid_table(result.arms, rows, columns)


def rounds(study: Study, scorer: str) -> pd.DataFrame:
    """How well the arms were known after each round of assessment: labels, error, width, arms, known, at."""
    path = folder_of(study, scorer) / "rounds.parquet"
    return read_frame(path) if path.exists() else pd.DataFrame({"labels": [], "error": [], "width": [], "arms": []})


def key(study: Study, scorer: str) -> list[Any]:
    """What a surface follows from besides its inputs."""
    s = study.settings
    asked = surfaces.proposed(study, scorer)["post_id"].tolist()
    own = surface_settings(study).model_dump(exclude={"scorers"})
    return [LAYOUT, own, s.evaluate.truth, digest(asked), s.study.seed, drifting.earlier_version(study, scorer)]


def _content(study: Study, scorer: str) -> dict[str, Any]:
    path = folder_of(study, scorer) / "surface.json"
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return found


def scales_of(fitted: Fitted) -> dict[str, Any]:
    """The scales that a fit learned, for the next; empty for estimators without."""
    if not isinstance(fitted.surface, LogisticNormal):
        return {}
    points = fitted.surface.points_
    return {
        "layout": LAYOUT,
        "order": fitted.surface.order,
        "centre": points.centre.tolist(),
        "points": points.points.tolist(),
        "weights": points.weights.tolist(),
        "labels": int(fitted.found.known.sum()),
    }


def _remembered(study: Study, found: Assessed) -> tuple[int, ScalePoints, str] | None:
    """Order, scales and name of the last fit, where this one is of the same thing with not many more labels."""
    content = _content(study, found.scorer)
    scales, about = content.get("scales"), content.get("about", {})
    same = (about.get("loss"), about.get("attributes")) == (found.loss, found.arms.encoder.names)
    wanted = surface_settings(study).estimator in {"auto", "logistic_normal"}
    latent = found.arms.belief is not None and found.arms.belief.assignment == "em"
    if not scales or scales.get("layout") != LAYOUT or not same or not wanted or latent or found.known.sum() == 0:
        return None
    before = int(scales["labels"])
    if not before <= found.known.sum() < ANEW * before:
        return None
    points = ScalePoints(*(np.array(scales[name], dtype=np.float64) for name in ("centre", "points", "weights")))
    return int(scales["order"]), points, str(about["estimator"])
