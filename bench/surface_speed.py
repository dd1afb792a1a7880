"""Time of estimators of accuracy surfaces, as ratios in one run.

Usage: python bench/surface_speed.py

The default with the choice of estimator at 700 arms against the arithmetic of the published system's public code:
two stages of 1,000 Adam steps on GPyTorch, two processes of 50 inducing points over a learned embedding, twenty shared
quadrature nodes; 40 steps are timed. 10,000 arms; a warm refit after a batch; a step of our BetaGP-SLP.

Bars: 15× faster than the public arithmetic, choice included; 10,000 arms × 8 attributes in under 20 times the time of
700, under 4 GB; a warm refit in at most a fifth of a cold fit; a step of BetaGP-SLP at least 3× the plain one.
"""

from __future__ import annotations

import resource
import time

import numpy as np
import torch

from comoderate.surface import AccuracySurface, choose
from comoderate.surface.gp import BetaGP
from comoderate.surface.gp_likelihood import nodes
from comoderate.surface.gp_parts import Encoder, SparseProcesses
from comoderate.surface.gp_step import Ascent, Bound
from comoderate.surface.inputs import Counts


def world(n_arms, n_attributes, labels, seed=0):
    """Arms of four values each, heavy-tailed traffic, and counts."""
    rng = np.random.default_rng(seed)
    arms = np.unique(rng.integers(0, 4, (2 * n_arms, n_attributes)), axis=0)
    arms = arms[rng.permutation(len(arms))[:n_arms]]
    traffic = rng.pareto(0.8, len(arms)) + 0.05
    logit = 1.5 + sum(rng.normal(0, 0.6, 4)[a] for a in arms.T) + rng.normal(0, 0.3, len(arms))
    n = rng.multinomial(labels, traffic / traffic.sum())
    return arms, n, rng.binomial(n, 1 / (1 + np.exp(-logit)))


def batch(arms, n, c, size=50, seed=1):
    """The counts after some more labels, one an arm."""
    rng = np.random.default_rng(seed)
    more = np.zeros(len(arms), dtype=int)
    more[rng.choice(len(arms), size, replace=False)] = 1
    return arms, n + more, c + more * (rng.random(len(arms)) < 0.7)


def seconds(work, repeats):
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


class Plain:
    """One Adam step on all arms with GPyTorch's own arithmetic, as in the public code."""

    def __init__(self, arms, n, c):
        torch.manual_seed(0)
        self.x = Encoder(arms, "integer")(arms)
        self.model = SparseProcesses(self.x[:50], 2, [1.0, 2.0])
        self.n, self.c = (torch.tensor(count, dtype=torch.float64)[:, None] for count in (n, c))
        self.points, self.weight = nodes(20)
        self.adam = torch.optim.Adam(self.model.parameters(), lr=0.01)
        self.model.train()

    def __call__(self):
        self.adam.zero_grad()
        self.loss().backward()
        self.adam.step()

    def loss(self):
        found = self.model(self.model.embed(self.x).expand(2, -1, -1))
        f, g = found.mean[:, :, None] + found.variance.sqrt()[:, :, None] * self.points
        phi, psi = torch.sigmoid(6 * f - 3).clamp(1e-6, 1 - 1e-6), torch.nn.functional.softplus(g)
        a, b, n, c = phi * psi, (1 - phi) * psi, self.n, self.c
        log = torch.lgamma(a + c) + torch.lgamma(b + n - c) - torch.lgamma(psi + n)
        log = log - torch.lgamma(a) - torch.lgamma(b) + torch.lgamma(psi)
        shape, clipped = torch.nn.functional.softplus(found.mean[1]), n[:, 0].clamp(0.01, 10.0)
        tied = ((shape - 1) * clipped.log() - clipped - torch.lgamma(shape)).sum()
        return self.model.variational_strategy.kl_divergence().sum() - (log @ self.weight).sum() - tied


class Ours:
    """The same step as the estimator takes it, with its smaller quadrature."""

    def __init__(self, arms, n, c):
        torch.manual_seed(0)
        x = Encoder(arms, "integer")(arms)
        model = SparseProcesses(x[:50], 2, [1.0, 2.0])
        estimator = BetaGP(supervision="gamma", supervision_weight=1.0, link="code")
        bound = Bound(model, x, estimator.likelihood(Counts(arms, n.astype(float), c.astype(float))))
        self.step = Ascent(bound, 0.01, 0.01)

    def __call__(self):
        self.step()


def main():
    torch.set_num_threads(1)
    small, large = world(700, 6, 2000), world(10_000, 8, 10_000)
    steps = Plain(*small), Ours(*small)
    for step in steps:
        step()
    rounds = [[seconds(step, 10) for step in steps] for _ in range(7)]
    plain, ours = np.min(rounds, axis=0)
    base = seconds(lambda: AccuracySurface().fit(*small).predict(small[0]), 3)
    chosen = seconds(lambda: choose(*small).surface.predict(small[0]), 3)
    print(f"public code's arithmetic, 2,000 steps: {2000 * plain:.1f} s")
    print(f"700 arms, {(small[1] > 0).sum()} labelled, fit and predict: {base:.2f} s, {2000 * plain / base:.0f} times")
    print(f"with the choice of estimator: {chosen:.2f} s, {2000 * plain / chosen:.0f} times as fast (bar 15)")
    print(f"step of BetaGP-SLP: {1e3 * ours:.1f} ms of {1e3 * plain:.1f} ms, {plain / ours:.1f} times as fast (bar 3)")
    big = seconds(lambda: AccuracySurface().fit(*large).predict(large[0]), 1)
    print(f"10,000 arms, {(large[1] > 0).sum()} labelled: {big:.2f} s, {big / base:.1f} times (bar 20)")
    after, cold, warm = batch(*small), [], []
    for _ in range(7):
        cold.append(seconds(lambda: AccuracySurface().fit(*after), 1))
        fitted = AccuracySurface().fit(*small)
        warm.append(seconds(lambda fitted=fitted: fitted.refit(*after), 1))
    share = np.median(np.divide(warm, cold))
    print(f"warm refit after 50 labels: {np.median(warm):.3f} s of {np.median(cold):.3f} s, {share:.2f} (bar .20)")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB (bar 4)")


if __name__ == "__main__":
    main()
