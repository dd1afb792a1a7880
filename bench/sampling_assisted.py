"""Width and coverage of model-assisted estimates on real posts, with a scorer trained on the same labels.

    python bench/sampling_assisted.py [--quick]

Repeatedly draws 500, 1,000 and 2,000 posts from two labelled data sets, trains TF-IDF logistic regression on them, and
estimates the share of positives among all posts. Columns: mean width by that of the Hájek interval, coverage of nominal
95 % intervals. ``seen`` uses in-sample scores, which is what not to do. The data sets lie in the folder that the
environment variable COMODERATE_SHARED names, or in ``shared`` beside the checkout.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from comoderate.sampling import allocate, assisted_mean, cross_fitted, hajek_mean, union_inclusion

ROOT = Path(os.environ.get("COMODERATE_SHARED", Path(__file__).parents[2] / "shared")) / "data"
FOLDS = 5
KINDS = ("power", "regression", "difference")


def misogyny():
    frame = pd.read_csv(ROOT / "misogyny" / "final_labels.csv").drop_duplicates("entry_id").dropna(subset=["body"])
    day = pd.factorize(pd.to_datetime(frame.entry_utc, unit="s").dt.date, sort=True)[0]
    return frame.body.tolist(), (frame.level_1 == "Misogynistic").to_numpy(float), day


def wiki_talk():
    frame = pd.read_csv(ROOT / "wiki_talk" / "wiki_talk_20k.csv").dropna(subset=["comment_text"])
    return frame.comment_text.tolist(), frame.toxic.to_numpy(float), np.zeros(len(frame), dtype=int)


def features(texts):
    return TfidfVectorizer(min_df=3, max_features=30_000, sublinear_tf=True).fit_transform(texts)


def scores(x, y, rows, weight=None):
    if len(np.unique(y[rows])) < 2:
        return np.full(x.shape[0], y[rows].mean())
    return LogisticRegression(C=30, max_iter=200).fit(x[rows], y[rows], weight).predict_proba(x)[:, 1]


def top(u, group, quota):
    order = np.lexsort((u, group))
    size = np.bincount(group, minlength=len(quota))
    rank = np.arange(len(u)) - np.repeat(np.cumsum(size) - size, size)
    return order[rank < quota[group[order]]]


def draw(rng, day, size, flagged):
    """A sample by day, four fifths of it plain and a fifth from flagged posts where there are such."""
    total = np.bincount(day)
    base = allocate(total, size if flagged is None else round(0.8 * size))
    u = rng.random(len(day))
    first = top(u, day, base)
    if flagged is None:
        return first, (base / total)[day[first]]
    rest = np.setdiff1d(np.flatnonzero(flagged), first)
    rate = min(1.0, 0.2 * size / len(rest))
    extra = rest[rng.random(len(rest)) < rate]
    negative, positive = union_inclusion(total, total, base, rate)
    index = np.concatenate([first, extra])
    return index, np.where(flagged[index], positive[day[index]], negative[day[index]])


def one(rng, x, y, day, size, flagged):
    index, pi = draw(rng, day, size, flagged)
    fold = rng.permutation(len(index)) % FOLDS
    own, everyone = cross_fitted(np.stack([scores(x, y, index[fold != j]) for j in range(FOLDS)]), index, fold)
    seen = scores(x, y, index)
    options = {"stratum": day[index]} | ({} if flagged is not None else {"pi": pi})
    labels = y[index], 1 / pi
    found = {"Hájek": hajek_mean(*labels, **options)}
    for kind in KINDS:
        found[kind] = assisted_mean(*labels, own, everyone, tuning=kind, **options)
    found["seen"] = assisted_mean(*labels, seen[index], seen, **options)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repetitions", type=int, default=100)
    settings = parser.parse_args()
    repetitions = 4 if settings.quick else settings.repetitions
    names = ("Hájek", *KINDS, "seen")
    print(f"{'data':24} {'labels':>6} " + " ".join(f"{n:>16}" for n in names) + "   widest")
    for name, source in (("misogyny by day", misogyny), ("wiki_talk", wiki_talk), ("wiki_talk enriched", wiki_talk)):
        texts, y, day = source()
        x, flagged = features(texts), None
        if name.endswith("enriched"):
            pilot = np.random.default_rng(99).permutation(len(y))[:400]
            rest = np.setdiff1d(np.arange(len(y)), pilot)
            guess = scores(x, y, pilot)[rest]
            x, y, day, flagged = x[rest], y[rest], day[rest], guess > np.quantile(guess, 0.9)
        for size in (500, 1000, 2000):
            runs = [one(np.random.default_rng(r), x, y, day, size, flagged) for r in range(repetitions)]
            print(f"{name:24} {size:6} " + " ".join(cell(runs, n, y.mean()) for n in names), widest(runs), flush=True)


def ratios(runs, name):
    return [(r[name].high - r[name].low) / (r["Hájek"].high - r["Hájek"].low) for r in runs]


def cell(runs, name, truth):
    cover = np.mean([r[name].covers(truth) for r in runs])
    return f"{np.mean(ratios(runs, name)):8.3f} / {cover:.3f}"


def widest(runs):
    return f"   {max(max(ratios(runs, kind)) for kind in KINDS):.3f}"


if __name__ == "__main__":
    main()
