"""Which posts a sample may draw, with what strata and sizes: from the study's folder to the drawing functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from comoderate.corpus import read_frame
from comoderate.errors import ComoderateError
from comoderate.sampling import uniform
from comoderate.study import drawing
from comoderate.study.loading import FILE
from comoderate.study.posts import FIRST_PHASE, read_totals
from comoderate.study.ratings import MEASURING

if TYPE_CHECKING:
    from comoderate.study.settings import SampleSettings
    from comoderate.study.study import Study


def draw(study: Study, name: str, *, purpose: str) -> drawing.Draw:
    """Draw the sample ``name`` by the random numbers of ``purpose``.

    Raises:
        ComoderateError: the posts lack what the design needs.
    """
    s = study.settings
    own, size = s.sample[name], s.sample[name].size or 0
    if own.of is not None:
        return drawing.draw_second(_eligible(study, name, own), size)
    totals = None if s.totals is None else read_totals(study.folder / s.totals.path, s.totals.day, s.totals.total)
    candidates = _candidates(study, own, purpose)
    if own.design == "census":
        return drawing.draw_census(candidates)
    if own.design == "poisson":
        candidates["amount"] = _amount(study, own, candidates["post_id"])
        return drawing.draw_poisson(candidates, size, least=own.least, totals=totals)
    enriched = None
    if own.enrich is not None:
        enriched = own.enrich.size
        candidates["positive"] = _proba(study, own.enrich.scorer, candidates["post_id"]) > own.enrich.threshold
    return drawing.draw_base(candidates, size, totals, enriched, earlier=_earlier(study, name, purpose))


def _candidates(study: Study, own: SampleSettings, purpose: str) -> pd.DataFrame:
    """All posts: post_id, stratum, cluster, u."""
    dataset = study.posts()
    dated = "day" in dataset.columns
    if own.design == "stratified" and not dated:
        raise ComoderateError(
            "a sample stratified by day needs dates",
            where=study.folder / FILE,
            do="name the column under [posts] created_at, or choose design = 'uniform' or 'census'",
        )
    _require(study, own.cluster)
    by_day = own.design == "stratified" or (own.design == "poisson" and dated)
    columns = ["post_id", "u", *(["day"] if by_day else []), *([own.cluster] if own.cluster else [])]
    frame = dataset.frame(columns).rename(columns={own.cluster or "": "cluster", "day": "stratum"})
    if not by_day:
        frame["stratum"] = drawing.ALL
    if own.cluster is None:
        frame["cluster"] = None
    if purpose != FIRST_PHASE:
        frame["u"] = uniform(study.settings.study.seed, purpose, frame["post_id"])
    return frame


def _require(study: Study, column: str | None) -> None:
    if column is not None and column not in study.posts().columns:
        raise ComoderateError(
            f"the posts have no {column}", where=study.folder / FILE, do=f"name its column under [posts] {column}"
        )


def _amount(study: Study, own: SampleSettings, post_ids: pd.Series) -> np.ndarray:
    """What a Poisson sample's chances are proportional to."""
    if own.proportional_to != "views":
        return _proba(study, str(own.proportional_to), post_ids)
    _require(study, "views")
    views = post_ids.to_frame().merge(study.posts().frame(["post_id", "views"]), on="post_id", how="left")["views"]
    return np.asarray(views.fillna(0.0), dtype=np.float64)


def _proba(study: Study, scorer: str, post_ids: pd.Series) -> np.ndarray:
    found = post_ids.to_frame().merge(study.scores(scorer), on="post_id", how="left")["proba"]
    return np.asarray(found, dtype=np.float64)


def _eligible(study: Study, name: str, own: SampleSettings) -> pd.DataFrame:
    """The posts of the first sample that a second phase may draw, in its strata."""
    parent = study.sample(str(own.of)).assign(stratum=drawing.ALL)
    if own.rated is not None:
        parent = parent[parent["post_id"].isin(_rated(study, own.rated))].reset_index(drop=True)
        if parent.empty:
            raise ComoderateError(
                f"no post of sample {own.of!r} has exactly {own.rated} ratings",
                where=f"{study.folder / FILE}, sample.{name}.rated",
                do="choose another number, or collect more ratings",
            )
    if own.flagged_by:
        flags = [_proba(study, scorer, parent["post_id"]) > 0.5 for scorer in own.flagged_by]
        parent["stratum"] = np.where(np.all(flags, axis=0), "flagged", "not flagged")
    parent["u"] = uniform(study.settings.study.seed, f"sample:{name}", parent["post_id"])
    return parent


def _rated(study: Study, ratings: int) -> pd.Index:
    """Posts whose first question was answered exactly ``ratings`` times."""
    notes = study.annotations()
    first = next(iter(study.settings.codebook.question))
    mine = notes[(notes["question"] == first) & notes["source"].isin(MEASURING)]
    counts = mine.groupby("post_id").size()
    return counts.index[counts == ratings]


def _earlier(study: Study, name: str, purpose: str) -> pd.Series | None:
    """What an earlier draw of the same base sample took from each stratum, so that a larger one holds all of it."""
    path = study.folder / "samples" / f"{name}.strata.parquet"
    if not path.exists() or study.artefacts.record("posts") is None:
        return None
    strata = read_frame(path)
    base = strata[strata["phase"] == "base"]
    return base.set_index("stratum")["drawn"] if len(base) else None
