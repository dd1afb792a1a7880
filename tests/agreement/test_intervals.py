from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.agreement.crowds import simulate_ratings

from comoderate.agreement import (
    counts_from_ratings,
    fleiss_kappa,
    gwet_ac1,
    intraclass_correlation,
    krippendorff_alpha,
)
from comoderate.agreement.intervals import kish

STATISTICS = {
    "kappa": lambda r: fleiss_kappa(counts_from_ratings(r)),
    "ac1": lambda r: gwet_ac1(counts_from_ratings(r)),
    "alpha": partial(krippendorff_alpha, level="ordinal"),
    "icc": intraclass_correlation,
}


def coverage(name, n, runs, seed, **population):
    rng = np.random.default_rng(seed)
    truth = STATISTICS[name](simulate_ratings(rng, 300_000, **population)).value
    found = [STATISTICS[name](simulate_ratings(rng, n, **population)) for _ in range(runs)]
    kept = [e for e in found if not np.isnan(e.low)]
    return np.mean([e.covers(truth) for e in kept]), np.mean([e.reason is not None for e in kept])


@pytest.mark.parametrize("name", STATISTICS)
def test_coverage_small(name):
    share, _ = coverage(name, 500, 300, 1)
    assert 0.91 <= share <= 0.98


def test_rare_class_small():
    share, warned = coverage("kappa", 50, 300, 2, shares=(0.92, 0.08))
    assert share >= 0.90
    assert warned > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize(
    "population",
    [{}, {"shares": (0.5, 0.5), "knows": 0.8}, {"raters": 5, "missing": 0.3}, {"knows": 0.3}],
    ids=["3 classes", "2 classes", "missing", "poor raters"],
)
def test_coverage_at_500(name, population):
    share, _ = coverage(name, 500, 3000, 3, **population)
    assert 0.93 <= share <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("shares", [(0.92, 0.08), (0.95, 0.05), (0.72, 0.2, 0.08)])
@pytest.mark.parametrize("knows", [0.3, 0.7, 0.95])
def test_coverage_at_50_with_a_rare_class(name, shares, knows):
    share, _ = coverage(name, 50, 1000, 4, shares=shares, knows=knows)
    assert share >= 0.90


def test_kish():
    assert kish(None, 7) == 7
    assert kish(np.array([1.0, 1, 2]), 3) == pytest.approx(16 / 6)
    assert np.isnan(kish(np.zeros(2), 2))
