"""How a surface changed between two dates, or between two versions of a service."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from comoderate.surface.base import Surface
from comoderate.surface.inputs import Floats
from comoderate.surface.posterior import shortest


@dataclass(frozen=True)
class Drift:
    """Change of accuracy by arm, after less before; (A,) each, in [−1, 1].

    Attributes:
        difference: expected change.
        low, high: the shortest interval of the change at ``level``.
        fell: posterior probability that the accuracy fell.
        level: coverage of the intervals.
    """

    difference: Floats
    low: Floats
    high: Floats
    fell: Floats
    level: float


def drift(
    before: Surface, after: Surface, arms: ArrayLike, *, level: float = 0.95, size: int = 2000, random_state: int = 0
) -> Drift:
    """Compare two surfaces that were fitted to different labels, arm by arm.

    Both posteriors are drawn from independently. With the *same* posts labelled for both versions this is cautious:
    what both share is then counted as noise twice.

    Args:
        before, after: fitted estimators, of one kind or of different kinds.
        arms: (A, K) arms to compare.
        level: coverage of the intervals, in (0, 1).
        size: draws.
        random_state: of the pairing of draws.

    Raises:
        ValueError: for a bad level or arms that the estimators can't predict.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    one, two = before.posterior(arms), after.posterior(arms)
    rng: np.random.Generator = np.random.default_rng(random_state)
    change = two.draws(size) - rng.permuted(one.draws(size), axis=1)
    low, high = shortest(change, level)
    return Drift(two.mean - one.mean, low, high, np.asarray((change < 0).mean(axis=1)), level)
