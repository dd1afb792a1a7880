"""How much of the abuse the most abused receive."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.metrics.estimate import Estimate
from comoderate.sampling.effects import kish_effective_size
from comoderate.sampling.intervals import limits
from comoderate.sampling.replicates import Seed, replicate_weights
from comoderate.sampling.sample import labelled_sample, rows
from comoderate.sampling.strata import encode

Floats = NDArray[np.float64]


class Concentration(NamedTuple):
    """Share of all abuse received by the most abused.

    Attributes:
        share: the share that the named ones receive in the population, corrected for having been chosen by the sample.
        apparent: their share in the sample, which flatters.
        named: who they are, the most abused first.
    """

    share: Estimate
    apparent: float
    named: list[Any]


def concentration(
    y: ArrayLike,
    weight: ArrayLike,
    target: ArrayLike,
    *,
    most: int = 10,
    stratum: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    n_replicates: int = 200,
    random_state: Seed = None,
    level: float = 0.95,
) -> Concentration:
    """The share of abuse that goes to the ``most`` targets that receive most of it.

    The targets are picked by the same sample that measures them, so the sample's own share is too large. The excess is
    estimated with the bootstrap as an optimism (Efron 1983): in each resample, the share there of the targets that it
    would have picked, less these targets' share in the sample; the mean of that is taken off. What remains estimates
    the share that the named targets receive in the population; the truly most abused receive that or a little more.

    Args:
        y: (n,) abuse of a mention, 0 or more; a row for every mention, with ``cluster`` the post, where posts mention
            several targets.
        weight: (n,) weights; NaN or 0 leaves a row out.
        target: (n,) who is mentioned.
        most: how many targets.
        stratum, cluster: the design.
        n_replicates, random_state: of the bootstrap.
        level: coverage wanted.

    Returns:
        :class:`Concentration`; the share is undefined where there is no abuse.

    Raises:
        ValueError: ``most`` below 1, and as :func:`comoderate.sampling.hajek_mean`.
    """
    if most < 1:
        raise ValueError("most must be 1 or more")
    sample = labelled_sample(y, weight, stratum=stratum, cluster=cluster)
    targets = encode(rows(target, sample.used, "target"), len(sample.y), name="target")
    abuse = sample.weight * sample.y
    if not abuse.sum() > 0:
        nothing = Estimate.undefined("no abuse in the sample", level=level, method="concentration", n=len(abuse))
        return Concentration(nothing, math.nan, [])
    sums = np.asarray(np.bincount(targets.code, abuse), dtype=np.float64)
    chosen = _leaders(sums, most)
    apparent = float(sums[chosen].sum() / sums.sum())
    pick = [None if a is None else np.asarray(a)[sample.used] for a in (stratum, cluster)]
    replicates = replicate_weights(
        sample.weight, stratum=pick[0], cluster=pick[1], n_replicates=n_replicates, random_state=random_state
    )
    gaps = [_gap(targets.code, w * sample.y, sums, most) for w in replicates] if apparent < 1 else [0.0]
    inside = np.isin(targets.code, chosen)
    z = abuse * (inside - apparent) / abuse.sum()
    se = math.sqrt(max(sample.design.variance(z), 0.0))
    value = max(apparent - float(np.nanmean(gaps)), 0.0)
    size = kish_effective_size(abuse)
    share = _estimate(value, se, sample.design.effective_df(z), level, int(np.count_nonzero(abuse)), size)
    return Concentration(share, apparent, list(targets.values[chosen].tolist()))


def _leaders(sums: Floats, most: int) -> NDArray[np.int64]:
    """The targets with the largest sums, largest first; only such as have any."""
    order = np.argsort(-sums, kind="stable")[:most]
    return order[sums[order] > 0]


def _gap(code: NDArray[np.int64], abuse: Floats, sums: Floats, most: int) -> float:
    """What choosing by a resample flatters: share in the resample less share in the sample."""
    resampled = np.asarray(np.bincount(code, abuse, minlength=len(sums)), dtype=np.float64)
    if not resampled.sum() > 0:
        return math.nan
    leaders = _leaders(resampled, most)
    return float(resampled[leaders].sum() / resampled.sum() - sums[leaders].sum() / sums.sum())


def _estimate(value: float, se: float, df: float, level: float, n: int, size: float) -> Estimate:
    """With limits on the log-odds; Wilson's at the effective number of abusive rows where there is no variation."""
    kind = "logit" if 0 < value < 1 and se > 0 else "wilson"
    low, high = limits(value, se, kind=kind, level=level, df=df, n_effective=size)
    return Estimate(value, se, low, high, level, f"share of the named, less optimism, {kind}", n)
