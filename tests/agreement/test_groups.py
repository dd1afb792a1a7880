from __future__ import annotations

import numpy as np
import pytest
from tests.agreement.crowds import simulate_ratings

from comoderate.agreement import across_kappa, cohen_kappa, counts_from_ratings, fleiss_kappa, group_agreement


def annotations(ratings, groups):
    item, rater = np.nonzero(~np.isnan(ratings))
    return item, rater, ratings[item, rater].astype(int), np.array(groups)[rater]


def test_within_is_fleiss_and_across_of_two_is_cohen():
    ratings = simulate_ratings(np.random.default_rng(0), 200, raters=4)
    found = {(g, h): kappa for g, h, kappa in group_agreement(*annotations(ratings, [0, 0, 0, 1]))}
    assert list(found) == [(0, 0), (0, 1), (1, 1)]
    within = fleiss_kappa(counts_from_ratings(ratings[:, :3], categories=[0, 1, 2]))
    assert found[0, 0].value == pytest.approx(within.value)
    assert "two ratings" in found[1, 1].reason
    single = across_kappa(
        *(counts_from_ratings(r[:, None], categories=[0, 1, 2]) for r in ratings[:, :2].T), scale=np.eye(3)
    )
    assert single.value == pytest.approx(cohen_kappa(*ratings[:, :2].T).value)


def test_across_by_pairs():
    ratings = simulate_ratings(np.random.default_rng(1), 50, raters=4)
    weight = np.random.default_rng(0).integers(1, 4, 50)
    item, rater, answer, group = annotations(ratings, [0, 0, 1, 1])
    found = group_agreement(item, rater, answer, group, sample_weight=weight)[1].kappa
    rows = np.repeat(ratings, weight, axis=0)
    seen = np.mean([[rows[:, g] == rows[:, h]] for g in (0, 1) for h in (2, 3)])
    chance = sum((rows[:, :2] == c).mean() * (rows[:, 2:] == c).mean() for c in range(3))
    assert found.value == pytest.approx((seen - chance) / (1 - chance))


def test_groups_with_different_rules_agree_less_across():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    ratings = np.stack([truth, truth, 1 - truth, 1 - truth], axis=1)
    noisy = np.where(rng.random(ratings.shape) < 0.2, rng.integers(0, 2, ratings.shape), ratings).astype(float)
    found = {(g, h): kappa for g, h, kappa in group_agreement(*annotations(noisy, [0, 0, 1, 1]))}
    assert found[0, 0].value > 0.5
    assert found[1, 1].value > 0.5
    assert found[0, 1].high < -0.4


def test_interval_of_across_covers():
    rng = np.random.default_rng(3)

    def kappa(ratings):
        return group_agreement(*annotations(ratings, [0, 0, 1, 1]))[1].kappa

    truth = kappa(simulate_ratings(rng, 100_000, raters=4)).value
    share = np.mean([kappa(simulate_ratings(rng, 200, raters=4, missing=0.2)).covers(truth) for _ in range(200)])
    assert share >= 0.91


def test_undefined_and_errors():
    item, rater, answer = [0, 1], [0, 1], [0, 1]
    assert "both groups" in group_agreement(item, rater, answer, [0, 1])[1].kappa.reason
    with pytest.raises(ValueError, match="two cohorts"):
        group_agreement([0, 1], [0, 0], [0, 1], [0, 1])
