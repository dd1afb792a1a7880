"""Prevalence with a scorer's help: its probabilities on all posts, corrected by the labelled ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate.corpus import score_sums
from comoderate.metrics import Estimate
from comoderate.plots import percent
from comoderate.report import ReportSection
from comoderate.sampling import assisted_mean, hajek_mean
from comoderate.study import designs, phases, showing
from comoderate.study.designs import capped, first_strata
from comoderate.study.evaluating import scores_of
from comoderate.study.posts import FIRST_PHASE

if TYPE_CHECKING:
    from comoderate.study.settings import SampleSettings
    from comoderate.study.study import Study

COLUMNS = ("target", "sample", "cohort", "scorer")


def assisted_table(study: Study) -> pd.DataFrame:
    """Hájek's estimate and each scorer's, for every target and first-phase sample.

    Returns:
        target, sample, cohort, scorer (empty for Hájek's), the fields of an Estimate, width (by that of Hájek's). A
        scorer that was trained on some of the posts without folds has a reason and no value: it knows their labels.
    """
    rows = [row for target in study.settings.target for row in _target(study, target)]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*COLUMNS, "value", "low", "high", "width"])


def _target(study: Study, target: str) -> Iterator[dict[str, Any]]:
    level = study.settings.evaluate.level
    for cohort in study.cohorts:
        name = study.sample_for(cohort)
        own = study.sample_settings(name)
        if own.design == "census" or own.of is not None:
            continue
        table = study.labelled_with_warnings(target, name, cohort).frame
        used = table[table["weight"] > 0].reset_index(drop=True)
        if used.empty:
            continue
        strata, design = first_strata(study, name), designs.design(study, target, name, used)
        y, weight = used["y"].to_numpy(dtype=np.float64), used["weight"].to_numpy(dtype=np.float64)
        plain = hajek_mean(y, weight, level=level, **design)
        key = {"target": target, "sample": name, "cohort": cohort}
        yield {**key, "scorer": "", **plain.as_dict(), "width": 1.0}
        for scorer in study.comparable(target):
            given = study.scores(scorer, used["post_id"])
            if given["seen"].eq(True).any():
                none = Estimate.undefined(level=level, reason="the scorer was trained on some of these very posts")
                yield {**key, "scorer": scorer, **none.as_dict(), "width": np.nan}
                continue
            mine = scores_of(used, given, scorer)
            theirs = _sums(study, own, scorer, strata)
            if not theirs["scored"].any():
                continue
            # Where the scorer failed, its mean stands in: any rule that all posts share leaves the estimate unbiased.
            middle = theirs["total"].sum() / theirs["scored"].sum()
            mean = (theirs["total"] + (theirs["posts"] - theirs["scored"]) * middle) / theirs["posts"]
            found = assisted_mean(
                y, weight, np.nan_to_num(mine, nan=middle), mean.to_numpy(),
                population_weight=theirs["weight"].to_numpy(), level=level, **design,
            )  # fmt: skip
            yield {**key, "scorer": scorer, **found.as_dict(), "width": _width(found, plain)}


def _sums(study: Study, own: SampleSettings, scorer: str, strata: pd.DataFrame) -> pd.DataFrame:
    """What the estimate needs of a scorer's probabilities on all posts that a sample may draw; no frame holds them.

    Returns:
        posts, scored (without those on which the scorer failed), total (of the probabilities), weight (for how many
        posts of the world they stand); a row a stratum where strata or people matter, else one.
    """
    folder = study.scores_folder(scorer)
    if study.settings.population is None and not capped(strata):
        found = score_sums(folder)
        return found.assign(weight=found["posts"])
    with phases.candidates(study, own, FIRST_PHASE) as candidates:
        found = candidates.score_sums(folder).set_index("stratum")
    return found.assign(weight=found["posts"] * (strata["N"] / strata["in_hand"]).reindex(found.index).fillna(0.0))


def _width(found: Estimate, plain: Estimate) -> float:
    plain_width = plain.high - plain.low
    return (found.high - found.low) / plain_width if plain_width > 0 else 1.0


def assisted_section(table: pd.DataFrame) -> ReportSection | None:
    """The report's section; None where no scorer could help."""
    helped = table[(table["scorer"] != "") & table["value"].notna()] if len(table) else table
    if helped.empty:
        return None
    best = helped.sort_values("width").iloc[0]
    spared = 1 - 1 / max(1 / best["width"] ** 2, 1.0)
    sentences = [
        "A scorer has an opinion on every post, labelled or not. Its mean over all posts, corrected by what the labels "
        "say, estimates the same share as the labels alone, and a poor scorer costs nothing.",
        f"For “{best['target']}”, “{best['scorer']}” makes the interval {percent(1 - best['width'])} narrower, as "
        f"if {percent(1 / best['width'] ** 2 - 1)} more posts had been labelled."
        if spared > 0.005
        else "Here no scorer makes an interval noticeably narrower.",
    ]
    rows = zip(table["value"].isna(), table["reason"], table.itertuples(), strict=True)
    shares = [f"– ({reason})" if none else showing.share(row) for none, reason, row in rows]
    shown = table.assign(scorer=table["scorer"].replace("", "labels alone"), share=shares)
    shown = shown.assign(width=["–" if math.isnan(width) else percent(float(width)) for width in shown["width"]])
    shown = shown[["target", "sample", "cohort", "scorer", "share", "width"]]
    names = {"cohort": "labels of", "scorer": "with the help of", "width": "width, by that of labels alone"}
    shown = shown.rename(columns=names)
    return ReportSection(
        title="With a scorer's help", sentences=sentences, tables=[("Share of all posts, with and without", shown)]
    )
