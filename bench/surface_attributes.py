"""Attributes that models predict: how well arms are told apart, and what that does to the surface.

Usage: python bench/surface_attributes.py FOLDER [seeds] [file ...]

On reference surfaces (*.npz of FOLDER) attribute models are played by noisy scores of the true values: models that are
as sure as they should be, then models twice as sure. 1,000 examples have a label and known attributes, 1,000 more only
a label. For Cal:Raw, Cal:Temp and Cal:Full: the mean log-likelihood of the true arm on 800 new examples, and the mean
squared error × 100 of the default surface over arms with at least 5 examples, with counts spread over arms by P(a | x)
and with arms as latent variables (EM). "known" takes the true arms.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from comoderate import surface

FILES = ("smooth_0", "rough_0", "pockets_0", "adult_0")
TAUGHT, LABELLED, TESTED = 1000, 2000, 800
CLEAR = 2.0
"""Margin of the true value in standard deviations of the noise; scores of this factor are calibrated."""
SURE = {"as sure as right": 1.0, "twice as sure": 2.0}


def predicted(codes, sizes, sure, rng):
    """Probabilities (n, V) of every attribute's values."""
    tables = []
    for column, size in zip(codes.T, sizes):
        score = sure * CLEAR * (rng.normal(0, 1, (len(codes), size)) + CLEAR * np.eye(size)[column])
        weight = np.exp(score - score.max(axis=1, keepdims=True))
        tables.append(weight / weight.sum(axis=1, keepdims=True))
    return tables


def one(path, sure, seed):
    """{way: (log-likelihood, error by fractional counts, error by EM)}."""
    rng = np.random.default_rng(seed)
    data = np.load(path)
    arms, arm, correct = data["arms"], data["pool_arm"], data["pool_correct"].astype(float)
    size = len(arms)
    pool = np.bincount(arm, minlength=size)
    truth = np.bincount(arm, correct, minlength=size) / np.maximum(pool, 1)
    sizes = arms.max(axis=0) + 1
    drawn = rng.permutation(len(arm))[: LABELLED + TESTED]
    tables = predicted(arms[arm[drawn]], sizes, sure, rng)
    parts = np.split(np.arange(len(drawn)), [TAUGHT, LABELLED])
    taught, others, tested = ([t[rows] for t in tables] for rows in parts)
    gold, new = arms[arm[drawn[:TAUGHT]]], arms[arm[drawn[LABELLED : LABELLED + TESTED]]]
    right = correct[drawn[:LABELLED]]

    def error(estimator):
        return 100 * surface.surface_scores(truth, estimator.predict(arms).mean, pool_size=pool).macro

    exact = (
        np.bincount(arm[drawn[:LABELLED]], minlength=size),
        np.bincount(arm[drawn[:LABELLED]], right, minlength=size),
    )
    known = error(surface.LogisticNormal(integrate=False).fit(arms, *exact))
    found = {"known": (0.0, known, known)}
    for way in ("raw", "temp", "full"):
        model = surface.ArmCalibration(kind=way).fit(taught, gold, arms=arms)
        proba = model.predict_proba([np.vstack(pair) for pair in zip(taught, others)])
        proba[:TAUGHT] = np.eye(size)[arm[drawn[:TAUGHT]]]
        plain = surface.LogisticNormal(integrate=False).fit(arms, *surface.fractional_counts(proba, right))
        latent = surface.LogisticNormal(integrate=False)
        counts = surface.fit_latent(latent, arms, proba, right)
        found[way] = (
            model.log_likelihood(tested, new),
            error(plain),
            error(surface.LogisticNormal(integrate=False).fit(arms, counts.n, counts.c)),
        )
    return found


def main(folder, seeds=2, names=FILES):
    print(f"{'':12s}{'':18s}{'':8s}{'log-likelihood':>18s}{'fractional':>18s}{'EM':>18s}")
    for name in names:
        for words, sure in SURE.items():
            runs = [one(folder / f"{name}.npz", sure, seed) for seed in range(seeds)]
            for way in runs[0]:
                values = np.array([run[way] for run in runs])
                cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(values.mean(axis=0), values.std(axis=0))]
                print(f"{name:12s}{words:18s}{way:8s}" + "".join(f"{cell:>18s}" for cell in cells), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2, sys.argv[3:] or FILES)
