"""The default against the best of the recorded rows on surfaces with known answers."""

import csv
from collections import defaultdict

import numpy as np
import pytest

from comoderate.surface import AccuracySurface, surface_scores


@pytest.fixture(scope="module")
def folder(shared):
    path = shared / "reference" / "surface"
    if not (path / "scores.csv").is_file():
        pytest.skip(f"the reference surfaces are not there: {path}")
    return path


@pytest.fixture(scope="module")
def ours(folder):
    """{file: scores of pool means}."""
    found = {}
    for path in sorted(folder.glob("*.npz")):
        data = np.load(path)
        arms, arm, correct, labelled = (data[k] for k in ("arms", "pool_arm", "pool_correct", "labelled"))
        size = len(arms)
        pool = np.bincount(arm, minlength=size)
        n = np.bincount(arm[labelled], minlength=size)
        c = np.bincount(arm[labelled], correct[labelled], minlength=size)
        p = AccuracySurface().fit(arms, n, c).predict(arms, pool_size=pool)
        truth = np.bincount(arm, correct, minlength=size) / np.maximum(pool, 1)
        found[path.stem] = surface_scores(truth, p.mean, pool_size=pool, low=p.low, high=p.high)
    return found


def families(scores):
    """{family: mean over its files}."""
    kinds = defaultdict(list)
    for file, score in scores.items():
        kinds[file.rsplit("_", 1)[0]].append(score)
    return {kind: float(np.mean(values)) for kind, values in kinds.items()}


def best_rows(folder, column):
    """{family: lowest mean of a method that has a row for each of its files}."""
    rows = defaultdict(dict)
    with (folder / "scores.csv").open(encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            rows[line["method"]][line["file"]] = float(line[column])
    files = {file for row in rows.values() for file in row}
    best = {}
    for kind in {file.rsplit("_", 1)[0] for file in files}:
        own = [file for file in files if file.rsplit("_", 1)[0] == kind]
        best[kind] = min(np.mean([row[f] for f in own]) for row in rows.values() if all(f in row for f in own))
    return best


def test_macro_error_is_at_or_below_the_best_row_in_every_family(folder, ours):
    found, best = families({f: 100 * s.macro for f, s in ours.items()}), best_rows(folder, "macro")
    assert {kind: round(value, 3) for kind, value in found.items() if value > best[kind] * 1.005} == {}


def test_worst_error_is_at_or_below_the_best_row_in_most_families(folder, ours):
    found, best = families({f: 100 * s.worst for f, s in ours.items()}), best_rows(folder, "worst")
    assert sum(value <= best[kind] for kind, value in found.items()) >= 4


def test_intervals_cover(ours):
    coverage = families({f: s.coverage for f, s in ours.items()})
    assert all(0.92 <= value <= 0.985 for value in coverage.values()), coverage
