from itertools import combinations

import numpy as np
import pytest

from comoderate.surface.matches import covariance, match_counts, order_table


def test_covariance_equals_that_of_effects_written_out():
    rng = np.random.default_rng(0)
    arms, theta = rng.integers(0, 3, (12, 4)), np.array([1.0, 0.5, 0.25, 0.125])
    columns, scale = [], []
    for order in range(4):
        for kept in combinations(range(4), order):
            part = arms[:, kept]
            values = np.unique(part, axis=0)
            columns.append((part[:, None, :] == values[None, :, :]).all(axis=2))
            scale += [theta[order]] * len(values)
    design = np.hstack(columns).astype(float)
    assert covariance(match_counts(arms, arms), theta, order_table(4, 3)) == pytest.approx(
        design @ np.diag(scale) @ design.T
    )
