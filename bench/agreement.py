"""Speed of agreement and aggregation against peers, as ratios within one run: `python bench/agreement.py`.

Agreement: κ and ICC(1,1), weighted and with intervals, of a million items with three ratings each, from the ratings;
the peer is statsmodels' κ and a one-way analysis of variance by pandas, neither with weights or intervals. It is also
timed with the votes counted for it beforehand, which statsmodels does by a loop over rows. Aggregation: twenty
iterations of Dawid and Skene on 100,000 items with five ratings by 500 raters; the peer is crowd-kit. CPU times, the
best of a few rounds in turn; imports are left out. Fails where a ratio misses its bar.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene as CrowdKit
from statsmodels.stats import inter_rater

from comoderate.agreement import DawidSkene, counts_from_ratings, fleiss_kappa, intraclass_correlation

ITEMS, RATERS, SHARES = 1_000_000, 3, (0.72, 0.2, 0.08)


def peak_megabytes() -> float:
    """Most memory that this process ever held."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 2**10


def best(rounds: int, *contenders: Callable[[], object]) -> list[float]:
    """Shortest CPU time of each contender; they take turns."""
    times = [[0.0] * rounds for _ in contenders]
    for turn in range(rounds):
        for k, contender in enumerate(contenders):
            start = time.process_time()
            contender()
            times[k][turn] = time.process_time() - start
    return [min(t) for t in times]


def pandas_icc(ratings: np.ndarray) -> float:
    """ICC(1,1) from a one-way analysis of variance by pandas."""
    n, k = ratings.shape
    long = pd.DataFrame({"item": np.repeat(np.arange(n), k), "value": ratings.ravel()})
    by = long.groupby("item")["value"].agg(["count", "mean", "var"])
    between = (by["count"] * (by["mean"] - long["value"].mean()) ** 2).sum() / (n - 1)
    within = (by["var"] * (by["count"] - 1)).sum() / (n * k - n)
    return float((between - within) / (between + (k - 1) * within))


def agreement() -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(3, size=ITEMS, p=SHARES)
    ratings = np.where(rng.random((ITEMS, RATERS)) < 0.7, truth[:, None], rng.choice(3, (ITEMS, RATERS), p=SHARES))
    weight = rng.uniform(0.5, 2.0, ITEMS)
    counts = counts_from_ratings(ratings)
    before = peak_megabytes()

    def ours() -> list[float]:
        found = [
            fleiss_kappa(counts_from_ratings(ratings), sample_weight=weight),
            intraclass_correlation(ratings, sample_weight=weight),
        ]
        return [e.value for e in found]

    def counted() -> list[float]:
        return [inter_rater.fleiss_kappa(counts), pandas_icc(ratings)]

    def peer() -> list[float]:
        return [inter_rater.fleiss_kappa(inter_rater.aggregate_raters(ratings)[0]), pandas_icc(ratings)]

    ours()
    memory = peak_megabytes()
    fast, near, slow = best(5, ours, counted, peer)
    plain = [fleiss_kappa(counts).value, intraclass_correlation(ratings).value]
    np.testing.assert_allclose(plain, counted(), atol=1e-9)
    print(f"kappa + ICC(1,1), {ITEMS:,} x {RATERS}, weighted, with intervals: {fast:.3f} s")
    print(f"  statsmodels + pandas {slow:.2f} s: {slow / fast:.1f} times ours; votes counted for it {near:.2f} s")
    print(f"  peak memory {memory:.0f} MB, of which {before:.0f} MB before the first call")
    assert slow / fast >= 5, "kappa and ICC must be 5 times as fast as statsmodels and pandas"
    assert memory < 2000, "kappa and ICC must stay under 2 GB"
    print(f"  against the peer with votes counted: {near / fast:.1f} times")


def aggregation() -> None:
    rng = np.random.default_rng(0)
    n, raters, per_item = 100_000, 500, 5
    truth = rng.choice(3, n, p=(0.6, 0.3, 0.1))
    item, rater = np.repeat(np.arange(n), per_item), rng.integers(0, raters, n * per_item)
    knows = rng.uniform(0.3, 0.95, raters)
    answer = np.where(rng.random(item.size) < knows[rater], truth[item], rng.integers(0, 3, item.size))
    frame = pd.DataFrame({"task": item, "worker": rater, "label": answer})
    found: dict[str, np.ndarray] = {}

    def ours() -> None:
        found["ours"] = DawidSkene(n_iter=20, tol=0).fit_predict(item, rater, answer)

    def peer() -> None:
        found["peer"] = CrowdKit(n_iter=20, tol=0).fit_predict(frame).sort_index().to_numpy()

    fast, slow = best(3, ours, peer)
    same = float((found["ours"] == found["peer"]).mean())
    print(f"Dawid-Skene, {n:,} x {per_item}, 20 iterations: {fast:.3f} s")
    print(f"  crowd-kit {slow:.2f} s: {slow / fast:.1f} times ours; same labels on {same:.3%} of items")
    assert slow / fast >= 15, "Dawid-Skene must be 15 times as fast as crowd-kit"
    assert same >= 0.999, "Dawid-Skene must give crowd-kit's labels on 99.9 % of items"


if __name__ == "__main__":
    agreement()
    aggregation()
