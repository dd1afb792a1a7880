"""Attributes that models predict: a joint distribution over arms for every example."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import logsumexp

from comoderate.surface.inputs import Codes, Floats, as_codes, find_rows

Kind = Literal["raw", "temp", "full"]


class ArmCalibration:
    """log P(a | x) = Σ_k τ_k log M_k(a_k | x) + N(a) − log Z(x), eq. 13 of Piratla et al. (2021).

    "raw" has τ = 1 and N = 0; "temp" learns a temperature τ_k = exp(t_k) > 0 for each attribute; "full" learns the
    joint potential N as well. N is log-linear in single values and pairs of values with a ridge penalty, where the
    paper has a small network: convex in its parameters, and able to hold every pairwise correlation. Z is a sum over
    all arms; with more than ``max_arms`` it is estimated from arms drawn in proportion to the mean predictions.

    Args:
        kind: "raw", "temp" or "full".
        penalty: ridge penalty on each coefficient of N, > 0, relative to one example.
        max_arms: the most arms over which training sums exactly.
        random_state: of the drawn arms.

    Attributes:
        arms_: (A, K) arms that share the probability.
        temperature_: (K,) τ.
        potential_: (A,) N of each arm, with mean 0.
    """

    arms_: Codes
    temperature_: Floats
    potential_: Floats

    def __init__(
        self, *, kind: Kind = "full", penalty: float = 1.0, max_arms: int = 5000, random_state: int = 0
    ) -> None:
        self.kind, self.penalty, self.max_arms, self.random_state = kind, penalty, max_arms, random_state

    def fit(
        self,
        probabilities: Sequence[ArrayLike],
        gold: ArrayLike,
        *,
        arms: ArrayLike,
        pool: Sequence[ArrayLike] | None = None,
        pool_share: float = 0.5,
    ) -> Self:
        """Learn from examples whose attributes are known.

        Args:
            probabilities: for each of K attributes (n, V_k), the attribute model's probabilities of its values.
            gold: (n, K) true codes.
            arms: (A, K) all arms that occur; every gold row must be one of them.
            pool: probabilities as above on unlabelled examples: their likeliest values then play the part of gold
                ones, as in the paper's appendix E. Off by default, since noisy attributes teach a noisy potential.
            pool_share: weight of the whole pool relative to the labelled examples.

        Raises:
            ValueError: for shapes that don't fit, probabilities outside [0, 1], or a gold arm that is not listed.
        """
        if self.kind not in ("raw", "temp", "full"):
            raise ValueError(f"kind must be raw, temp or full, not {self.kind!r}")
        if not self.penalty > 0:
            raise ValueError(f"penalty must be positive, not {self.penalty}")
        self.arms_ = as_codes(arms)
        logs = _logs(probabilities, self.arms_)
        rows = find_rows(self.arms_, as_codes(gold))
        if len(rows) != len(logs[0]) or (rows < 0).any():
            raise ValueError("gold must have a row for each example, and each must be one of the arms")
        weight = np.ones(len(rows))
        if pool is not None:
            logs, rows, weight = _with_pool(logs, rows, _logs(pool, self.arms_), self.arms_, pool_share)
        self.temperature_, self.potential_ = np.ones(self.arms_.shape[1]), np.zeros(len(self.arms_))
        if self.kind != "raw" and len(rows):
            self._train(logs, rows, weight)
        return self

    def predict_proba(self, probabilities: Sequence[ArrayLike]) -> Floats:
        """(n, A) probability of each arm for each example; rows sum to 1."""
        score = _scores(_logs(probabilities, self.arms_), self.arms_, self.temperature_) + self.potential_
        return np.asarray(np.exp(score - logsumexp(score, axis=1, keepdims=True)))

    def log_likelihood(self, probabilities: Sequence[ArrayLike], gold: ArrayLike) -> float:
        """Mean log-probability of the true arms (n, K)."""
        rows = find_rows(self.arms_, as_codes(gold))
        proba = self.predict_proba(probabilities)
        return float(np.log(np.maximum(proba[np.arange(len(rows)), rows], 1e-300)).mean())

    def _train(self, logs: list[Floats], rows: NDArray[np.intp], weight: Floats) -> None:
        summed, correction = self._summed_arms(logs, rows)
        arms = self.arms_[summed]
        design = pair_design(self.arms_) if self.kind == "full" else csr_array((len(self.arms_), 0))
        part, size = design[summed], self.arms_.shape[1]
        chosen = [log[np.arange(len(rows)), self.arms_[rows, k]] for k, log in enumerate(logs)]
        seen = design.T @ np.bincount(rows, weights=weight, minlength=len(self.arms_))

        def loss(x: Floats) -> tuple[float, Floats]:
            tau, theta = np.exp(x[:size]), x[size:]
            score = _scores(logs, arms, tau) + part @ theta + correction
            norm = logsumexp(score, axis=1)
            proba = np.exp(score - norm[:, None]) * weight[:, None]
            gain = sum(t * (weight @ own) for t, own in zip(tau, chosen)) + seen @ theta - weight @ norm
            slope = [tau[k] * (weight @ chosen[k] - (proba * logs[k][:, arms[:, k]]).sum()) - x[k] for k in range(size)]
            penalty = 0.5 * (self.penalty * theta @ theta + x[:size] @ x[:size])
            down = seen - part.T @ proba.sum(axis=0) - self.penalty * theta
            return float(penalty - gain), -np.concatenate([slope, down])

        fun: Any = loss
        found: Any = minimize(fun, np.zeros(size + design.shape[1]), jac=True, method="L-BFGS-B")
        self.temperature_ = np.exp(found.x[:size])
        potential = design @ found.x[size:]
        self.potential_ = np.asarray(potential - potential.mean())

    def _summed_arms(self, logs: list[Floats], rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats | float]:
        """Arms over which Z is summed, and −log of how often each is expected among them."""
        if len(self.arms_) <= self.max_arms:
            return np.arange(len(self.arms_)), 0.0
        rng: np.random.Generator = np.random.default_rng(self.random_state)
        mean = [np.exp(log).mean(axis=0) for log in logs]
        q = np.prod([m[self.arms_[:, k]] for k, m in enumerate(mean)], axis=0)
        chance = np.minimum(1.0, self.max_arms * (0.9 * q / q.sum() + 0.1 / len(q)))
        chance[rows] = 1.0
        taken = np.flatnonzero(rng.random(len(q)) < chance)
        return taken, -np.log(chance[taken])


def pair_design(arms: Codes) -> Any:
    """(A, P) sparse indicators of every single value and every pair of values that occurs in ``arms`` (A, K)."""
    columns, start = [], 0
    sets = [(k,) for k in range(arms.shape[1])] + list(combinations(range(arms.shape[1]), 2))
    for kept in sets:
        _, inverse = np.unique(arms[:, kept], axis=0, return_inverse=True)
        columns.append(inverse.reshape(-1) + start)
        start += int(inverse.max()) + 1
    index = np.stack(columns, axis=1).ravel()
    row = np.repeat(np.arange(len(arms)), len(sets))
    return csr_array((np.ones(len(index)), (row, index)), shape=(len(arms), start))


def _logs(probabilities: Sequence[ArrayLike], arms: Codes) -> list[Floats]:
    tables = [np.asarray(p, dtype=np.float64) for p in probabilities]
    if len(tables) != arms.shape[1] or any(t.ndim != 2 or len(t) != len(tables[0]) for t in tables):
        raise ValueError(f"probabilities must be {arms.shape[1]} arrays (examples, values), one for each attribute")
    for k, table in enumerate(tables):
        if not ((table >= 0) & (table <= 1)).all():
            raise ValueError(f"probabilities of attribute {k} must lie in [0, 1]")
        if arms[:, k].min() < 0 or arms[:, k].max() >= table.shape[1]:
            raise ValueError(f"attribute {k} has codes without a column of probabilities")
    return [np.log(np.maximum(t, 1e-12)) for t in tables]


def _scores(logs: list[Floats], arms: Codes, temperature: Floats) -> Floats:
    total = np.zeros((len(logs[0]), len(arms)))
    for k, log in enumerate(logs):
        total += temperature[k] * log[:, arms[:, k]]
    return total


def _with_pool(
    logs: list[Floats], rows: NDArray[np.intp], pool: list[Floats], arms: Codes, share: float
) -> tuple[list[Floats], NDArray[np.intp], Floats]:
    """Labelled examples, and pool examples with their likeliest values as gold where these form an arm."""
    guess = find_rows(arms, np.column_stack([log.argmax(axis=1) for log in pool]))
    usable = guess >= 0
    each = share * len(rows) / max(int(usable.sum()), 1)
    joined = [np.vstack([log, other[usable]]) for log, other in zip(logs, pool)]
    weight = np.append(np.ones(len(rows)), np.full(int(usable.sum()), each))
    return joined, np.append(rows, guess[usable]), weight
