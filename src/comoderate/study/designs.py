"""The design of a sample's labelled posts, with all that is known of how they were drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate.corpus import read_frame
from comoderate.sampling import FirstPhase
from comoderate.study.estimating import design_of

if TYPE_CHECKING:
    from comoderate.study.study import Study


def design(study: Study, target: str, sample: str, labelled: pd.DataFrame) -> dict[str, Any]:
    """The design of posts as the estimators take it.

    A target that asks a follow-up speaks of the posts on which it was asked, whose number on a day nobody knows; its
    strata are days alone.
    """
    own, question = study.sample_settings(sample), study.settings.target[target].question
    if own.design == "census" or own.of is not None or study.settings.codebook.question[question].when is not None:
        return design_of(labelled, own.finite)
    return known_design(first_strata(study, sample), labelled, finite=own.finite)


def first_strata(study: Study, name: str) -> pd.DataFrame:
    """The strata of a first-phase sample: phase, N, in_hand, drawn, enriched; the stratum as index."""
    strata = read_frame(study.folder / "samples" / f"{name}.strata.parquet")
    base = strata[strata["phase"] != "enrich"].set_index("stratum")
    return base.assign(enriched=len(base) < len(strata))


def known_design(strata: pd.DataFrame, labelled: pd.DataFrame, *, finite: bool) -> dict[str, Any]:
    """The design of the labelled posts of a first-phase sample.

    Where less is in hand than the totals count, or a scorer's positives were added, posts of a day with the same chance
    are the strata, and both phases enter. Clusters allow for one phase only: days are their strata, and posts of an
    author stand for the stream from which they came.

    Args:
        strata: of the first phase: phase, N, in_hand, drawn, enriched; the stratum as index.
        labelled: posts: post_id, stratum, cluster, pi.
        finite: whether the estimate speaks of exactly the posts in hand; of exactly those counted it speaks anyhow
            where a count says that there are more.
    """
    found, less = design_of(labelled, finite), capped(strata)
    if not (less or strata["enriched"].any()) or not (strata["phase"] == "base").all() or "cluster" in found:
        return found
    total, in_hand, drawn = strata.loc[labelled["stratum"], ["N", "in_hand", "drawn"]].to_numpy(dtype=np.float64).T
    pi = labelled["pi"].to_numpy(dtype=np.float64)
    cell = (labelled["stratum"].astype(str) + labelled["pi"].map(" {:.12g}".format)).to_numpy(dtype=str)
    phase = FirstPhase(found["stratum"], total, in_hand, drawn, pi, stream=not (finite or less))
    return {"stratum": cell, "first_phase": phase}


def capped(strata: pd.DataFrame) -> bool:
    """Whether less is in hand than the totals count."""
    return bool((strata["in_hand"] < strata["N"]).any())
