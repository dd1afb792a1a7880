"""Who receives it: how much more likely than others each group is to, with a guard against many comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.sampling import holm, p_value, relative_risk
from comoderate.study.estimating import FEW
from comoderate.study.units import MENTIONS, POSTS, Rows, attributes, domains, mention_rows, post_rows

if TYPE_CHECKING:
    from comoderate.study.study import Study


def risk_table(study: Study) -> pd.DataFrame:
    """How much more likely posts of each group are to be positive than all others, for the first cohort.

    With a population, mentions are compared by the attributes of who is mentioned; pairs of attributes as well.

    Returns:
        target, sample, cohort, unit, domain, group, the fields of an Estimate (a relative risk), few, adjusted: the
        p-value of "no difference", adjusted for the number of groups of the attribute or pair (Holm).
    """
    rows = [row for target in study.settings.target for row in _target(study, target)]
    columns = ["target", "sample", "cohort", "unit", "domain", "group", "value", "low", "high", "few", "adjusted"]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)


def _target(study: Study, target: str) -> Iterator[dict[str, Any]]:
    cohort = study.cohort_of(target)
    sample = study.sample_for(cohort)
    posts = post_rows(study, target, sample, cohort)
    key = {"target": target, "sample": sample, "cohort": cohort}
    parts = {POSTS: posts}
    if study.settings.population is not None:
        parts[MENTIONS] = mention_rows(study, posts)
    for unit, rows in parts.items():
        for domain, groups in domains(rows, attributes(study, unit)):
            found = _groups(rows, groups, study.settings.evaluate.level)
            yield from ({**key, "unit": unit, "domain": domain, **row} for row in found)


def _groups(rows: Rows, groups: NDArray[Any], level: float) -> list[dict[str, Any]]:
    """Each group against all the others that have a group."""
    held, known = rows.weight > 0, pd.notna(groups)
    names, counts = np.unique(groups[held & known].astype(str), return_counts=True)
    risks = [
        relative_risk(rows.y, rows.weight, groups == name, known & (groups != name), level=level, **rows.design)
        for name in names
    ]
    adjusted: list[float] = list(holm([p_value(risk, null=1.0, log=True) for risk in risks])) if risks else []
    return [
        {"group": str(name), **risk.as_dict(), "few": bool(count < FEW), "adjusted": p}
        for name, count, risk, p in zip(names, counts, risks, adjusted, strict=True)
    ]
