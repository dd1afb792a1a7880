"""Labels from annotations: majority, Dawid-Skene and its variants against the truth.

`python bench/aggregation.py [FOLDER]` prints two tables: simulated crowds with bad raters, and, where FOLDER (the
folder of real data sets; $COMODERATE_SHARED/data or ../shared/data by default) holds hatecheck, the gold label with
1, 2, 3 and 5 of its raters a post. Ties of the majority count half.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from comoderate.agreement import DawidSkene, HierarchicalDawidSkene, Majority, OneCoinDawidSkene
from comoderate.agreement.aggregator import Aggregator

WAYS: dict[str, Callable[[], Aggregator]] = {
    "majority": Majority,
    "Dawid-Skene": DawidSkene,
    "one coin": OneCoinDawidSkene,
    "hierarchical": HierarchicalDawidSkene,
    "hierarchical, experts anchor": lambda: HierarchicalDawidSkene(anchors=(1,)),
}


def accuracy(labels: np.ndarray, truth: np.ndarray) -> float:
    """Share right; an abstention counts half of a binary choice."""
    return float(np.mean(np.where(labels < 0, 0.5, labels == truth)))


def crowd(kind: str, per_item: int, per_rater: int, seed: int) -> tuple[np.ndarray, ...]:
    """Item, rater, answer, cohort, truth of 1,000 binary posts, 30 % positive, a tenth seen by an expert too."""
    rng = np.random.default_rng(seed)
    n = 1000
    truth = (rng.random(n) < 0.3).astype(int)
    raters = max(n * per_item // per_rater, per_item)
    item = np.repeat(np.arange(n), per_item)
    rater = rng.random((n, raters)).argsort(axis=1)[:, :per_item].ravel()
    hit, alarm = np.full(raters, 0.8), np.full(raters, 0.1)
    part = rng.permutation(raters)
    if kind == "40 % guess":
        hit[part[: int(0.4 * raters)]] = alarm[part[: int(0.4 * raters)]] = 0.5
    if kind == "40 % always no":
        hit[part[: int(0.4 * raters)]] = alarm[part[: int(0.4 * raters)]] = 0.02
    if kind == "20 % turned round":
        hit[part[: int(0.2 * raters)]], alarm[part[: int(0.2 * raters)]] = 0.1, 0.8
    chance = np.where(truth[item] == 1, hit[rater], alarm[rater])
    answer = (rng.random(item.size) < chance).astype(int)
    seen = rng.choice(n, n // 10, replace=False)
    expert = np.where(rng.random(seen.size) < 0.95, truth[seen], 1 - truth[seen])
    cohort = np.append(np.zeros(item.size, int), np.ones(seen.size, int))
    who = np.append(rater, raters + np.arange(seen.size) % 3)
    return np.append(item, seen), who, np.append(answer, expert), cohort, truth


def simulated(runs: int = 10) -> None:
    """Accuracy on posts that no expert saw."""
    print("| raters | a post | a rater | " + " | ".join(WAYS) + " |")
    print("|---" * (3 + len(WAYS)) + "|")
    for kind in ("all good", "40 % guess", "40 % always no", "20 % turned round"):
        for per_item, per_rater in ((3, 100), (3, 15), (5, 100)):
            found: dict[str, list[float]] = {name: [] for name in WAYS}
            for seed in range(runs):
                item, rater, answer, cohort, truth = crowd(kind, per_item, per_rater, seed)
                unseen = np.setdiff1d(np.arange(truth.size), item[cohort == 1])
                for name, way in WAYS.items():
                    labels = way().fit_predict(item, rater, answer, cohort=cohort)
                    found[name].append(accuracy(labels[unseen], truth[unseen]))
            cells = " | ".join(f"{np.mean(values):.3f}" for values in found.values())
            print(f"| {kind} | {per_item} | {per_rater} | {cells} |", flush=True)


def hatecheck(folder: Path, runs: int = 10) -> None:
    """Accuracy against the gold label with fewer of the five raters that each case has."""
    frame = pd.read_csv(folder / "hatecheck" / "test_suite_annotations.csv")
    frame = frame[frame["label_gold"].notna()]
    truth = (frame["label_gold"] == "hateful").to_numpy().astype(int)
    columns = [f"label_{k}" for k in range(1, 11)]
    votes = frame[columns]
    item, rater = np.nonzero(votes.notna().to_numpy())
    answer = (votes.to_numpy()[item, rater] == "hateful").astype(int)
    ways = {name: way for name, way in WAYS.items() if "experts" not in name}
    print("\n| raters a post | " + " | ".join(ways) + " |")
    print("|---" * (1 + len(ways)) + "|")
    for k in (1, 2, 3, 5):
        found: dict[str, list[float]] = {name: [] for name in ways}
        for seed in range(runs if k < 5 else 1):
            order = np.lexsort((np.random.default_rng(seed).random(item.size), item))
            sizes = np.bincount(item)
            place = np.arange(item.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            kept = order[place < k]
            for name, way in ways.items():
                labels = way().fit_predict(item[kept], rater[kept], answer[kept], n_items=truth.size)
                found[name].append(accuracy(labels, truth))
        print(f"| {k} | " + " | ".join(f"{np.mean(values):.4f}" for values in found.values()) + " |", flush=True)


if __name__ == "__main__":
    default = Path(os.environ.get("COMODERATE_SHARED", Path(__file__).parents[2] / "shared")) / "data"
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    simulated()
    if (data / "hatecheck").is_dir():
        hatecheck(data)
