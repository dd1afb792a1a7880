"""Errors against labels for every strategy of exploration, on surfaces with known answers.

Usage: python bench/surface_explore.py FOLDER RESULTS.csv [seeds]

From 500 random labels to 3,000 in batches of 100. RESULTS.csv gets a line for each file, strategy, seed and number of
labels; runs that it holds already are not done again, so that a run that was stopped goes on. Then prints mean squared
errors × 100 of pool means over arms, averaged over seeds, with the standard deviation, and the share of labels that
each strategy needs for the error of random labels at 2,000. Bar: .6 for the default.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from comoderate import surface

START, BATCH, END = 500, 100, 3000
SEEN = (500, 1000, 1500, 2000, 3000)
BAR_AT = 2000


def start(path, seed):
    """Arms, pool counts by outcome, and the first random labels."""
    data = np.load(path)
    arms, arm, correct = data["arms"], data["pool_arm"], data["pool_correct"]
    labelled = np.random.default_rng(seed).choice(len(arm), START, replace=False)
    size = len(arms)
    right, pool = np.bincount(arm, correct, minlength=size), np.bincount(arm, minlength=size)
    n = np.bincount(arm[labelled], minlength=size)
    return arms, right, pool - right, n, np.bincount(arm[labelled], correct[labelled], minlength=size)


def curve(path, strategy, seed):
    """Rows labels, macro, worst, mean width of intervals, after every batch."""
    arms, right, wrong, n, c = start(path, seed)
    pool = right + wrong
    batches = [BATCH] * ((min(END, int(pool.sum())) - START) // BATCH)
    estimator = surface.LogisticNormal(integrate=False)
    for step in surface.simulate(
        estimator, arms, right, wrong, n=n, c=c, batches=batches, strategy=strategy, random_state=seed
    ):
        p = step.surface.predict(arms, pool_size=pool)
        s = surface.surface_scores(right / np.maximum(pool, 1), p.mean, pool_size=pool, low=p.low, high=p.high)
        yield step.labels, 100 * s.macro, 100 * s.worst, s.width


def finished(results):
    """{(file, strategy, seed): {labels: (macro, worst, width)}} of runs that reached their end."""
    found = defaultdict(dict)
    if results.exists():
        with results.open(encoding="utf-8") as lines:
            for file, strategy, seed, labels, *values in csv.reader(lines):
                found[file, strategy, int(seed)][int(labels)] = tuple(map(float, values))
    return found


def labels_for(curve_, error):
    """The number of labels at which a curve (labels, errors) first reaches ``error``, between two points by line."""
    labels, errors = curve_
    below = np.flatnonzero(errors <= error)
    if not len(below):
        return np.nan
    i = below[0]
    if i == 0:
        return labels[0]
    part = (errors[i - 1] - error) / (errors[i - 1] - errors[i])
    return labels[i - 1] + part * (labels[i] - labels[i - 1])


def show(found, seeds):
    for file in sorted({key[0] for key in found}):
        print(f"\n{file:18s}" + "".join(f"{k:>16d}" for k in SEEN) + f"{'share of 2,000':>18s}")
        curves = {}
        for strategy in surface.STRATEGIES:
            runs = [found[file, strategy, seed] for seed in range(seeds) if (file, strategy, seed) in found]
            if runs:
                labels = sorted(runs[0])
                curves[strategy] = np.array(labels), np.array([[run[k][0] for k in labels] for run in runs])
        labels, errors = curves["random"]
        aim = errors.mean(axis=0)[list(labels).index(BAR_AT)] if BAR_AT in labels else errors.mean(axis=0)[-1]
        for strategy, (labels, errors) in curves.items():
            cells = [
                f"{errors[:, i].mean():8.3f} ±{errors[:, i].std():6.3f}" if k in labels else "–"
                for k in SEEN
                for i in [list(labels).index(k) if k in labels else 0]
            ]
            need = labels_for((labels, errors.mean(axis=0)), aim) / min(BAR_AT, labels[-1])
            print(f"{strategy:18s}" + "".join(f"{c:>16s}" for c in cells) + f"{need:18.2f}", flush=True)


def main(folder, results, seeds=5):
    done = finished(results)
    for seed in range(seeds):
        for path in sorted(folder.glob("*.npz")):
            for strategy in surface.STRATEGIES:
                if (path.stem, strategy, seed) in done:
                    continue
                rows = list(curve(path, strategy, seed))
                with results.open("a", encoding="utf-8", newline="") as lines:
                    csv.writer(lines).writerows([path.stem, strategy, seed, *row] for row in rows)
    show(finished(results), seeds)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 5)
