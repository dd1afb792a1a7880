"""Variance of a two-phase sample: posts collected up to a cap a day, then a base sample and an enrichment of those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.sampling.strata import Ints, collapse_single, encode

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FirstPhase:
    """What is known of the first phase, given with strata that are the (day, classifier-positive) cells.

    Attributes:
        stratum: (n,) the first phase's stratum (day) of each labelled post.
        population: (n,) N, posts in the population on that day.
        in_hand: (n,) c, posts collected that day at random.
        base_drawn: (n,) b, posts of that day in the base sample, where the weights are 1/pi. None where the weights
            were post-stratified to the cells' known totals N c_k / c: then the random number of positives in the base
            sample does no harm and must not be counted.
        pi: (n,) inclusion probabilities of the drawn posts, with ``base_drawn``; 1 / weight where None, which is right
            when every drawn post has a label.
        stream: whether the estimate speaks of a longer stream that these days' posts are a sample of; otherwise of
            exactly the ``population`` posts, so that where all of them are in hand the first phase adds nothing.
    """

    stratum: ArrayLike
    population: ArrayLike
    in_hand: ArrayLike
    base_drawn: ArrayLike | None = None
    pi: ArrayLike | None = None
    stream: bool = False


class Cells(NamedTuple):
    """Per cell that is used: its number, day, stratum, share 1 - q, share in its day, and factors on the split's parts.

    ``between`` multiplies squares of the cells' steps, ``within`` the strata's variances that these contain as noise.
    """

    used: Ints
    day: Ints
    home: Ints
    keep: Floats
    share: Floats
    between: Floats
    within: Floats


@dataclass(frozen=True)
class PhaseTerms:
    """Prepared numbers of a two-phase design, for the variance of sum z with z = w e / sum w.

    With day d, cell k, r_k the share of the posts in hand of a cell that was labelled, and q_k the share that was
    drawn, three parts add up:

    - labels within cells: n_k s_k^2 (1 - r_k);
    - the first phase: (N_d / sum w)^2 (1 / c_d - 1 / N_d) S_d^2, with S_d^2 the weighted variance of e in the day, and
      1 / c_d alone where the posts stand for a longer stream;
    - with 1/pi weights, the random split of the base sample over cells: b (c - b) / (c - 1) times the variance over
      cells, by their shares in the day, of (mean of z in the cell) (1 - q_k) / (1 - b / c).

    The third follows from the sum over a day being, given the split (b_k), sum_k w_k [b_k (1 - f_k) + f_k c_k] e_k; its
    estimate takes off what the noise in the cells' means adds.
    """

    weight: Floats
    day: Ints
    day_group: Ints
    cell: Ints
    rate: Floats
    first: Floats
    split: Floats | None
    drawn: Floats

    @classmethod
    def prepare(cls, phase: FirstPhase, cell: Ints, weight: Floats) -> PhaseTerms:
        """Check the numbers of a first phase and bring them to the scale of days.

        Raises:
            ValueError: counts out of order, or not constant within a day.
        """
        days = encode(phase.stratum, len(cell), name="the first phase's stratum")
        population = _per_day(phase.population, days.code, "population")
        hand = _per_day(phase.in_hand, days.code, "in_hand")
        if np.any(hand > population) or np.any(hand < 1):
            raise ValueError("in_hand must lie between 1 and population")
        expand = (population / hand)[days.code]
        rate = np.minimum(1.0, expand / weight)
        drawn = rate if phase.pi is None else np.minimum(1.0, expand * np.asarray(phase.pi, dtype=np.float64))
        first = (population / weight.sum()) ** 2 * (1 / hand - (0.0 if phase.stream else 1 / population))
        split = None
        if phase.base_drawn is not None:
            base = _per_day(phase.base_drawn, days.code, "base_drawn")
            if np.any(base > hand):
                raise ValueError("base_drawn must be at most in_hand")
            free = np.where(base < hand, 1 - base / hand, 1.0)
            split = base * (hand - base) / np.maximum(hand - 1, 1) / free**2
        group = collapse_single(days.code, days.counts)
        return cls(weight, days.code, group, cell, rate, first, split, drawn)

    def covariance(self, z: Floats, group: Ints, scale: Floats) -> Floats:
        """Covariance (m, m) of the totals of the columns of ``z`` (n, m), from strata ``group`` with ``scale``."""
        columns = z.shape[1]
        centre = _mean_by(z, np.ones(len(z)), group)
        residual = z - centre[group]
        variance = scale[group][:, None] * residual * np.sqrt(1 - self.rate)[:, None]
        total = np.asarray(variance.T @ (residual * np.sqrt(1 - self.rate)[:, None]), dtype=np.float64)
        total = total + self.first_phase(z)
        if self.split is not None:
            total = total + self._base_split(z, residual, group, scale, self.split)
        return total.reshape(columns, columns)

    def first_phase(self, z: Floats) -> Floats:
        """The first phase's part of :meth:`covariance`, from e = z sum w / w."""
        e = z * (self.weight.sum() / self.weight)[:, None]
        away = e - _mean_by(e, self.weight, self.day_group)[self.day_group]
        return np.asarray((away * self.first_factor()[:, None]).T @ away, dtype=np.float64)

    def first_factor(self) -> Floats:
        """What multiplies each post's squared deviation from its day's mean in :meth:`first_phase`."""
        size = np.bincount(self.day_group)
        bessel = np.divide(size, size - 1, out=np.ones(len(size)), where=size > 1)
        share = self.weight / np.bincount(self.day, self.weight)[self.day]
        return np.asarray(share * self.first[self.day] * bessel[self.day_group], dtype=np.float64)

    def cells(self, group: Ints, split: Floats) -> Cells:
        """The cells with a labelled post, for the random split of the base sample over them."""
        count = np.bincount(self.cell)
        used = np.flatnonzero(count)
        day, home, keep = np.zeros(len(count), np.int64), np.zeros(len(count), np.int64), np.zeros(len(count))
        day[self.cell], home[self.cell], keep[self.cell] = self.day, group, 1 - self.drawn
        share = np.bincount(self.cell, self.weight) / np.maximum(np.bincount(self.day, self.weight)[day], 1e-300)
        between = share * split[day]
        within = between * (1 - share) * keep**2 / np.maximum(count, 1)
        return Cells(used, day[used], home[used], keep[used], share[used], between[used], within[used])

    def steps(self, means: Floats, cells: Cells) -> Floats:
        """Deviations (cells, m) of the cells' means of z (cells, m), times 1 - q, from their day's."""
        step = means * cells.keep[:, None]
        days = int(self.day.max()) + 1
        middle = np.stack([np.bincount(cells.day, cells.share * s, minlength=days) for s in step.T], axis=1)
        return np.asarray(step - middle[cells.day], dtype=np.float64)

    def _base_split(self, z: Floats, residual: Floats, group: Ints, scale: Floats, split: Floats) -> Floats:
        """The part of the random split of the base sample over cells."""
        one, cells = np.ones(len(z)), self.cells(group, split)
        away = self.steps(_mean_by(z, one, self.cell)[cells.used], cells)
        total = (away * cells.between[:, None]).T @ away
        squares = (residual[:, :, None] * residual[:, None, :]).reshape(len(z), -1) * scale[group][:, None]
        noise = cells.within @ _mean_by(squares, one, group)[cells.home]
        return _positive(total - noise.reshape(total.shape))


def _positive(matrix: Floats) -> Floats:
    """The nearest matrix without negative variances."""
    value, vector = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vector * np.maximum(value, 0)) @ vector.T, dtype=np.float64)


def _per_day(values: ArrayLike, day: Ints, name: str) -> Floats:
    """One number a day from one a post."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != day.shape or not np.all(array >= 0):
        raise ValueError(f"{name} must have one number, 0 or more, a post")
    result = np.zeros(int(day.max(initial=0)) + 1)
    result[day] = array
    if np.any(result[day] != array):
        raise ValueError(f"{name} must be the same for all posts of a day")
    return result


def _mean_by(values: Floats, weight: Floats, code: Ints) -> Floats:
    """Weighted means (groups, m) of the columns of ``values`` (n, m); 0 for empty groups."""
    mass = np.bincount(code, weight)
    sums = np.stack([np.bincount(code, weight * column) for column in values.T], axis=1)
    return np.asarray(sums / np.maximum(mass, 1e-300)[:, None], dtype=np.float64)
