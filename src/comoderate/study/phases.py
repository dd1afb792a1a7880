"""Which posts a sample may draw, with what strata and sizes: from the study's folder to the drawing functions."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from comoderate.corpus import Candidates, engine, read_frame, read_rows
from comoderate.errors import ComoderateError
from comoderate.sampling import uniform
from comoderate.study import drawing, population
from comoderate.study.forgetting import is_tombstone
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
    own, size = study.settings.sample[name], study.settings.sample[name].size or 0
    if own.of is not None:
        return drawing.draw_second(eligible(study, name, own), size)
    with candidates(study, own, purpose) as found:
        return _first(study, name, found)


def _first(study: Study, name: str, found: Candidates) -> drawing.Draw:
    """Draw a sample of the first phase from its candidates."""
    own = study.settings.sample[name]
    size, totals = own.size or 0, daily_totals(study)
    if own.design == "census":
        return drawing.draw_census(found)
    if own.design == "poisson":
        return drawing.draw_poisson(sized(study, own, found), size, least=own.least, totals=totals)
    earlier = _earlier(study, name)
    if own.enrich is None:
        return drawing.draw_base(found, size, totals, earlier=earlier)
    flagged = found.called(_scores(study, own.enrich.scorer), own.enrich.threshold)
    added = None if own.enrich.size == "all" else own.enrich.size
    return drawing.draw_base(found, size, totals, added, flagged=flagged, earlier=earlier)


def daily_totals(study: Study) -> pd.Series | None:
    """Daily totals of the world, where the study has them."""
    s = study.settings
    return None if s.totals is None else read_totals(study.folder / s.totals.path, s.totals.day, s.totals.total)


@contextlib.contextmanager
def candidates(study: Study, own: SampleSettings, purpose: str) -> Iterator[Candidates]:
    """The posts that a sample may draw, on the study's engine; with views, where these set the chances."""
    dataset, s = study.posts(), study.settings
    dated = "day" in dataset.columns
    if own.design == "stratified" and not dated:
        raise ComoderateError(
            "a sample stratified by day needs dates",
            where=study.folder / FILE,
            do="name the column under [posts] created_at, or choose design = 'uniform' or 'census'",
        )
    size = "views" if own.proportional_to == "views" else None
    _require(study, own.cluster)
    _require(study, size)
    by_day = own.design == "stratified" or (own.design == "poisson" and dated)
    hidden = study.folder / ".comoderate"
    hidden.mkdir(exist_ok=True)
    with (
        engine(s.corpus.engine, master=s.corpus.master) as backend,
        tempfile.TemporaryDirectory(dir=hidden, prefix="draw-") as folder,
    ):
        among = None if s.population is None else study.folder / population.MENTIONS
        stratum = "day" if by_day else None
        found = Candidates.of(dataset, backend, stratum=stratum, cluster=own.cluster, among=among, amount=size)
        if purpose != FIRST_PHASE:
            found = found.mapped(partial(_numbered, seed=s.study.seed, purpose=purpose), Path(folder) / "numbered")
        with found.kept() as kept:
            yield kept


def _numbered(frame: pd.DataFrame, *, seed: int, purpose: str) -> pd.DataFrame:
    """A batch of candidates with random numbers of another purpose."""
    return frame.assign(u=uniform(seed, purpose, frame["post_id"]))


def _require(study: Study, column: str | None) -> None:
    if column is not None and column not in study.posts().columns:
        raise ComoderateError(
            f"the posts have no {column}", where=study.folder / FILE, do=f"name its column under [posts] {column}"
        )


def sized(study: Study, own: SampleSettings, found: Candidates) -> Candidates:
    """The candidates with what a Poisson sample's chances are proportional to."""
    return found if own.proportional_to == "views" else found.sized(_scores(study, str(own.proportional_to)))


def _scores(study: Study, scorer: str) -> Path:
    return study.scores_folder(scorer)


def _proba(study: Study, scorer: str, post_ids: pd.Series) -> np.ndarray:
    found = read_rows(_scores(study, scorer), post_ids, ["post_id", "proba"]).set_index("post_id")["proba"]
    return np.asarray(found.reindex(post_ids), dtype=np.float64)


def eligible(study: Study, name: str, own: SampleSettings) -> pd.DataFrame:
    """The posts of the first sample that a second phase may draw, in its strata."""
    parent = study.sample(str(own.of)).assign(stratum=drawing.ALL)
    parent = parent[~is_tombstone(parent["post_id"])].reset_index(drop=True)
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


def _earlier(study: Study, name: str) -> pd.DataFrame | None:
    """What an earlier draw of the same sample took from each stratum, so that a larger one holds all of it."""
    path = study.folder / "samples" / f"{name}.strata.parquet"
    if not path.exists() or study.artefacts.record("posts") is None:
        return None
    return read_frame(path)
