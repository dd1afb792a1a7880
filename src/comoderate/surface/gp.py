"""The Gaussian-process family of Piratla et al. (2021): BernGP, BetaGP, with scale supervision and pooling.

Needs the extra ``surface`` (torch, gpytorch); the other estimators do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from comoderate.surface.base import Surface
from comoderate.surface.beta import pooled_accuracy
from comoderate.surface.gp_likelihood import (
    BernoulliLikelihood,
    BetaLikelihood,
    Link,
    Parameters,
    ScaleSupervision,
    Sloped,
    Supervision,
    nodes,
    scale,
    shapes,
    steepness,
)
from comoderate.surface.gp_parts import Encoder, Encoding, SparseProcesses
from comoderate.surface.gp_step import Bound, Likelihood, climb
from comoderate.surface.inputs import Codes, Counts, Floats
from comoderate.surface.posterior import Posterior, spread

Pooling = Literal["none", "paper", "code"]


class BetaGP(Surface):
    """ρ_a ~ Beta(φψ, (1 − φ)ψ) with a Gaussian process each for φ and for ψ (eqns 5 to 10).

    Args:
        supervision: of scales: "none", "dirichlet" (paper) or "gamma" (public code).
        supervision_weight: of the supervision against the likelihood; 1 as published. At 1 scales follow counts, but
            arms with few labels are hardly smoothed any more: errors were twice as large as at .01.
        pooling: of arms with few labels: "none"; "paper": arms with fewer than 5 take the kernel-weighted mean of
            their three nearest arms' counts; "code": arms with at most 5 take a third of the sum over the three
            arms of largest kernel, itself included.
        encoding: "onehot" or "integer" codes as the network's input.
        conjugate: whether the arm's own counts update its Beta, E[(ψφ + c)/(ψ + n)].
        link: "plain" for φ = σ(f), "code" for σ(6 f − 3).
        parameters: "mean_scale" for processes of φ and ψ; "alpha_beta" for processes of φψ and (1 − φ)ψ, by softplus,
            with which the paper compares in its Appendix B.
        n_inducing: inducing points of each process.
        steps: Adam steps, first on all parameters, then on all but the embedding with pooled counts. More of them fit
            noise: three times as many gave errors a fifth to a half larger on most reference surfaces.
        learning_rate: of Adam.
        embedding_rate: of Adam for the embedding, which soon fits noise if it learns as fast as the rest; 0 keeps
            the random embedding that it starts from.
        random_state: of the network and the inducing points.
    """

    n_processes = 2

    def __init__(
        self,
        *,
        supervision: Supervision = "none",
        supervision_weight: float = 0.01,
        pooling: Pooling = "none",
        encoding: Encoding = "onehot",
        conjugate: bool = True,
        link: Link = "plain",
        parameters: Parameters = "mean_scale",
        n_inducing: int = 50,
        steps: tuple[int, int] = (150, 50),
        learning_rate: float = 0.02,
        embedding_rate: float = 1e-4,
        random_state: int = 0,
    ) -> None:
        self.supervision, self.pooling, self.encoding, self.conjugate = supervision, pooling, encoding, conjugate
        self.link, self.parameters, self.n_inducing, self.steps = link, parameters, n_inducing, steps
        self.supervision_weight = supervision_weight
        self.learning_rate, self.embedding_rate, self.random_state = learning_rate, embedding_rate, random_state

    def _fit(self, counts: Counts) -> None:
        self._check()
        self._encode = Encoder(self.counts_.arms, self.encoding)
        start = self._start(pooled_accuracy(counts))
        rng: np.random.Generator = np.random.default_rng(self.random_state)
        pool = counts.arms if len(counts.n) else self.counts_.arms
        chosen = pool[rng.permutation(len(pool))[: self.n_inducing]]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.random_state)
            self.model_ = SparseProcesses(self._encode(chosen), self.n_processes, start[: self.n_processes])
            if len(counts.n):
                self._train(counts, self.steps[0], self.embedding_rate)
                self._train(self._pooled(), self.steps[1], 0.0)
            self.model_.eval()

    def _start(self, rate: float) -> list[float]:
        """Constant means of the processes: φ the pooled accuracy, ψ about two pseudo-examples."""
        if self.parameters == "alpha_beta":
            both = float(np.log1p(np.exp(2.0)))
            return [float(np.log(np.expm1(part * both))) for part in (rate, 1 - rate)]
        start = float(np.log(rate / (1 - rate)))
        return [start if self.link == "plain" else (start + 3) / 6, 2.0]

    def _check(self) -> None:
        allowed = {
            "supervision": ("none", "dirichlet", "gamma"),
            "pooling": ("none", "paper", "code"),
            "encoding": ("onehot", "integer"),
            "link": ("plain", "code"),
            "parameters": ("mean_scale", "alpha_beta"),
        }
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name} must be one of {', '.join(values)}, not {getattr(self, name)!r}")

    def _train(self, counts: Counts, steps: int, embedding_rate: float) -> None:
        inputs, likelihood = self._encode(counts.arms), self.likelihood(counts)
        bound = Bound(self.model_, inputs, likelihood, frozen=embedding_rate == 0)
        climb(bound, steps, self.learning_rate, embedding_rate)

    def likelihood(self, counts: Counts) -> Likelihood:
        """What fitting makes large, less the divergence: the likelihood of counts, and what ties scales to them."""
        fit = BetaLikelihood(counts.n, counts.c, self.link, self.parameters)
        if self.supervision == "none":
            return fit
        tied, weight = ScaleSupervision(counts.n, self.supervision, self.parameters), self.supervision_weight

        def both(mean: torch.Tensor, variance: torch.Tensor) -> Sloped:
            found, (value, slope) = fit(mean, variance), tied(mean)
            return Sloped(found.value + weight * value, found.to_mean + weight * slope, found.to_variance)

        return both

    def _pooled(self) -> Counts:
        """Counts after pooling, with the kernel as it is now; only arms that then have labels."""
        counts = self.counts_
        if self.pooling == "none":
            return counts.labelled()
        kernel = self.model_.similarity(self._encode(counts.arms)).numpy().copy()
        few = counts.n < 5 if self.pooling == "paper" else counts.n <= 5
        if self.pooling == "paper":
            np.fill_diagonal(kernel, -1.0)
        top = np.argsort(-kernel, axis=1, kind="stable")[:, :3]
        weight = np.maximum(np.take_along_axis(kernel, top, axis=1), 1e-12)
        weight = weight / weight.sum(axis=1, keepdims=True) if self.pooling == "paper" else np.full(top.shape, 1 / 3)
        n = np.where(few, (weight * counts.n[top]).sum(axis=1), counts.n)
        c = np.where(few, (weight * counts.c[top]).sum(axis=1), counts.c)
        return Counts(counts.arms, n, np.minimum(c, n)).labelled()

    def _marginals(self, codes: Codes) -> tuple[torch.Tensor, torch.Tensor]:
        return self.model_.marginals(self._encode(codes))

    def scales(self, arms: Codes) -> Floats:
        """(A,) ψ of each arm at the mean of its process."""
        mean = self._marginals(np.asarray(arms, dtype=np.int64))[0]
        if self.parameters == "alpha_beta":
            return np.asarray((scale(mean[0]) + scale(mean[1])).numpy())
        return np.asarray(scale(mean[1]).numpy())

    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        mean, variance = self._marginals(codes)
        (x, w), (y, v) = nodes(9), nodes(5)
        first = mean[0][:, None, None] + variance[0].sqrt()[:, None, None] * x[:, None]
        second = mean[1][:, None, None] + variance[1].sqrt()[:, None, None] * y
        weight = (w[:, None] * v[None, :]).numpy().ravel()
        a, b = (t.numpy().reshape(len(codes), -1) for t in shapes(first, second, self.link, self.parameters))
        if self.conjugate:
            a, b = a + c[:, None], b + (n - c)[:, None]
        return Posterior.beta_mixture(a, b, np.broadcast_to(weight, a.shape))


class BernGP(BetaGP):
    """ρ_a = φ(f_a) with one Gaussian process and the arm-level Bernoulli likelihood."""

    n_processes = 1

    def __init__(
        self,
        *,
        encoding: Encoding = "onehot",
        link: Link = "plain",
        n_inducing: int = 50,
        steps: tuple[int, int] = (150, 50),
        learning_rate: float = 0.02,
        embedding_rate: float = 1e-4,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            encoding=encoding,
            link=link,
            n_inducing=n_inducing,
            steps=steps,
            learning_rate=learning_rate,
            embedding_rate=embedding_rate,
            random_state=random_state,
        )

    def likelihood(self, counts: Counts) -> Likelihood:
        """The likelihood of counts."""
        return BernoulliLikelihood(counts.n, counts.c, self.link)

    def _posterior(self, codes: Codes, own: NDArray[np.intp], n: Floats, c: Floats) -> Posterior:
        mean, variance = (t.numpy()[0] for t in self._marginals(codes))
        factor, shift = steepness(self.link)
        mean, sd = factor * mean + shift, factor * np.sqrt(variance)
        logit = spread(mean, sd)
        return Posterior.from_log_density(logit, -0.5 * ((logit - mean[:, None]) / sd[:, None]) ** 2)


def beta_gp_sl() -> BetaGP:
    """BetaGP with scale supervision."""
    return BetaGP(supervision="gamma")


def beta_gp_slp() -> BetaGP:
    """BetaGP with scale supervision and pooling."""
    return BetaGP(supervision="gamma", pooling="code")


KINDS: dict[str, Callable[[], BetaGP]] = {
    "BernGP": BernGP,
    "BetaGP": BetaGP,
    "BetaGP-SL": beta_gp_sl,
    "BetaGP-SLP": beta_gp_slp,
}
