from __future__ import annotations

import numpy as np
import pytest
from tests.agreement.crowds import simulate_ratings

from comoderate.agreement import counts_from_ratings, fleiss_kappa, simulated_counts


@pytest.mark.parametrize(("kind", "kappa"), [("perfect", 1.0), ("chance", 0.0)])
def test_same_ratings_and_shares(kind, kappa):
    counts = counts_from_ratings(simulate_ratings(np.random.default_rng(0), 4000, raters=4, missing=0.3))
    made = simulated_counts(counts, kind=kind, random_state=1)
    np.testing.assert_array_equal(made.sum(axis=1), counts.sum(axis=1))
    np.testing.assert_allclose(made.sum(axis=0) / made.sum(), counts.sum(axis=0) / counts.sum(), atol=0.03)
    assert fleiss_kappa(made).value == pytest.approx(kappa, abs=0.05)


def test_weights_move_the_shares():
    made = simulated_counts([[3, 0]] * 50 + [[0, 3]] * 50, kind="perfect", sample_weight=[0] * 50 + [1] * 50)
    np.testing.assert_array_equal(made[:, 0], 0)


def test_edges():
    assert simulated_counts(np.zeros((2, 3)), kind="chance").sum() == 0
    with pytest.raises(ValueError, match="kind"):
        simulated_counts([[1, 1]], kind="other")
