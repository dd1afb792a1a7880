"""The default estimator: log-odds of arms as a sum of effects of attributes and of their combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.surface.base import Surface
from comoderate.surface.inputs import Codes, Counts, Floats, as_counts, find_rows
from comoderate.surface.laplace import Mode
from comoderate.surface.matches import Matches, covariance, match_patterns
from comoderate.surface.posterior import Posterior, spread
from comoderate.surface.scales import ScaleModel, ScalePoints, learn, reweigh, star

LEARNING_ARMS = 500  # scales are learned on at most so many labelled arms, drawn at random
INTEGRATING_ARMS = 1200  # with more, the scales are not integrated over
WARM_GAIN = 0.01  # a refit's last step may gain so much an arm: the next would gain a tenth of it or less
SLIGHT = 0.02  # scales of less weight are dropped in a refit


@dataclass(frozen=True)
class _Point:
    """What one set of scales says of labelled arms: mode, and each arm's log-odds without its own counts."""

    x: Floats
    mode: Mode
    left_out_mean: Floats
    left_out_variance: Floats
    variance: Floats


class LogisticNormal(Surface):
    """Main effects, effects of pairs and triples of attribute values, and a deviation of each arm.

    logit ρ_a = b + Σ_S u_S[a_S] + e_a, S over all sets of up to ``order`` attributes. Effects have normal priors; their
    variance is a product of factors for their order and for each attribute that they join, learned by type-II maximum
    likelihood with Laplace's approximation. Those for orders are integrated over. Each arm's posterior is what the
    other arms say of it (leave-one-out, with Student's tails) times its own binomial likelihood, on a grid: arms with
    few or one-sided counts get the skewed intervals that belong to them.

    Args:
        order: largest number of attributes that an effect joins; at most one less than there are attributes, since
            the effect of all of them is the arm's own deviation.
        df: degrees of freedom of the tails, > 2; ``numpy.inf`` for normal ones.
        integrate: whether to integrate over scales; False takes the most likely ones.
        random_state: draws the arms on which scales are learned when there are very many.

    Attributes:
        scales_: variances of effects by order, before the factors of attributes, and of the arm's own deviation as
            the last.
        evidence_: log marginal likelihood of the counts, averaged over scales with their prior.
    """

    scales_: Floats

    def __init__(self, *, order: int = 3, df: float = 12.0, integrate: bool = True, random_state: int = 0) -> None:
        self.order, self.df, self.integrate, self.random_state = order, df, integrate, random_state

    def _fit(self, counts: Counts) -> None:
        if self.order < 0 or not self.df > 2:
            raise ValueError(f"order must not be negative and df must be over 2, not {self.order} and {self.df}")
        learning = self._learning_model(counts)
        centre = learn(learning) if len(counts.n) else learning.centre
        if self.integrate and 0 < len(counts.n) <= INTEGRATING_ARMS:
            points = star(learning, centre)
        else:
            points = ScalePoints(centre, centre[None, :], np.ones(1))
        self._settle(counts, points)

    def refit(self, arms: ArrayLike, n: ArrayLike, c: ArrayLike) -> Self:
        """Fit to new counts with the scales of the last fit: what a batch of labels needs, at a fraction of the time.

        Fit anew after labels have grown by a half or so.
        """
        given = as_counts(arms, n, c)
        if not hasattr(self, "points_") or given.arms.shape[1] != self.counts_.arms.shape[1]:
            return self.fit(arms, n, c)
        self.counts_ = given
        counts, old = self.counts_.labelled(), self._model.counts.arms
        keep = self._weights >= min(SLIGHT, float(self._weights.max()))
        points = ScalePoints(self.points_.centre, self.points_.points[keep], self.points_.weights[keep])
        own = find_rows(old, counts.arms) if len(old) and len(counts.n) else np.full(len(counts.n), -1)
        slopes = [p.mode.gradient for p, kept in zip(self._fitted, keep) if kept]
        self._settle(counts, points, [np.where(own >= 0, a[own], 0.0) if len(a) else None for a in slopes])
        return self

    def settle(self, points: ScalePoints, arms: ArrayLike, n: ArrayLike, c: ArrayLike) -> Self:
        """Fit to counts with scales that were learned before (``points_`` of another process's fit, say)."""
        self.counts_ = as_counts(arms, n, c)
        self._settle(self.counts_.labelled(), points)
        return self

    def _learning_model(self, counts: Counts) -> ScaleModel:
        size = len(counts.n)
        order = min(self.order, counts.arms.shape[1] - 1)
        if size > LEARNING_ARMS:
            rng: np.random.Generator = np.random.default_rng(self.random_state)
            keep = np.sort(rng.choice(size, LEARNING_ARMS, replace=False))
            counts = Counts(counts.arms[keep], counts.n[keep], counts.c[keep])
        return ScaleModel(counts, order)

    def _settle(self, counts: Counts, points: ScalePoints, slopes: Sequence[Floats | None] | None = None) -> None:
        """Find the mode at each set of scales, and what it says of each arm without the arm's own counts."""
        order = min(self.order, counts.arms.shape[1] - 1)
        model = ScaleModel(counts, order)
        begin = [None] * len(points.points) if slopes is None else slopes
        fitted = [_settle_point(model, x, slope) for x, slope in zip(points.points, begin)]
        log_posterior = np.array([p.mode.evidence + model.log_prior(p.x) for p in fitted])
        self.points_ = points
        self._weights = reweigh(points, log_posterior).weights
        self._model, self._fitted = model, fitted
        self.scales_ = np.exp(np.append(points.centre[:order], points.centre[-1]))
        self.evidence_ = float(
            np.log(self._weights @ np.exp(log_posterior - log_posterior.max())) + log_posterior.max()
        )

    def correlation(self, arms: ArrayLike) -> Floats:
        """(A, A) of the posterior log-odds of all arms together, at the likeliest of the sets of scales."""
        codes, point = self._asked(arms), self._fitted[int(self._weights.argmax())]
        together = self._together(codes, codes, point)
        if len(point.mode.f):
            cross = self._together(codes, self._model.counts.arms, point)
            together -= cross @ point.mode.solve(cross.T)
        sd = np.sqrt(np.maximum(np.diag(together), 1e-12))
        return np.asarray(np.clip(together / np.outer(sd, sd), -1.0, 1.0))

    def _together(self, left: Codes, right: Codes, point: _Point) -> Floats:
        """(A, B) prior covariance of arms, their own deviations included."""
        matches = match_patterns(left, right)
        shared = covariance(matches, self._model.theta(point.x), self._model.table)
        return np.asarray(shared + np.exp(point.x[-1]) * (matches == self._model.table.shape[1] - 1))

    def left_out(self, codes: Codes) -> tuple[Floats, Floats, Floats, Floats]:
        """Means and variances (H, A) of log-odds without own counts, at every set of scales; then with them."""
        labelled = find_rows(self._model.counts.arms, codes)
        new = labelled < 0
        cross = match_patterns(codes[new], self._model.counts.arms)
        shape = (len(self._fitted), len(codes))
        mean, variance = np.empty(shape), np.empty(shape)
        centre, around = np.empty(shape), np.empty(shape)
        for h, point in enumerate(self._fitted):
            own = labelled[~new]
            mean[h, ~new], variance[h, ~new] = point.left_out_mean[own], point.left_out_variance[own]
            centre[h, ~new], around[h, ~new] = point.mode.f[own], point.variance[own]
            mean[h, new], variance[h, new] = self._elsewhere(point, cross)
            centre[h, new], around[h, new] = mean[h, new], variance[h, new]
        return mean, variance, centre, around

    def _elsewhere(self, point: _Point, cross: Matches) -> tuple[Floats, Floats]:
        theta = self._model.theta(point.x)
        prior = float(theta @ self._model.table[:, -1]) + np.exp(point.x[-1])
        if not cross.size:
            return np.zeros(len(cross)), np.full(len(cross), prior)
        k = covariance(cross, theta, self._model.table)
        return k @ point.mode.gradient, np.maximum(prior - point.mode.cross_variance(k), 1e-9)

    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        mean, variance, centre, around = self.left_out(codes)
        w = self._weights[:, None]
        middle = (w * centre).sum(axis=0)
        sd = np.sqrt((w * (around + (centre - middle) ** 2)).sum(axis=0))
        logit = spread(middle, sd)
        density = np.zeros(logit.shape)
        for weight, m, v in zip(self._weights, mean, variance):
            density += weight * _tails(logit, m, v, self.df)
        likelihood = c[:, None] * logit - n[:, None] * np.logaddexp(0.0, logit)
        return Posterior.from_log_density(logit, np.log(density + 1e-300) + likelihood)


def _settle_point(model: ScaleModel, x: Floats, slope: Floats | None) -> _Point:
    """Leave-one-out mean f − g v and variance v = (1 − b) / (W b), b the diagonal of B⁻¹, g = c − n p."""
    mode = model.mode(x, tol=1e-5 if slope is None else WARM_GAIN * len(slope), slope=slope)
    if not len(mode.f):
        return _Point(x, mode, mode.f, mode.f, mode.f)
    b = np.clip(mode.inverse_diagonal(), 1e-9, 1 - 1e-9)
    variance = (1 - b) / mode.weight
    left_out = variance / b
    return _Point(x, mode, mode.f - mode.gradient * left_out, left_out, variance)


def _tails(logit: Floats, mean: Floats, variance: Floats, df: float) -> Floats:
    """Student's density (normal for infinite ``df``) up to a constant, (A, Q)."""
    square = (logit - mean[:, None]) ** 2 / variance[:, None]
    if np.isinf(df):
        return np.asarray(np.exp(-0.5 * square) / np.sqrt(variance)[:, None])
    return np.asarray((1 + square / df) ** (-0.5 * (df + 1)) / np.sqrt(variance)[:, None])
