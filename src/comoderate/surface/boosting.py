"""Boosted trees on the values of attributes, with each arm shrunk towards them as far as held-out arms advise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, logsumexp, softmax

from comoderate.surface.base import Surface
from comoderate.surface.beta import beta_binomial, pooled_accuracy
from comoderate.surface.inputs import Codes, Counts, Floats
from comoderate.surface.posterior import Posterior

STRENGTHS = np.geomspace(0.3, 1e4, 14)  # ψ, the pseudo-examples that the trees may count for
PRIOR = softmax(-0.5 * (np.log(STRENGTHS / 10.0) / 3.0) ** 2)  # shares of them, weakly held around 10
PSEUDO_ARMS = 4.0  # that lie around the trees as the prior says
ITERATIONS = 100
EDGES = (1e-6, 1 - 1e-6)
PATIENCE = 20  # trees without a gain after which no more are grown
LEAST_CURVATURE = 0.5  # on either side of a split


@dataclass(frozen=True)
class Node:
    """A split of one attribute's values into two sides, or a leaf.

    Attributes:
        value: what the leaf adds to the log-odds.
        attribute: position of the attribute that is split.
        left: (V + 1,) whether each value goes left; the last entry is for values that fitting did not see.
        children: left and right; empty for a leaf.
    """

    value: float
    attribute: int = 0
    left: NDArray[np.bool_] | None = None
    children: tuple[Node, ...] = ()

    def predict(self, x: Codes) -> Floats:
        """(A,) what the tree adds for rows of places of values, (A, K)."""
        if self.left is None:
            return np.full(len(x), self.value)
        side, out = self.left[x[:, self.attribute]], np.empty(len(x))
        for child, rows in zip(self.children, (side, ~side), strict=True):
            out[rows] = child.predict(x[rows])
        return out


def grow(x: Codes, gradient: Floats, curvature: Floats, sizes: list[int], *, depth: int, l2: float) -> Node:
    """A tree of Newton steps: each node splits the attribute whose values, in the order of their own steps, part best.

    Ordering values by gradient over curvature finds the best of all splits in two of an attribute without an order
    (Fisher 1958, *JASA* 53; as in LightGBM).

    Args:
        x: (A, K) places of values.
        gradient, curvature: (A,) of the log-likelihood by log-odds.
        sizes: (K,) number of values of each attribute.
        depth: splits from the root to a leaf at most.
        l2: curvature added to every step's denominator.
    """
    total, weight = float(gradient.sum()), float(curvature.sum())
    leaf = Node(total / (weight + l2))
    best, found = 1e-9, None
    for k, size in enumerate(sizes if depth else []):
        g = np.bincount(x[:, k], weights=gradient, minlength=size)
        h = np.bincount(x[:, k], weights=curvature, minlength=size)
        order = np.argsort(g / (h + l2), kind="stable")
        gl, hl = np.cumsum(g[order])[:-1], np.cumsum(h[order])[:-1]
        gain = gl**2 / (hl + l2) + (total - gl) ** 2 / (weight - hl + l2) - total**2 / (weight + l2)
        gain[(hl < LEAST_CURVATURE) | (weight - hl < LEAST_CURVATURE)] = -np.inf
        if len(gain) and gain.max() > best * (1 + 1e-9):  # of equal splits the first, whatever rounding says
            best, at = float(gain.max()), int(gain.argmax())
            left = np.full(size + 1, hl[at] > weight / 2)  # values that are not here go with the larger side
            left[order[: at + 1]], left[order[at + 1 :]] = True, False
            left[:-1][h == 0] = left[-1]
            found = (k, left)
    if found is None:
        return leaf
    k, left = found
    side = left[x[:, k]]
    sides = [
        grow(x[rows], gradient[rows], curvature[rows], sizes, depth=depth - 1, l2=l2) for rows in (side, ~side)
    ]  # fmt: skip
    return Node(0.0, k, left, tuple(sides))


class Boosted(Surface):
    """ρ_a ~ Σ_j π_j Beta(φ_a ψ_j, (1 − φ_a) ψ_j): boosted trees give φ_a, the likelihood of counts gives shares π.

    Trees are grown on counts of arms by Newton steps of the binomial log-likelihood. How many there are, and π, are
    learned from arms that the trees did not see: labelled arms are parted into folds, and each arm's φ_a comes from
    the trees of the other folds, so that its own counts enter its distribution once and no more. Trees are near the
    truth in most arms and far from it in some: one ψ for all would make intervals too narrow for these. The shares
    of ψ on a fixed grid are the nonparametric maximum-likelihood estimate of Kiefer and Wolfowitz (1956), with a few
    pseudo-arms.

    Args:
        trees: at most so many.
        depth: splits from a tree's root to a leaf: how many attributes an effect may join.
        rate: share of each tree that is added.
        l2: curvature added to every step's denominator.
        folds: parts of the labelled arms.
        random_state: of the folds.

    Attributes:
        n_trees_: how many trees held-out arms want.
        strength_: geometric mean of ψ, in pseudo-examples.
        shares_: π, of the values of ψ in ``STRENGTHS``.
    """

    def __init__(
        self, *, trees: int = 200, depth: int = 3, rate: float = 0.1, l2: float = 2.0, folds: int = 5,
        random_state: int = 0,
    ) -> None:  # fmt: skip
        self.trees, self.depth, self.rate, self.l2, self.folds = trees, depth, rate, l2, folds
        self.random_state = random_state

    def _fit(self, counts: Counts) -> None:
        if self.trees < 0 or self.depth < 1 or self.folds < 2 or not (self.rate > 0 and self.l2 > 0):
            raise ValueError("trees must not be negative, depth at least 1, folds at least 2, rate and l2 positive")
        self._values = [np.unique(column) for column in counts.arms.T]
        x, size = self._places(counts.arms), len(counts.n)
        fold = np.random.default_rng(self.random_state).permutation(size) % self.folds
        self._left_out, self.n_trees_ = self._validate(x, counts, fold)
        self._start = pooled_accuracy(counts)
        self._forest = list(islice(self._trees(x, counts.n, counts.c), self.n_trees_)) if size else []
        self.shares_ = self._share(counts)
        self.strength_ = float(np.exp(self.shares_ @ np.log(STRENGTHS)))

    def _trees(self, x: Codes, n: Floats, c: Floats) -> Iterator[Node]:
        """One tree after another, grown on counts of arms ``x``."""
        f = np.full(len(x), float(logit(pooled_accuracy(Counts(x, n, c)))))
        sizes = [len(v) for v in self._values]
        while True:
            p = expit(f)
            tree = grow(x, c - n * p, n * p * (1 - p), sizes, depth=self.depth, l2=self.l2)
            f += self.rate * tree.predict(x)
            yield tree

    def _validate(self, x: Codes, counts: Counts, fold: NDArray[np.int64]) -> tuple[Floats, int]:
        """(A,) accuracies by the trees of other folds, after as many trees as make the counts likeliest; and how many.

        Growing stops when :data:`PATIENCE` trees have not made them likelier.
        """
        parts = [
            (fold == one, self._trees(x[fold != one], counts.n[fold != one], counts.c[fold != one]))
            for one in np.unique(fold)
        ]
        f = np.empty(len(x))
        for out, _ in parts:
            f[out] = logit(pooled_accuracy(Counts(x[~out], counts.n[~out], counts.c[~out])))
        best, number, found = -np.inf, 0, f.copy()
        for step in range(self.trees + 1):
            fit = float((counts.c * f - counts.n * np.logaddexp(0.0, f)).sum())
            if fit > best + 1e-9:
                best, number, found = fit, step, f.copy()
            if step - number >= PATIENCE:
                break
            for out, trees in parts:
                f[out] += self.rate * next(trees).predict(x[out])
        return np.asarray(expit(found)), number

    def _share(self, counts: Counts) -> Floats:
        """π that makes counts likeliest around the trees' left-out predictions, by expectation and maximisation."""
        log = self._log_likelihood(self._left_out, counts.n, counts.c)
        likelihood = np.exp(log - log.max(axis=1, keepdims=True, initial=-np.inf))
        share = PRIOR
        for _ in range(ITERATIONS):
            joint = likelihood * share
            total = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0) + PSEUDO_ARMS * PRIOR
            share = total / total.sum()
        return share

    def _log_likelihood(self, phi: Floats, n: Floats, c: Floats) -> Floats:
        """(A, J) log-likelihood of each arm's counts under each ψ."""
        mean = np.clip(phi, *EDGES)[:, None]
        return beta_binomial(n[:, None], c[:, None], mean * STRENGTHS, (1 - mean) * STRENGTHS)

    def _places(self, codes: Codes) -> Codes:
        """Places of values among those that fitting saw; the number of these for others."""
        columns = []
        for column, values in zip(codes.T, self._values, strict=True):
            at = np.searchsorted(values, column).clip(max=max(len(values) - 1, 0))
            known = values[at] == column if len(values) else np.zeros(len(column), dtype=bool)
            columns.append(np.where(known, at, len(values)))
        return np.column_stack(columns).astype(np.int64)

    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        x, f = self._places(codes), np.full(len(codes), float(logit(self._start)))
        for tree in self._forest:
            f += self.rate * tree.predict(x)
        phi = expit(f)
        place = np.cumsum(self.counts_.n > 0) - 1  # row among labelled arms
        labelled = n > 0
        phi[labelled] = self._left_out[place[own[labelled]]]
        log = np.log(self.shares_) + self._log_likelihood(phi, n, c)
        weight = np.exp(log - logsumexp(log, axis=1, keepdims=True))
        mean = np.clip(phi, *EDGES)[:, None]
        a, b = STRENGTHS * mean + c[:, None], STRENGTHS * (1 - mean) + (n - c)[:, None]
        return Posterior.beta_mixture(a, b, weight)
