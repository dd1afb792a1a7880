"""Variances of many domains' totals in one pass over the posts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comoderate.sampling.linearised import Spread, SurveyDesign, effective_df
from comoderate.sampling.strata import Ints

Floats = NDArray[np.float64]


class Parts(NamedTuple):
    """Pairs of a unit and a domain that it touches: the domain, the unit's total over it, stratum and kept share."""

    domain: Ints
    value: Floats
    stratum: Ints
    keep: Floats | None


def domain_spreads(design: SurveyDesign, z: Floats, code: Ints, domains: int) -> list[Spread]:
    """Variances and degrees of freedom of the totals of z over each domain.

    One pass where units are posts or clusters nested in strata: with the sums of each pair of domain and stratum, units
    outside of the domain, whose total is 0, need no row of their own. Else one pass a domain.

    Args:
        design: of the whole sample.
        z: (n,) linearised values; each post's belongs to its own domain.
        code: (n,) domains, -1 for none.
        domains: their number.
    """
    crossing = design.cluster is not None and not design.nested
    if crossing or design.phases is not None or design.df < 1:
        return [design.spread(np.where(code == j, z, 0.0)) for j in range(domains)]
    home, keep = design.units()
    parts = _posts(design, z, code) if design.cluster is None else _clusters(design.cluster, home, keep, z, code)
    second, fourth = _powers(parts, home, keep, design.scale, domains)
    return [Spread(a, effective_df(a, b, len(home), design.df)) for a, b in zip(second.tolist(), fourth.tolist())]


def _posts(design: SurveyDesign, z: Floats, code: Ints) -> Parts:
    """Each post is a unit, and touches one domain or none."""
    inside = slice(None) if code.min(initial=0) >= 0 else np.flatnonzero(code >= 0)
    return Parts(code[inside], z[inside], design.stratum[inside], None if design.keep is None else design.keep[inside])


def _clusters(cluster: Ints, home: Ints, keep: Floats | None, z: Floats, code: Ints) -> Parts:
    """Sums of z over each pair of domain and cluster that occurs."""
    units, inside = len(home), code >= 0
    pair = (code * units + cluster)[inside]
    pairs, number = np.unique(pair, return_inverse=True)
    unit = pairs % units
    value = np.bincount(number, z[inside], minlength=len(pairs)).astype(np.float64)
    return Parts(pairs // units, value, home[unit], None if keep is None else keep[unit])


def _powers(parts: Parts, home: Ints, keep: Floats | None, scale: Floats, domains: int) -> tuple[Floats, Floats]:
    """Sums of second and fourth powers of scaled deviations, by domain.

    A unit that the domain doesn't touch deviates by its stratum's mean, so those need only be counted.
    """
    strata = len(scale)
    cell = parts.domain * strata + parts.stratum

    def table(values: Floats | None) -> Floats:
        sums = np.bincount(cell, values, minlength=domains * strata)
        return sums.astype(np.float64).reshape(domains, strata)

    def squared(values: Floats | None) -> Floats | None:
        return None if values is None else values**2

    def times(values: Floats) -> Floats:
        return values if parts.keep is None else parts.keep * values

    kept, kept_squared = (np.bincount(home, k, minlength=strata).astype(np.float64) for k in (keep, squared(keep)))
    touched, touched_squared = table(parts.keep), table(squared(parts.keep))
    centre = table(times(parts.value)) / np.maximum(kept, 1e-300)
    away = times((parts.value - centre.ravel()[cell]) ** 2)
    second = (table(away) + np.maximum(kept - touched, 0.0) * centre**2) @ scale
    fourth = (table(away**2) + np.maximum(kept_squared - touched_squared, 0.0) * centre**4) @ scale**2
    return second, fourth
