"""Which arms to label next, one batch at a time, and how a sequence of batches would have gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from comoderate.surface.base import Prediction, Surface
from comoderate.surface.inputs import Codes, Floats, as_codes
from comoderate.surface.posterior import Posterior

Arms = NDArray[np.intp]


@dataclass(frozen=True)
class State:
    """What a strategy may look at.

    Attributes:
        surface: fitted to all labels so far.
        arms: (A, K) arms of the pool.
        pool_size: (A,) examples in each, labelled ones included.
        n: (A,) labelled examples.
        cost: (A,) cost of one label in each arm.
    """

    surface: Surface
    arms: Codes
    pool_size: Floats
    n: Floats
    cost: Floats

    @property
    def left(self) -> NDArray[np.int64]:
        """(A,) examples not yet labelled."""
        return np.maximum(np.floor(self.pool_size - self.n + 1e-9), 0).astype(np.int64)


class Stop(NamedTuple):
    """When every arm that counts is known well enough.

    Attributes:
        min_pool: arms with fewer examples don't count.
        margin: half the width that the interval of an arm may have. Over many arms, intervals hold the mean as often
            as their level says; that all hold together is not promised.
    """

    min_pool: float
    margin: float

    def reached(self, surface: Surface, arms: ArrayLike, pool_size: ArrayLike) -> bool:
        """Whether all arms that count are known to within the margin, as means over their finite pools."""
        size = np.asarray(pool_size, dtype=np.float64)
        codes, counted = as_codes(arms), size >= self.min_pool
        return not counted.any() or bool(self.known(surface, codes[counted], size[counted]).all())

    def known(
        self, surface: Surface, arms: ArrayLike, pool_size: ArrayLike | None, *, level: float = 0.95
    ) -> NDArray[np.bool_]:
        """(A,) whether each arm's interval is no wider than the margin allows; for means of pools, if there are any."""
        return self.within(surface.predict(arms, pool_size=pool_size, level=level))

    def within(self, estimated: Prediction) -> NDArray[np.bool_]:
        """(A,) whether each interval is no wider than the margin allows."""
        return np.asarray((estimated.high - estimated.low) / 2 <= self.margin + 1e-12)


Strategy = Callable[[State, int, np.random.Generator], Arms]


def random_examples(state: State, size: int, rng: np.random.Generator) -> Arms:
    """Examples drawn evenly from all that are left: arms in proportion to their traffic."""
    left = state.left
    drawn = rng.multivariate_hypergeometric(left, min(size, int(left.sum())), method="marginals")
    return rng.permutation(np.repeat(np.arange(len(left)), drawn))


def uniform_over_arms(state: State, size: int, rng: np.random.Generator) -> Arms:
    """Each label from an arm drawn evenly among those that have examples left."""
    chosen: list[int] = []
    left = state.left.copy()
    while len(chosen) < size and left.any():
        open_arms = np.flatnonzero(left > 0)
        for arm in rng.permutation(open_arms)[: size - len(chosen)]:
            chosen.append(int(arm))
            left[arm] -= 1
    return np.array(chosen, dtype=np.intp)


def variance_first(state: State, size: int, rng: np.random.Generator) -> Arms:
    """One label in each of the arms of largest posterior variance (Piratla et al. 2021, §3.4); cost is ignored."""
    variance = state.surface.posterior(state.arms).variance * _tie_breaker(rng, len(state.arms))
    variance = np.where(state.left > 0, variance, -np.inf)
    order = np.argsort(-variance, kind="stable")[:size]
    return order[state.left[order] > 0]


def error_reduction(state: State, size: int, rng: np.random.Generator, *, weak: float = 0.0) -> Arms:
    """Labels where they are expected to reduce the macro error of pool means most, for their cost.

    An arm with R of N examples unlabelled has the expected squared error (R/N)² v + R/N² · E[ρ(1 − ρ)] for posterior
    variance v of its accuracy ρ; one more label leaves R − 1 and reduces v to that of the grid posterior after the
    likelier outcomes, weighted by their probability. Several labels may go to one arm: its gain is worked out anew
    after each, with v shrinking as that of a Beta of the same moments does.

    Args:
        state, size, rng: as for every strategy.
        weak: 0 counts all arms alike; 1 counts each by its expected error rate, which favours weak arms.
    """
    posterior = state.surface.posterior(state.arms)
    mean, variance = posterior.mean, posterior.variance
    importance = (1 - mean) ** weak / state.cost * _tie_breaker(rng, len(mean))
    strength = np.maximum(mean * (1 - mean) / variance - 1, 0.1)
    pool, left, taken = np.maximum(state.pool_size, 1), state.left.copy(), np.zeros(len(mean))
    first = expected_variance(posterior)
    chosen = np.empty(min(size, int(left.sum())), dtype=np.intp)
    gain = np.where(left > 0, importance * _gain(mean, variance, first, left, pool), -np.inf)
    for i in range(len(chosen)):
        arm = int(np.argmax(gain))
        chosen[i] = arm
        left[arm] -= 1
        taken[arm] += 1
        now = first[arm] * (strength[arm] + 1) / (strength[arm] + taken[arm])
        then = first[arm] * (strength[arm] + 1) / (strength[arm] + taken[arm] + 1)
        m, p = mean[arm], pool[arm]
        gain[arm] = importance[arm] * float(_gain(m, now, then, left[arm], p)) if left[arm] > 0 else -np.inf
    return chosen


def _tie_breaker(rng: np.random.Generator, size: int) -> Floats:
    """(size,) factors a little below 1: of arms that are worth the same, random ones are taken.

    In the order of their codes, the first labels would all go to the first values of the first attribute, and a
    surface that saw only those would take the others to be like them.
    """
    return np.asarray(1 - 1e-3 * rng.random(size))


