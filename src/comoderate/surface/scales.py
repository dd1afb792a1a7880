"""Scales of effects by type-II maximum likelihood, and the points over which to integrate them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import comb, expit

from comoderate.surface.inputs import Counts, Floats
from comoderate.surface.laplace import Mode, find_mode
from comoderate.surface.matches import covariance, effect_kinds, effect_table, group_sizes, match_patterns

INTERCEPT = 10.0  # variance of the log-odds that all arms share: wide, fixed
TOTALS = (0.9, 0.35, 0.1)  # prior centre of the variance that all effects of one order add up to
NOISE = 0.05  # prior centre of the variance of an arm's own deviation
PRIOR_SD = 1.5  # of each log variance
ATTRIBUTE_SD = 0.3  # of what an attribute adds to the log variances of its effects
MOST_SD = 4.0  # no log variance is searched for above so many standard deviations of its prior
STEP = 0.3  # of the differences for the curvature


@dataclass(frozen=True)
class ScalePoints:
    """Log variances to integrate over.

    Attributes:
        centre: (U,) the most likely log variances: see :class:`ScaleModel`.
        points: (H, U) where to evaluate.
        weights: (H,) sum 1.
    """

    centre: Floats
    points: Floats
    weights: Floats


class ScaleModel:
    """The marginal likelihood of counts as a function of log variances of effects.

    The log variance of an effect is the sum of one number for its order, one for each attribute that it joins, and
    another one for each where it joins several: some attributes matter more than others, alone or together. These
    numbers are the U unknowns, by order, by group of attributes twice, and last the arm's own noise.

    Args:
        counts: labelled arms, every arm once.
        order: largest number of attributes that an effect may join.
    """

    def __init__(self, counts: Counts, order: int) -> None:
        self.counts, self.order = counts, order
        n_attributes = counts.arms.shape[1]
        sizes = group_sizes(n_attributes)
        kinds = effect_kinds(sizes, order)
        self.table = effect_table(sizes, kinds)
        self.matches = match_patterns(counts.arms, counts.arms)
        joined = kinds[1:].sum(axis=1)
        orders = joined[:, None] == np.arange(1, order + 1)
        groups = kinds[1:] if order else kinds[1:, :0]
        self.design = np.hstack([orders, groups, groups * (joined > 1)[:, None]]).astype(np.float64)
        totals = np.array([TOTALS[min(o, len(TOTALS)) - 1] / comb(n_attributes, o) for o in range(1, order + 1)])
        by_group = np.full(2 * groups.shape[1], ATTRIBUTE_SD)
        self.centre = np.concatenate([np.log(totals), np.zeros(len(by_group)), [np.log(NOISE)]])
        self.prior_sd = np.concatenate([np.full(order, PRIOR_SD), by_group, [PRIOR_SD]])
        self.start: Floats | None = None

    def theta(self, x: Floats) -> Floats:
        """(S,) variances of effects of every kind, the intercept first."""
        return np.concatenate([[INTERCEPT], np.exp(self.design @ x[:-1])])

    def covariance(self, x: Floats) -> Floats:
        """(L, L) prior covariance of the log-odds of labelled arms."""
        k = covariance(self.matches, self.theta(x), self.table)
        k.flat[:: len(k) + 1] += np.exp(x[-1])
        return k

    def mode(self, x: Floats, *, keep: bool = False, tol: float = 1e-5, slope: Floats | None = None) -> Mode:
        """Laplace's mode at log variances ``x``; ``keep`` it as the start of the next search."""
        mode = find_mode(self.covariance(x), self.counts.n, self.counts.c, self.start, tol, slope=slope)
        if keep or self.start is None:
            self.start = mode.f
        return mode

    def log_prior(self, x: Floats) -> float:
        """Normal on every log variance."""
        return float(-0.5 * (((x - self.centre) / self.prior_sd) ** 2).sum())

    def loss(self, x: Floats) -> tuple[float, Floats]:
        """Negative log posterior of the log variances and its gradient (Rasmussen and Williams, algorithm 5.1)."""
        mode = self.mode(x, keep=True, tol=1e-4)
        inverse, root = mode.inverse(), np.sqrt(mode.weight)
        p = expit(mode.f)
        posterior_variance = (1 - np.diag(inverse)) / mode.weight
        third = -0.5 * posterior_variance * self.counts.n * p * (1 - p) * (1 - 2 * p)
        k = self.covariance(x)
        implicit = third - mode.solve(k @ third)
        a = mode.gradient
        cells = 0.5 * np.outer(a, a) - 0.5 * (root[:, None] * inverse * root) + np.outer(implicit, a)
        # Each derivative of K is a table looked up by patterns: sums over cells of a pattern are all that is needed.
        by_pattern = np.bincount(self.matches.ravel(), weights=cells.ravel(), minlength=self.table.shape[1])
        by_kind = self.theta(x)[1:] * (self.table[1:] @ by_pattern)
        slope = np.append(by_kind @ self.design, np.trace(cells) * np.exp(x[-1]))
        gradient = slope - (x - self.centre) / self.prior_sd**2
        return -(mode.evidence + self.log_prior(x)), -gradient


