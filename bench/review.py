"""How long the metrics of the pair take on a million posts, as ratios to one ``numpy.argsort`` in the same run.

Usage: python bench/review.py [n]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import comoderate.metrics as m

EIGHT = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2]
BARS = {
    "OC-AUROC at eight fractions": 15,
    "curve of 101 fractions: OC-Acc, efficiency, effectiveness": 6,
    "200 bootstrap replicates of all metrics at eight fractions": 1500,
}


def seconds(work, repeats=5):
    """The least processor time of several runs, which other processes disturb least."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def main(n=1_000_000):
    rng = np.random.default_rng(0)
    p = rng.beta(0.4, 4.0, n)
    y = (rng.random(n) < p).astype(float)
    u = p * (1 - p)
    share = np.linspace(0, 1, 101)
    few = 10
    works = {
        "OC-AUROC at eight fractions": (lambda: m.oracle_collaborative_auroc(y, p, u, review_fraction=EIGHT), 1, 5),
        "curve of 101 fractions: OC-Acc, efficiency, effectiveness": (
            lambda: m.review_accuracy_curves(y, p, u, review_fraction=share),
            1,
            5,
        ),
        "200 bootstrap replicates of all metrics at eight fractions": (
            lambda: m.replicate(m.collaboration_curves, y, p, u, review_fraction=EIGHT, replicates=few),
            200 / few,
            3,
        ),
    }
    print(f"n = {n:,}; one argsort is 1")
    failed = False
    for name, (work, times, repeats) in works.items():
        unit = seconds(lambda: np.argsort(p))
        taken = seconds(work, repeats) * times / min(unit, seconds(lambda: np.argsort(p)))
        failed |= taken > BARS[name]
        print(f"{taken:9.1f}  (bar {BARS[name]:5d})  {name}")
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
