from __future__ import annotations

import numpy as np
import pytest

from comoderate.agreement import intraclass_correlation
from comoderate.agreement.icc import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_perfect_agreement(kind):
    ratings = np.repeat(np.arange(5.0)[:, None], 3, axis=1)
    found = intraclass_correlation(ratings, kind=kind, interval="F")
    assert found.value == pytest.approx(1)
    assert "F interval" in found.method


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_covers_normal_ratings(kind):
    rng = np.random.default_rng(1)

    def draw(n):
        return rng.normal(size=(n, 1)) + 0.4 * rng.normal(size=(1, 5)) * (kind[4] == "2") + rng.normal(size=(n, 5))

    noise = 1 + 0.16 * (kind[4] == "2")
    truth = 1 / (1 + noise) if kind.endswith("1)") else 1 / (1 + noise / 5)
    share = np.mean([intraclass_correlation(draw(30), kind=kind, interval="F").covers(truth) for _ in range(1000)])
    assert 0.92 <= share <= 0.98