def learn(model: ScaleModel, start: Floats | None = None, maxiter: int = 40) -> Floats:
    """(U,) most likely log variances, by L-BFGS in standard deviations of their prior.

    Bounds are to one side only: where every variable lies between two, L-BFGS-B tries the whole gradient as its first
    step, which can lead so far out that the search gives up where it began.
    """

    def loss(z: Floats) -> tuple[float, Floats]:
        value, gradient = model.loss(model.centre + model.prior_sd * z)
        return value, gradient * model.prior_sd

    z0 = np.zeros(len(model.centre)) if start is None else (start - model.centre) / model.prior_sd
    bounds: Any = [(None, MOST_SD)] * len(z0)
    options: Any = {"maxiter": maxiter, "ftol": 1e-5, "gtol": 0.05}
    found = minimize(loss, z0, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return np.asarray(model.centre + model.prior_sd * found)


def star(model: ScaleModel, centre: Floats) -> ScalePoints:
    """Points at √V standard deviations along the axes of the curvature at ``centre``, to both sides.

    Only the V numbers of orders and of noise move; how attributes differ stays as learned, since integrating over that
    too took twice the time and changed neither errors nor coverage. The 2V points have the mean and covariance of the
    normal approximation to the posterior; weights correct them by the ratio of the true density to that normal, held
    within e^±3. The deterministic integration over hyper-parameters of Rue, Martino and Chopin (2009), *JRSS B* 71,
    with fewer points.
    """
    moving = np.append(np.arange(model.order), len(centre) - 1)
    size = len(moving)
    among = np.eye(len(centre))[moving]
    values, axes = np.linalg.eigh(curvature(lambda z: among @ model.loss(centre + z @ among)[1], np.zeros(size)))
    radius = np.sqrt(size / np.maximum(values, 0.8 / PRIOR_SD**2))
    steps = (axes * radius).T @ among
    points = np.concatenate([centre + steps, centre - steps])
    return ScalePoints(centre, points, np.full(2 * size, 0.5 / size))


def curvature(gradient: Callable[[Floats], Floats], at: Floats) -> Floats:
    """(U, U) symmetric matrix of central differences of ``gradient`` around ``at``."""
    rows = [(gradient(at + step) - gradient(at - step)) / (2 * STEP) for step in np.eye(len(at)) * STEP]
    matrix = np.array(rows)
    return np.asarray((matrix + matrix.T) / 2)


def reweigh(points: ScalePoints, log_posterior: Floats) -> ScalePoints:
    """Weights corrected for the log posterior (H,) found at the points; see :func:`star`."""
    if len(points.weights) == 1:
        return points
    tilt = np.exp(np.clip(log_posterior - log_posterior.max() + 3.0, -3.0, 3.0))
    weights = points.weights * tilt
    return ScalePoints(points.centre, points.points, weights / weights.sum())
