"""Coverage of the intervals of agreement in simulation; prints a table.

python bench/agreement_coverage.py [--runs 1000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from comoderate.agreement import (
    counts_from_ratings,
    fleiss_kappa,
    gwet_ac1,
    intraclass_correlation,
    krippendorff_alpha,
)
from comoderate.metrics.estimate import Estimate

STATISTICS: dict[str, Callable[[np.ndarray], Estimate]] = {
    "kappa": lambda r: fleiss_kappa(counts_from_ratings(r)),
    "kappa, Wald": lambda r: fleiss_kappa(counts_from_ratings(r), interval="wald"),
    "AC1": lambda r: gwet_ac1(counts_from_ratings(r)),
    "alpha, ordinal": partial(krippendorff_alpha, level="ordinal"),
    "ICC(1,1)": intraclass_correlation,
    "ICC(1,1), F": lambda r: (
        Estimate.undefined("missing") if np.isnan(r).any() else intraclass_correlation(r, interval="F")
    ),
    "ICC(2,1)": partial(intraclass_correlation, kind="ICC(2,1)"),
}


class Case(NamedTuple):
    """A population: shares of the classes, chance that a rater knows, raters an item, chance of a missing rating."""

    name: str
    n: int
    shares: tuple[float, ...]
    knows: float
    raters: int
    missing: float = 0.0


CASES = [
    Case("n 500, 72/20/8 %", 500, (0.72, 0.2, 0.08), 0.7, 3),
    Case("n 500, 72/20/8 %, poor raters", 500, (0.72, 0.2, 0.08), 0.3, 3),
    Case("n 500, 50/50 %", 500, (0.5, 0.5), 0.8, 3),
    Case("n 500, 72/20/8 %, 5 raters, 30 % missing", 500, (0.72, 0.2, 0.08), 0.7, 5, 0.3),
    Case("n 500, 92/8 %", 500, (0.92, 0.08), 0.7, 3),
    Case("n 50, 72/20/8 %", 50, (0.72, 0.2, 0.08), 0.7, 3),
    Case("n 50, 92/8 %", 50, (0.92, 0.08), 0.7, 3),
    Case("n 50, 92/8 %, good raters", 50, (0.92, 0.08), 0.95, 3),
    Case("n 50, 92/8 %, poor raters", 50, (0.92, 0.08), 0.3, 3),
    Case("n 50, 95/5 %, 5 raters, 30 % missing", 50, (0.95, 0.05), 0.7, 5, 0.3),
]


def draw(case: Case, rng: np.random.Generator, n: int) -> np.ndarray:
    """(n, raters) ratings: a rater knows the truth or answers at random by the shares."""
    q = len(case.shares)
    truth = rng.choice(q, size=n, p=case.shares)
    guess = rng.choice(q, size=(n, case.raters), p=case.shares)
    ratings = np.where(rng.random((n, case.raters)) < case.knows, truth[:, None], guess).astype(float)
    ratings[rng.random(ratings.shape) < case.missing] = np.nan
    return ratings


def coverage(case: Case, runs: int, seed: int, names: list[str]) -> dict[str, tuple[float, float]]:
    """Share of intervals that hold the truth, and share of samples with an interval and a warning."""
    rng = np.random.default_rng(seed)
    big = draw(case, rng, 400_000)
    truth = {name: STATISTICS[name](big).value for name in names}
    hits, warned, made = dict.fromkeys(names, 0), dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for _ in range(runs):
        ratings = draw(case, rng, case.n)
        for name in names:
            found = STATISTICS[name](ratings)
            if not np.isnan(found.low):
                made[name] += 1
                hits[name] += found.covers(truth[name])
                warned[name] += found.reason is not None
    return {name: (hits[name] / max(made[name], 1), warned[name] / max(made[name], 1)) for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("| population | " + " | ".join(STATISTICS) + " | warned |")
    print("|---" * (len(STATISTICS) + 2) + "|")
    for seed, case in enumerate(CASES):
        found = coverage(case, runs, seed, list(STATISTICS))
        cells = [f"{share:.3f}" if share else "–" for share, _ in found.values()]
        print(f"| {case.name} | " + " | ".join(cells) + f" | {found['kappa'][1]:.0%} |", flush=True)


if __name__ == "__main__":
    main()
