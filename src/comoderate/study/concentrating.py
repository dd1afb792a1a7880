"""How much of it the most abused receive, and who receives it unevenly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate.corpus import read_frame
from comoderate.sampling import concentration
from comoderate.study import population
from comoderate.study.units import mention_rows, post_rows

if TYPE_CHECKING:
    from comoderate.study.study import Study

COLUMNS = ("target", "sample", "cohort", "most", "people", "value", "low", "high", "apparent", "even")
RULE = (
    "The people are picked by the same sample that measures them, which flatters; resampling says by how much, and "
    "that is taken off."
)


def concentration_table(study: Study) -> pd.DataFrame:
    """The share of positive mentions that go to the most abused people, for each target.

    Returns:
        target, sample, cohort, most (how many people), people (how many are mentioned at all), the fields of an
        Estimate, apparent (their share in the sample, before correction), even (what they would receive if all received
        alike). Empty without a population.
    """
    rows = [] if study.settings.population is None else [_row(study, target) for target in study.settings.target]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(COLUMNS))


def _row(study: Study, target: str) -> dict[str, Any]:
    s, cohort = study.settings, study.cohort_of(target)
    assert s.population is not None
    sample = study.sample_for(cohort)
    mentions = mention_rows(study, post_rows(study, target, sample, cohort))
    design = {name: values for name, values in mentions.design.items() if name != "pi"}
    found = concentration(
        mentions.y, mentions.weight, mentions.groups["handle"].to_numpy(dtype=str), most=s.population.most,
        n_replicates=s.evaluate.replicates, random_state=s.study.seed, level=s.evaluate.level, **design,
    )  # fmt: skip
    members = read_frame(study.folder / population.MEMBERS, ["posts"])
    people, most = int((members["posts"] > 0).sum()), s.population.most
    key = {"target": target, "sample": sample, "cohort": cohort, "most": most, "people": people}
    return {**key, **found.share.as_dict(), "apparent": found.apparent, "even": min(1.0, most / people)}
