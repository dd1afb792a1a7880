from itertools import combinations

import numpy as np
import pytest

from comoderate.surface.matches import covariance, effect_kinds, effect_table, group_sizes, match_patterns


def written_out(arms, scale_of, order=3):
    """The covariance of independent effects of all sets of attributes, each with its own variance."""
    columns, scale = [], []
    for size in range(order + 1):
        for kept in combinations(range(arms.shape[1]), size):
            values = np.unique(arms[:, kept], axis=0)
            columns.append((arms[:, kept][:, None, :] == values[None, :, :]).all(axis=2))
            scale += [scale_of(kept)] * len(values)
    design = np.hstack(columns).astype(float)
    return design @ np.diag(scale) @ design.T


def test_covariance_equals_that_of_effects_written_out():
    rng = np.random.default_rng(0)
    arms, factor = rng.integers(0, 3, (12, 4)), np.array([0.5, 1.0, 2.0, 0.25])
    sizes = group_sizes(4)
    kinds = effect_kinds(sizes, 3)
    theta = 0.5 ** kinds.sum(axis=1) * (factor**kinds).prod(axis=1)
    ours = covariance(match_patterns(arms, arms), theta, effect_table(sizes, kinds))
    assert ours == pytest.approx(written_out(arms, lambda kept: 0.5 ** len(kept) * factor[list(kept)].prod()))


def test_attributes_in_groups_share_their_variances(monkeypatch):
    monkeypatch.setattr("comoderate.surface.matches.MOST_PATTERNS", 12)
    rng = np.random.default_rng(1)
    arms, sizes = rng.integers(0, 2, (15, 5)), group_sizes(5)
    assert sizes.tolist() == [3, 2]
    kinds = effect_kinds(sizes, 3)
    theta = 0.5 ** kinds[:, 0] * 2.0 ** kinds[:, 1]
    ours = covariance(match_patterns(arms, arms), theta, effect_table(sizes, kinds))
    assert ours == pytest.approx(written_out(arms, lambda kept: np.prod([0.5 if k < 3 else 2.0 for k in kept])))


@pytest.mark.parametrize("n_attributes", [1, 4, 10, 12, 13, 24, 40])
def test_patterns_stay_few(n_attributes):
    sizes = group_sizes(n_attributes)
    assert sizes.sum() == n_attributes
    table = effect_table(sizes, effect_kinds(sizes, min(3, n_attributes - 1)))
    assert table.shape[1] == np.prod(sizes + 1) <= 4096
    arms = np.arange(n_attributes)[None, :]
    assert match_patterns(arms, arms)[0, 0] == table.shape[1] - 1
    assert match_patterns(arms, arms + 1)[0, 0] == 0


def test_too_many_attributes_are_refused():
    with pytest.raises(ValueError, match="4,095 attributes at most"):
        group_sizes(4096)
