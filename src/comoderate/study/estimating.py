"""How much of it there is: prevalence in all posts and in groups, from a labelled sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from comoderate.errors import ComoderateError
from comoderate.metrics import Estimate
from comoderate.sampling import hajek_domains, hajek_mean

FEW = 30
"""Numbers that rest on fewer labels are marked, of all posts as of a group: they say little."""


def domain_values(posts: pd.DataFrame, domain: str) -> pd.Series:
    """The group of each post for ``day``, ``week`` (ISO, ``2020-W07``) or an attribute.

    Raises:
        ComoderateError: the posts were imported without it.
    """
    if ("day" if domain == "week" else domain) not in posts:
        lacking, key = ("dates", "created_at") if domain in {"day", "week"} else (domain, "attributes")
        raise ComoderateError(f"the posts have no {lacking} to group by", do=f"name the column under [posts] {key}")
    if domain == "week":
        return pd.to_datetime(posts["day"]).dt.strftime("%G-W%V")
    return posts[domain]


def soften(labels: pd.DataFrame) -> pd.DataFrame:
    """Labels with the soft label in place of the hard one: an estimate is then the mean chance of a positive."""
    return labels.assign(y=labels["y_soft"])


def prevalence(
    labelled: pd.DataFrame,
    posts: pd.DataFrame,
    *,
    by: tuple[str, ...] = (),
    design: Mapping[str, Any] | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """The share of positive posts, overall and by group: domain, group, the fields of an Estimate, few.

    Args:
        labelled: as :func:`comoderate.study.labelled.join` gives.
        posts: the same posts, row for row, with the attributes of ``by``.
        by: ``day``, ``week`` or attributes.
        design: of the labelled posts, row for row; by default that of :func:`design_of` for a longer stream.
        level: nominal coverage of the intervals.
    """
    design = design_of(labelled, False) if design is None else design
    y, weight = labelled["y"].to_numpy(), labelled["weight"].to_numpy()
    rows = [_row("all", "all", hajek_mean(y, weight, level=level, **design))]
    for domain in by:
        groups = domain_values(posts, domain).to_numpy(dtype=object)
        if (weight > 0).any():
            found = hajek_domains(y, weight, groups, level=level, **design)
            rows += [_row(domain, str(group), estimate) for group, estimate in found]
    return pd.DataFrame(rows)


def design_of(labelled: pd.DataFrame, finite: bool) -> dict[str, Any]:
    """The design of labelled posts by their strata alone, as the estimators of :mod:`comoderate.sampling` take it.

    Args:
        labelled: post_id, stratum, cluster, pi.
        finite: whether the estimate speaks of exactly the posts that were counted (a finite population correction).
    """
    design: dict[str, Any] = {"stratum": labelled["stratum"].to_numpy(dtype=str)}
    if labelled["cluster"].notna().any():
        own = pd.Series(labelled["post_id"]).radd("post ")
        design["cluster"] = labelled["cluster"].fillna(own).to_numpy(dtype=str)
    if finite:
        design["pi"] = labelled["pi"].to_numpy()
    return design


def _row(domain: str, group: str, estimate: Estimate) -> dict[str, Any]:
    return {"domain": domain, "group": group, **estimate.as_dict(), "few": bool(estimate.n < FEW)}
