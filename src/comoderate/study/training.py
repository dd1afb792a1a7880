"""Training a scorer on the study's labels, so that a run that was broken off goes on where it was."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate import __version__
from comoderate.errors import CannotTrainError, ComoderateError
from comoderate.study import crossfit
from comoderate.study.artefacts import digest
from comoderate.study.crossfit import Material, Workshop

if TYPE_CHECKING:
    from comoderate.study.settings import ScorerSettings
    from comoderate.study.study import Study

LANGUAGES = ("language", "lang")
"""Attributes that are taken to say a post's language."""
OF_ENCODERS = ("encoder", "troll_patrol")


def model(study: Study, name: str, *, target: str, sample: str) -> dict[str, Any]:
    """Train a scorer without each fold in turn; gives its card."""
    s = study.settings
    own = s.scorer[name]
    card: dict[str, Any] = {"name": name, "kind": own.kind, "target": target, "comoderate": __version__}
    options: dict[str, Any] = dict(own.options)
    if own.kind == "lexicon":
        options["words"] = list(own.words)
    material = Material.none()
    if own.learns:
        cohort = own.cohort or study.cohort_of(target)
        table = _labelled(study, name, own, target, sample, cohort)
        material = _material(study, own, table)
        card |= {
            "sample": sample, "cohort": cohort, "labels": "soft" if own.soft else "majority", "weighted": own.weighted,
            "posts": len(table), "positives": round(float(table["y"].sum())), "seed": s.study.seed,
        }  # fmt: skip
    workshop = Workshop(
        _folder(study, name, options, material), lambda line: study.listener.note(f"model:{name}", line)
    )
    fitted = crossfit.train(own.kind, options, material, seed=s.study.seed, only=own.folds, workshop=workshop)
    version = crossfit.save(fitted, study.folder / "models" / name, card)
    _clear(study, name)
    warnings = _languages(study, own)
    return {**card, "version": version, **({"warnings": warnings} if warnings else {})}


def _labelled(study: Study, name: str, own: ScorerSettings, target: str, sample: str, cohort: str) -> pd.DataFrame:
    """The posts to train on, in the order of the posts.

    Raises:
        CannotTrainError: labels of one class, or none.
    """
    table = study.labelled_with_warnings(target, sample, cohort, soft=own.soft).frame
    table = table[(table["weight"] > 0) & (table["fold"].isin(own.folds) if own.folds else True)]
    classes = table["y"].nunique()
    if classes < 2:
        what = "no labelled post" if classes == 0 else "labels of one class only"
        raise CannotTrainError(
            f"scorer {name!r} cannot be trained: sample {sample!r} has {what} for target {target!r} by {cohort}",
            do="label more posts, or train on another sample",
        )
    return table.reset_index(drop=True)


def _material(study: Study, own: ScorerSettings, table: pd.DataFrame) -> Material:
    weight = table["weight"].to_numpy(dtype=np.float64) if own.weighted else np.ones(len(table))
    group = study.folds().set_index("post_id")["group"].reindex(table["post_id"])
    return Material(
        texts=_texts(study, table["post_id"]),
        y=table["y"].to_numpy(dtype=np.float64),
        weight=weight / weight.mean(),
        fold=table["fold"].to_numpy(dtype=np.int64),
        group=group.to_numpy(dtype=object),
    )


def _texts(study: Study, post_ids: pd.Series) -> list[str]:
    if "text" not in study.posts().columns:
        raise ComoderateError("the posts have no text to train on", do="use recorded scores")
    frame = post_ids.to_frame().merge(study.posts().frame(["post_id", "text"], post_ids=post_ids), how="left")
    return frame["text"].fillna("").tolist()


def _root(study: Study) -> Path:
    return study.folder / ".comoderate" / "training"


def _folder(study: Study, name: str, options: dict[str, Any], material: Material) -> Path:
    """Where training is kept as it goes; another folder where anything that decides about the result is other."""
    own, s = study.settings.scorer[name], study.settings
    posts = [material.texts, *(part.tolist() for part in (material.y, material.weight, material.fold))]
    key = digest(own.kind, options, list(own.folds), s.study.seed, __version__, posts)
    return _root(study) / f"{name}-{key}"


def _clear(study: Study, name: str) -> None:
    """Remove what was kept of trainings of this scorer, that of older labels included."""
    for folder in _root(study).glob(f"{name}-" + "[0-9a-f]" * 20):
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        _root(study).rmdir()


def _languages(study: Study, own: ScorerSettings) -> list[str]:
    """A warning where posts are in languages that the default encoder, which is English, does not know."""
    column = next((name for name in LANGUAGES if name in study.settings.posts.attributes), None)
    if own.kind not in OF_ENCODERS or own.options.get("backbone") or column is None:
        return []
    found = study.posts().frame([column])[column].dropna().astype(str).str.strip().str.lower()
    other = found[~found.str.startswith("en") & (found != "")]
    if other.empty:
        return []
    return [
        f"{len(other):,} of {len(study.posts()):,} posts are not in English (most of these: "
        f"{other.value_counts().index[0]}), and the default encoder is: name another under options, backbone = …"
    ]
