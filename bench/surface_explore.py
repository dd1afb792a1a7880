"""Errors against labels for every strategy of exploration, on surfaces with known answers.

Usage: python bench/surface_explore.py FOLDER [seeds]

From 500 random labels to 2,000 in batches of 100; mean squared errors × 100 of pool means, macro / worst 50, averaged
over seeds, with the standard deviation of macro. Bar: at 1,200 labels the default is at or below random at 2,000.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from comoderate import surface

SEEN = (800, 1200, 1600, 2000)


def start(path, seed):
    """Arms, pool counts by outcome, and 500 random labels."""
    data = np.load(path)
    arms, arm, correct = data["arms"], data["pool_arm"], data["pool_correct"]
    labelled = np.random.default_rng(seed).choice(len(arm), 500, replace=False)
    size = len(arms)
    right, pool = np.bincount(arm, correct, minlength=size), np.bincount(arm, minlength=size)
    n = np.bincount(arm[labelled], minlength=size)
    return arms, right, pool - right, n, np.bincount(arm[labelled], correct[labelled], minlength=size)


def curve(path, strategy, seed):
    """{labels: (macro, worst)}."""
    arms, right, wrong, n, c = start(path, seed)
    pool, found = right + wrong, {}
    estimator = surface.LogisticNormal(integrate=False)
    steps = surface.simulate(
        estimator, arms, right, wrong, n=n, c=c, batches=[100] * 15, strategy=strategy, random_state=seed
    )
    for step in steps:
        if step.labels in SEEN:
            mean = step.surface.predict(arms, pool_size=pool).mean
            s = surface.surface_scores(right / np.maximum(pool, 1), mean, pool_size=pool)
            found[step.labels] = (100 * s.macro, 100 * s.worst)
    return found


def main(folder, seeds=5):
    for path in sorted(folder.glob("*.npz")):
        print(f"\n{path.stem:18s}" + "".join(f"{k:>24d}" for k in SEEN))
        for strategy in surface.STRATEGIES:
            runs = [curve(path, strategy, seed) for seed in range(seeds)]
            cells = []
            for k in SEEN:
                values = np.array([r[k] for r in runs])
                macro, worst = values.mean(axis=0)
                cells.append(f"{macro:8.3f} ±{values[:, 0].std():6.3f} /{worst:6.2f}")
            print(f"{strategy:18s}" + "".join(f"{c:>24s}" for c in cells), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
