"""Every estimator of accuracy surfaces on surfaces with known answers: errors, coverage, width and time.

Usage: python bench/surface.py FOLDER [redraws] [gp]

FOLDER holds the reference surfaces (*.npz) and scores.csv. Errors are mean squared errors × 100 against the pool's
means. "general" is the accuracy in general, "pool" the mean of the finite pool. Coverage is of 95 % intervals:
"pool" in arms with at least 5 examples; "general" against the generating value where it is known, else against the
pool's mean in arms with at least 100. With redraws, labels are drawn anew that many times and rows are averages.
Seconds are CPU time of fit and predict.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import numpy as np

from comoderate import surface

ESTIMATORS = {
    "constant": surface.Constant,
    "Beta-I": surface.BetaI,
    "empirical Bayes": surface.EmpiricalBayes,
    "boosted trees": surface.Boosted,
    "logistic-normal, main effects": lambda: surface.LogisticNormal(order=1),
    "logistic-normal (default)": surface.AccuracySurface,
}
HEAD = (
    f"{'':34s}{'general':>16s}{'pool':>16s}{'rare':>8s}{'cover':>7s}{'width':>7s}{'cover g':>9s}{'width':>7s}{'s':>7s}"
)


def load(path, seed=None):
    """Arms, pool counts, labelled counts and generating accuracies; labels redrawn if there is a seed."""
    data = np.load(path)
    arms, arm, correct, labelled = (data[k] for k in ("arms", "pool_arm", "pool_correct", "labelled"))
    if seed is not None:
        labelled = np.random.default_rng(seed).choice(len(arm), len(labelled), replace=False)
    size = len(arms)
    pool, right = np.bincount(arm, minlength=size), np.bincount(arm, correct, minlength=size)
    n = np.bincount(arm[labelled], minlength=size).astype(float)
    c = np.bincount(arm[labelled], correct[labelled], minlength=size)
    return arms, pool, right, n, c, data["true_accuracy"]


def row(make, path, seed=None):
    """Macro and worst of both targets, rare, coverage and width of both, seconds."""
    arms, pool, right, n, c, true = load(path, seed)
    start = time.process_time()
    fitted = make().fit(arms, n, c)
    whole = fitted.predict(arms, pool_size=pool)
    seconds = time.process_time() - start
    general = fitted.predict(arms)
    truth = right / np.maximum(pool, 1)
    one = surface.surface_scores(truth, general.mean, pool_size=pool)
    two = surface.surface_scores(truth, whole.mean, pool_size=pool, low=whole.low, high=whole.high)
    real = path.stem.startswith(("adult", "flights"))
    judged, least = (truth, 100) if real else (true, 5)
    wide = surface.surface_scores(
        judged, general.mean, pool_size=pool, low=general.low, high=general.high, min_pool=least
    )
    errors = [100 * x for x in (one.macro, one.worst, two.macro, two.worst, two.least_frequent)]
    return [*errors, two.coverage, two.width, wide.coverage, wide.width, seconds]


def published(folder):
    """The lowest macro and worst error of any row of scores.csv, by file."""
    best = {}
    with (folder / "scores.csv").open(encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            old = best.get(line["file"], (np.inf, np.inf))
            best[line["file"]] = (min(old[0], float(line["macro"])), min(old[1], float(line["worst"])))
    return best


def show(name, values):
    m, w, pm, pw, rare, cover, width, cover_general, width_general, seconds = values
    print(
        f"{name:34s}{m:8.3f}{w:8.3f}{pm:8.3f}{pw:8.3f}{rare:8.2f}{cover:7.3f}{width:7.3f}"
        f"{cover_general:9.3f}{width_general:7.3f}{seconds:7.2f}",
        flush=True,
    )


def main(folder, redraws=0, with_gp=False):
    estimators = dict(ESTIMATORS)
    if with_gp:
        from comoderate.surface import gp

        estimators |= {name: (lambda kind=kind: kind()) for name, kind in gp.KINDS.items()}
    best = published(folder)
    for path in sorted(folder.glob("*.npz")):
        macro, worst = best[path.stem]
        print(f"\n{path.stem}: lowest of the reference rows {macro:.3f} / {worst:.3f}\n{HEAD}")
        for name, make in estimators.items():
            rows = [row(make, path, seed) for seed in (range(redraws) if redraws else [None])]
            show(name, np.mean(rows, axis=0))
            if redraws:
                show("   standard deviation", np.std(rows, axis=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, "gp" in sys.argv[3:])
