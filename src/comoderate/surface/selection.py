"""Choice among estimators by how likely they find labels that they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from comoderate.surface.base import Surface
from comoderate.surface.beta import BetaI, Constant, EmpiricalBayes
from comoderate.surface.inputs import Counts, Floats, as_counts
from comoderate.surface.logistic_normal import LogisticNormal

Makers = Mapping[str, Callable[[], Surface]]

FAST: Makers = {
    "constant": Constant,
    "beta_i": BetaI,
    "empirical_bayes": EmpiricalBayes,
    "main_effects": lambda: LogisticNormal(order=1, integrate=False),
    "logistic_normal": lambda: LogisticNormal(integrate=False),
}

FINAL: Makers = {"main_effects": lambda: LogisticNormal(order=1), "logistic_normal": LogisticNormal}
"""What is fitted to all labels where it wins: comparing needs no integration over scales, intervals do."""


@dataclass(frozen=True)
class Choice:
    """The estimator that was chosen.

    Attributes:
        name: its name among the candidates.
        surface: it, fitted to all counts.
        log_likelihood: mean log-likelihood of a held-out label under each candidate; larger is better.
    """

    name: str
    surface: Surface
    log_likelihood: dict[str, float]


def predictive(surface: Surface, counts: Counts) -> Floats:
    """(A,) log-likelihood of each arm's counts under the posterior of ``surface``: log E[ρ^c (1 − ρ)^(n − c)]."""
    if not len(counts.n):
        return np.zeros(0)
    p = surface.posterior(counts.arms)
    outcome = counts.c[:, None] * p.logit - counts.n[:, None] * np.logaddexp(0.0, p.logit)
    return np.asarray(logsumexp(np.log(p.mass + 1e-300) + outcome, axis=1))


def halves(counts: Counts, folds: int, rng: np.random.Generator) -> Iterator[tuple[Counts, Counts]]:
    """Split labels at random within arms into ``folds`` parts; yields what to fit and what is held out.

    Whole counts are split label by label. Arms with fractional counts go to one fold as a whole.
    """
    whole = (counts.n == np.floor(counts.n)) & (counts.c == np.floor(counts.c))
    home = rng.integers(0, folds, len(counts.n))
    right, wrong = (
        np.where(whole, counts.c, 0).astype(np.int64),
        np.where(whole, counts.n - counts.c, 0).astype(np.int64),
    )
    even = np.full(folds, 1 / folds)
    right_part, wrong_part = rng.multinomial(right, even), rng.multinomial(wrong, even)
    for fold in range(folds):
        own = ~whole & (home == fold)
        c: Floats = np.where(own, counts.c, right_part[:, fold].astype(np.float64))
        n: Floats = c + wrong_part[:, fold] + np.where(own, counts.n - counts.c, 0.0)
        rest_n = np.maximum(counts.n - n, 0.0)
        fit = Counts(counts.arms, rest_n, np.clip(counts.c - c, 0.0, rest_n))
        yield fit, Counts(counts.arms, n, np.minimum(c, n)).labelled()


def choose(
    arms: ArrayLike,
    n: ArrayLike,
    c: ArrayLike,
    *,
    candidates: Makers | None = None,
    folds: int = 3,
    random_state: int = 0,
) -> Choice:
    """Fit the candidate under which held-out labels are likeliest.

    Args:
        arms, n, c: counts by arm as for ``Surface.fit``.
        candidates: names and makers of estimators; by default the fast ones of this room. On a tie the first wins.
        folds: parts into which labels are split, >= 2; each is held out once.
        random_state: of the split.

    Raises:
        ValueError: for bad counts, fewer than two folds, or no candidate.
    """
    counts = as_counts(arms, n, c)
    makers = FAST if candidates is None else candidates
    if folds < 2 or not makers:
        raise ValueError("choosing needs at least two folds and one candidate")
    total, size = dict.fromkeys(makers, 0.0), 0.0
    for fit, held_out in halves(counts, folds, np.random.default_rng(random_state)):
        size += float(held_out.n.sum())
        for name, make in makers.items():
            total[name] += float(predictive(make().fit(fit.arms, fit.n, fit.c), held_out).sum())
    scores = {name: value / max(size, 1.0) for name, value in total.items()}
    best = max(scores, key=lambda name: scores[name])
    winner = (FINAL if candidates is None else makers).get(best, makers[best])()
    return Choice(best, winner.fit(counts.arms, counts.n, counts.c), scores)
