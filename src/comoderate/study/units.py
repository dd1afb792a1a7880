"""The same labels counted in three units: a share of posts is not a share of mentions, nor of views."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.metrics import Estimate
from comoderate.sampling import hajek_domains, hajek_mean
from comoderate.study import population
from comoderate.study.checks import BUILT_IN_DOMAINS
from comoderate.study.designs import design
from comoderate.study.estimating import FEW, design_of, domain_values
from comoderate.study.wording import estimand_sentence

if TYPE_CHECKING:
    from comoderate.study.study import Study

POSTS, MENTIONS, VIEWS = "posts", "mentions", "views"
KEYS = ("target", "sample", "cohort", "unit", "estimand", "domain", "group")
CROSS = " × "
"""Between the names of two attributes, and between their values."""


class Rows(NamedTuple):
    """What an estimate is made from, a row a post or a mention.

    Attributes:
        labelled: as :func:`comoderate.study.labelled.join` gives, its rows repeated for each mention.
        groups: attributes, row for row.
        design: for the estimators; mentions of one post are a cluster.
        finite: whether estimates speak of exactly the posts that were counted.
    """

    labelled: pd.DataFrame
    groups: pd.DataFrame
    design: dict[str, Any]
    finite: bool

    @property
    def y(self) -> NDArray[np.float64]:
        """(n,) 0, 1 or NaN."""
        return self.labelled["y"].to_numpy(dtype=np.float64)

    @property
    def weight(self) -> NDArray[np.float64]:
        """(n,) NaN without a label."""
        return self.labelled["weight"].to_numpy(dtype=np.float64)


def post_rows(study: Study, target: str, sample: str, cohort: str) -> Rows:
    """A row a drawn post, with its attributes."""
    table = study.labelled_with_warnings(target, sample, cohort).frame
    finite = study.sample_settings(sample).finite
    return Rows(table, study.attributes(table["post_id"]), design(study, target, sample, table), finite)


def mention_rows(study: Study, posts: Rows) -> Rows:
    """A row a mention in these posts, with the attributes of who is mentioned; ``handle`` among them."""
    found = population.mentions(study, posts.labelled["post_id"])
    at = pd.Index(posts.labelled["post_id"]).get_indexer(pd.Index(found["post_id"]))
    table = posts.labelled.iloc[at].reset_index(drop=True)
    own = design_of(table, posts.finite)
    own.setdefault("cluster", table["post_id"].to_numpy(dtype=str))
    return Rows(table, found.reset_index(drop=True), own, posts.finite)


def attributes(study: Study, unit: str) -> tuple[str, ...]:
    """What posts or mentions are grouped by: those of posts in ``[evaluate] by``, those of the population."""
    s = study.settings
    if unit == MENTIONS:
        return () if s.population is None else tuple(s.population.attributes)
    return tuple(name for name in s.evaluate.by if name not in BUILT_IN_DOMAINS)


def domains(rows: Rows, names: tuple[str, ...]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Each attribute, then each pair of attributes, with the group of every row (None for none).

    Of a pair only groups with at least :data:`FEW` labels are kept: a thousand tiny groups say nothing.
    """
    single = {name: domain_values(rows.groups, name) for name in names}
    for name, values in single.items():
        yield name, values.to_numpy(dtype=object)
    for one, two in combinations(names, 2):
        pair = single[one].astype("string") + CROSS + single[two].astype("string")
        counts = pair[rows.weight > 0].value_counts()
        pair = pair.where(pair.isin(counts.index[counts >= FEW]))
        if pair.notna().any():
            yield f"{one}{CROSS}{two}", pair.astype(object).where(pair.notna(), None).to_numpy(dtype=object)


def unit_table(study: Study, pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """Shares in every unit, overall and by group.

    Args:
        study: with labels.
        pairs: sample and cohort that measure.

    Returns:
        target, sample, cohort, unit, estimand, domain, group, the fields of an Estimate, few.
    """
    rows = [
        {**dict(zip(KEYS[:3], (target, sample, cohort), strict=True)), **row}
        for target in study.settings.target
        for sample, cohort in pairs
        for row in _units(study, target, sample, cohort)
    ]
    return pd.DataFrame(rows)


def _units(study: Study, target: str, sample: str, cohort: str) -> Iterator[dict[str, Any]]:
    s = study.settings
    level = s.evaluate.level
    what = estimand_of(study, sample)
    posts = post_rows(study, target, sample, cohort)
    yield from _shares(posts, POSTS, what, attributes(study, POSTS), level)
    if s.population is not None:
        mentions = mention_rows(study, posts)
        yield from _shares(mentions, MENTIONS, f"mentions in {what}", attributes(study, MENTIONS), level)
    if "views" in study.posts().columns:
        views = hajek_mean(posts.y, posts.weight, size=_views(study, posts), level=level, **posts.design)
        yield _row(VIEWS, f"views of {what}", "all", "all", views)


def _views(study: Study, posts: Rows) -> NDArray[np.float64]:
    """Views of each post, 0 where there are none."""
    ids = posts.labelled["post_id"]
    found = study.posts().frame(["post_id", "views"], post_ids=ids).set_index("post_id")["views"]
    return np.asarray(found.reindex(ids).fillna(0.0), dtype=np.float64)


def _shares(rows: Rows, unit: str, what: str, names: tuple[str, ...], level: float) -> Iterator[dict[str, Any]]:
    yield _row(unit, what, "all", "all", hajek_mean(rows.y, rows.weight, level=level, **rows.design))
    if not (rows.weight > 0).any():
        return
    for domain, groups in domains(rows, names):
        for group, estimate in hajek_domains(rows.y, rows.weight, groups, level=level, **rows.design):
            yield _row(unit, what, domain, str(group), estimate)


def _row(unit: str, what: str, domain: str, group: str, estimate: Estimate) -> dict[str, Any]:
    few = bool(estimate.n < FEW)
    return {"unit": unit, "estimand": what, "domain": domain, "group": group, **estimate.as_dict(), "few": few}


def estimand_of(study: Study, sample: str) -> str:
    """What an estimate from a sample speaks of, in words; the population named where there is one."""
    s, own = study.settings, study.sample_settings(sample)
    first = s.sample[own.of] if own.of else own
    record = None if s.population is None else study.artefacts.record("population")
    people = "" if record is None else f"{record['summary']['counted']:,} people"
    return estimand_sentence(first, capped=s.totals is not None, people=people)