def expected_variance(posterior: Posterior) -> Floats:
    """(A,) expected posterior variance of each arm's accuracy after one more label in it."""
    rho = expit(posterior.logit)
    right = posterior.mean
    after = np.zeros(len(right))
    for chance, outcome in ((right, rho), (1 - right, 1 - rho)):
        mass = posterior.mass * outcome
        mass = mass / np.maximum(mass.sum(axis=1, keepdims=True), 1e-300)
        centre = (mass * rho).sum(axis=1)
        after += chance * ((mass * rho**2).sum(axis=1) - centre**2)
    return np.minimum(np.maximum(after, 0.0), posterior.variance)


def _gain(
    mean: Floats | float, now: Floats | float, then: Floats | float, left: NDArray[np.int64] | int, pool: Floats | float
) -> Floats:
    """How much the expected squared error of a pool mean falls when one of ``left`` examples is labelled."""
    return np.asarray(_pool_error(mean, now, left, pool) - _pool_error(mean, then, left - 1, pool))


def _pool_error(
    mean: Floats | float, variance: Floats | float, left: NDArray[np.int64] | int, pool: Floats | float
) -> Floats:
    rest = np.asarray(left, dtype=np.float64)
    noise = np.asarray(mean) * (1 - np.asarray(mean)) - variance
    return np.asarray((rest**2 * variance + rest * noise) / np.asarray(pool) ** 2)


STRATEGIES: Mapping[str, Strategy] = {
    "random": random_examples,
    "uniform": uniform_over_arms,
    "variance": variance_first,
    "error_reduction": error_reduction,
    "worst_error_reduction": partial(error_reduction, weak=1.0),
}


def propose(
    surface: Surface,
    arms: ArrayLike,
    *,
    pool_size: ArrayLike,
    n: ArrayLike,
    size: int,
    strategy: str | Strategy = "error_reduction",
    cost: ArrayLike | None = None,
    random_state: int = 0,
) -> Arms:
    """The next batch: an arm for each label, (size,) or fewer if the pool runs out. Within an arm draw at random.

    Args:
        surface: fitted to the labels so far.
        arms: (A, K) arms of the pool, every arm once.
        pool_size: (A,) examples in each, labelled ones included.
        n: (A,) labelled examples in each.
        size: labels wanted, >= 0.
        strategy: a name in ``STRATEGIES`` or a function.
        cost: (A,) cost of a label in each arm, > 0; equal if None.
        random_state: of strategies that draw.

    Raises:
        ValueError: for wrong shapes or values, or an unknown strategy.
    """
    codes = as_codes(arms)
    pool, done = np.asarray(pool_size, dtype=np.float64), np.asarray(n, dtype=np.float64)
    price = np.ones(len(codes)) if cost is None else np.asarray(cost, dtype=np.float64)
    if not pool.shape == done.shape == price.shape == (len(codes),):
        raise ValueError(f"pool_size, n and cost must have one value for each of the {len(codes)} arms")
    if size < 0 or not (price > 0).all() or (pool < 0).any() or (done < 0).any():
        raise ValueError("size, pool_size and n must not be negative, and costs must be positive")
    if isinstance(strategy, str):
        if strategy not in STRATEGIES:
            raise ValueError(f"there is no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
        strategy = STRATEGIES[strategy]
    state = State(surface, codes, pool, done, price)
    return strategy(state, size, np.random.default_rng(random_state))


@dataclass(frozen=True)
class Round:
    """The surface after a batch.

    Attributes:
        labels: labelled examples so far.
        n, c: (A,) counts so far.
        surface: fitted to them; the same object every round, refitted.
    """

    labels: int
    n: Floats
    c: Floats
    surface: Surface


def simulate(
    surface: Surface,
    arms: ArrayLike,
    right: ArrayLike,
    wrong: ArrayLike,
    *,
    n: ArrayLike,
    c: ArrayLike,
    batches: list[int],
    strategy: str | Strategy = "error_reduction",
    anew: float = 1.5,
    random_state: int = 0,
) -> Iterator[Round]:
    """Label a pool whose answers are known, batch by batch; yields the state at the start and after every batch.

    Args:
        surface: an estimator; it is fitted here.
        arms: (A, K) arms, every arm once.
        right, wrong: (A,) examples of the pool by outcome.
        n, c: (A,) labels at the start.
        batches: sizes of batches.
        strategy: as for :func:`propose`.
        anew: fit from the start whenever labels have grown by this factor, and refit warm in between.
        random_state: of the draws.
    """
    codes, rng = as_codes(arms), np.random.default_rng(random_state)
    good, bad = np.asarray(right, dtype=np.int64), np.asarray(wrong, dtype=np.int64)
    done, ok = np.asarray(n, dtype=np.float64).copy(), np.asarray(c, dtype=np.float64).copy()
    surface.fit(codes, done, ok)
    last = done.sum()
    yield Round(int(done.sum()), done.copy(), ok.copy(), surface)
    for size in batches:
        chosen = propose(
            surface,
            codes,
            pool_size=good + bad,
            n=done,
            size=size,
            strategy=strategy,
            random_state=int(rng.integers(2**31)),
        )
        asked = np.bincount(chosen, minlength=len(codes))
        hits = rng.hypergeometric(
            np.maximum(good - ok, 0).astype(int), np.maximum(bad - (done - ok), 0).astype(int), asked
        )
        done += asked
        ok += hits
        fresh = done.sum() >= anew * last
        (surface.fit if fresh else surface.refit)(codes, done, ok)
        last = done.sum() if fresh else last
        yield Round(int(done.sum()), done.copy(), ok.copy(), surface)
