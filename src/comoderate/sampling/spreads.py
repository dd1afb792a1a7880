"""Variances of many domains' totals in one pass over the posts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comoderate.sampling.linearised import Spread, SurveyDesign, effective_df
from comoderate.sampling.strata import Ints
from comoderate.sampling.two_phase import PhaseTerms

Floats = NDArray[np.float64]


class Units(NamedTuple):
    """Units' strata (k,), what each weighs in the stratum's mean, and what its square counts; None for 1."""

    stratum: Ints
    mass: Floats | None
    factor: Floats | None

    def at(self, index: Ints | slice) -> Units:
        """Some of them, or some repeatedly."""
        mass, factor = (None if a is None else a[index] for a in (self.mass, self.factor))
        return Units(self.stratum[index], mass, factor)


class Parts(NamedTuple):
    """Pairs of a unit and a domain that it touches: the domain (k,), the unit's total over it, and the unit."""

    domain: Ints
    value: Floats
    unit: Ints | slice


class Tables(NamedTuple):
    """By domain and stratum: means, and sums of second and fourth powers of all units' deviations from them."""

    centre: Floats
    second: Floats
    fourth: Floats


def domain_spreads(design: SurveyDesign, z: Floats, code: Ints, domains: int) -> list[Spread]:
    """Variances and degrees of freedom of the totals of z over each domain.

    One pass: with the sums of each pair of domain and stratum, units outside of the domain, whose total is 0, need no
    row of their own. One pass a domain where clusters cross strata.

    Args:
        design: of the whole sample.
        z: (n,) linearised values; each post's belongs to its own domain.
        code: (n,) domains, -1 for none.
        domains: their number.
    """
    if design.df < 1 or (design.cluster is not None and not design.nested):
        return [design.spread(np.where(code == j, z, 0.0)) for j in range(domains)]
    home, keep = design.units()
    units = Units(home, keep, keep) if design.phases is None else Units(home, None, 1 - design.phases.rate)
    parts = _posts(z, code) if design.cluster is None else _clusters(design.cluster, len(home), z, code)
    tables = _tables(parts, units, len(design.scale), domains)
    second, fourth = tables.second @ design.scale, tables.fourth @ design.scale**2
    df = [effective_df(a, b, len(home), design.df) for a, b in zip(second.tolist(), fourth.tolist())]
    variance = second if design.phases is None else second + _phases(design, design.phases, parts, domains)
    return [Spread(v, d) for v, d in zip(variance.tolist(), df)]


def _posts(z: Floats, code: Ints) -> Parts:
    """Each post is a unit, and touches one domain or none."""
    inside = slice(None) if code.min(initial=0) >= 0 else np.flatnonzero(code >= 0)
    return Parts(code[inside], z[inside], inside)


def _clusters(cluster: Ints, units: int, z: Floats, code: Ints) -> Parts:
    """Sums of z over each pair of domain and cluster that occurs."""
    inside = code >= 0
    pairs, number = np.unique((code * units + cluster)[inside], return_inverse=True)
    value = np.bincount(number, z[inside], minlength=len(pairs)).astype(np.float64)
    return Parts(pairs // units, value, pairs % units)


def _tables(parts: Parts, units: Units, strata: int, domains: int) -> Tables:
    """A unit that the domain doesn't touch deviates by its stratum's mean, so those need only be counted."""
    own = units.at(parts.unit)
    cell = parts.domain * strata + own.stratum

    def table(values: Floats | None) -> Floats:
        sums = np.bincount(cell, values, minlength=domains * strata)
        return sums.astype(np.float64).reshape(domains, strata)

    def whole(values: Floats | None) -> Floats:
        return np.bincount(units.stratum, values, minlength=strata).astype(np.float64)

    centre = table(_times(own.mass, parts.value)) / np.maximum(whole(units.mass), 1e-300)
    away = _times(own.factor, (parts.value - centre.ravel()[cell]) ** 2)
    elsewhere = np.maximum(whole(units.factor) - table(own.factor), 0.0)
    squared = np.maximum(whole(_squared(units.factor)) - table(_squared(own.factor)), 0.0)
    return Tables(centre, table(away) + elsewhere * centre**2, table(away**2) + squared * centre**4)


def _squared(factor: Floats | None) -> Floats | None:
    return None if factor is None else factor**2


def _times(factor: Floats | None, values: Floats) -> Floats:
    return values if factor is None else factor * values


def _phases(design: SurveyDesign, phases: PhaseTerms, parts: Parts, domains: int) -> Floats:
    """What the first phase and the random split of the base sample add; see :class:`PhaseTerms`."""
    expand = phases.weight.sum() / phases.weight
    days = Units(phases.day_group, phases.weight, phases.first_factor())
    sized = parts._replace(value=parts.value * expand[parts.unit])
    first = _tables(sized, days, int(phases.day_group.max()) + 1, domains).second.sum(axis=1)
    if phases.split is None:
        return np.asarray(first, dtype=np.float64)
    cells = phases.cells(design.stratum, phases.split)
    posts = int(phases.cell.max()) + 1
    steps = phases.steps(_tables(parts, Units(phases.cell, None, None), posts, domains).centre.T[cells.used], cells)
    strata = len(design.scale)
    plain = _tables(parts, Units(design.stratum, None, None), strata, domains).second * design.scale
    within = plain / np.maximum(np.bincount(design.stratum, minlength=strata), 1)
    split = cells.between @ steps**2 - within[:, cells.home] @ cells.within
    return np.asarray(first + np.maximum(split, 0.0), dtype=np.float64)
