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
from comoderate.surface.gp_parts import Encoder, SparseProcesses, beta_likelihood, nodes, scale_supervision


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


class Step:
    """One Adam step on all 700 arms: GPyTorch's own arithmetic, or ours."""

    def __init__(self, arms, n, c, *, plain):
        torch.manual_seed(0)
        self.x = Encoder(arms, "integer")(arms)
        self.model = SparseProcesses(self.x[:50], 2, [1.0, 2.0])
        self.n, self.c, self.plain = torch.tensor(n, dtype=torch.float64), torch.tensor(c, dtype=torch.float64), plain
        self.adam = torch.optim.Adam(self.model.parameters(), lr=0.01)
        self.model.train()

    def __call__(self):
        self.adam.zero_grad()
        (self.plain_loss() if self.plain else self.our_loss()).backward()
        self.adam.step()

    def our_loss(self):
        mean, variance = self.model.marginals(self.x)
        fit = beta_likelihood(mean, variance, self.n, self.c, "code") + scale_supervision(mean, self.n, "gamma")
        return self.model.divergence() - fit

    def plain_loss(self):
        found = self.model(self.model.embed(self.x).expand(2, -1, -1))
        points, weight = nodes(20)
        f, g = found.mean[:, :, None] + found.variance.sqrt()[:, :, None] * points
        phi, psi = torch.sigmoid(6 * f - 3).clamp(1e-6, 1 - 1e-6), torch.nn.functional.softplus(g)
        a, b, n, c = phi * psi, (1 - phi) * psi, self.n[:, None], self.c[:, None]
        log = torch.lgamma(a + c) + torch.lgamma(b + n - c) - torch.lgamma(psi + n)
        log = log - torch.lgamma(a) - torch.lgamma(b) + torch.lgamma(psi)
        fit = (log @ weight).sum() + scale_supervision(found.mean, self.n, "gamma")
        return self.model.variational_strategy.kl_divergence().sum() - fit


def main():
    torch.set_num_threads(1)
    small, large = world(700, 6, 2000), world(10_000, 8, 10_000)
    steps = {plain: Step(*small, plain=plain) for plain in (True, False)}
    for step in steps.values():
        step()
    plain, ours = (min(seconds(steps[kind], 20) for _ in range(2)) for kind in (True, False))
    base = seconds(lambda: AccuracySurface().fit(*small).predict(small[0]), 3)
    chosen = seconds(lambda: choose(*small).surface.predict(small[0]), 3)
    print(f"public code's arithmetic, 2,000 steps: {2000 * plain:.1f} s")
    print(f"700 arms, {(small[1] > 0).sum()} labelled, fit and predict: {base:.2f} s, {2000 * plain / base:.0f} times")
    print(f"with the choice of estimator: {chosen:.2f} s, {2000 * plain / chosen:.0f} times as fast (bar 15)")
    print(f"step of BetaGP-SLP: {1e3 * ours:.1f} ms of {1e3 * plain:.1f} ms, {plain / ours:.1f} times as fast (bar 3)")
    big = seconds(lambda: AccuracySurface().fit(*large).predict(large[0]), 1)
    print(f"10,000 arms, {(large[1] > 0).sum()} labelled: {big:.2f} s, {big / base:.1f} times (bar 20)")
    fitted, after = AccuracySurface(), batch(*small)
    cold = seconds(lambda: fitted.fit(*small), 3)
    again = seconds(lambda: AccuracySurface().fit(*after), 3)
    warm = []
    for _ in range(5):
        fitted.fit(*small)
        warm.append(seconds(lambda: fitted.refit(*after), 1))
    print(f"warm refit after 50 labels: {min(warm):.3f} s of {again:.3f} s, {min(warm) / again:.2f} (bar .20)")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB (bar 4); a cold fit {cold:.3f} s")


if __name__ == "__main__":
    main()
