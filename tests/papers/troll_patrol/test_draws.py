import numpy as np
import pytest

from comoderate.papers.troll_patrol.campaign import Sizes
from comoderate.papers.troll_patrol.draws import Table, repeat


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(30), rng.integers(40, 200, 30))
    positive = rng.random(len(day)) < 0.15 + 0.2 * (day % 3 == 0)
    y = (rng.random(len(day)) < np.where(positive, 0.45, 0.05)).astype(float)
    return repeat(Table(day, positive, {"abusive": y}), Sizes(120, 500, 120, 0), draws=150, seed=0).set_index("way")


def test_exact_weights_are_unbiased_and_their_intervals_cover(drawn):
    for way in ("B", "B + F"):
        row = drawn.loc[way]
        assert abs(row["bias"]) < 4 * row["spread"] / np.sqrt(row["draws"])
        assert row["coverage"] > 0.9


def test_enrichment_narrows_and_other_weights_are_biased(drawn):
    assert drawn.loc["B + F", "spread"] < drawn.loc["B", "spread"]
    for way in ("B + F, eq. 17", "B + F, unweighted"):
        assert abs(drawn.loc[way, "bias"]) > 0.03
        assert drawn.loc[way, "coverage"] < 0.2
