from __future__ import annotations

import numpy as np
import pytest
from tests.agreement.crowds import simulate_crowd

from comoderate.agreement import rater_view
from comoderate.agreement.raters import FEW_SHARED


def by_hand(item, rater, answer, who, members=None):
    """Agreement of one rater with others (of ``members``), by loops."""
    shares, own, others = [], [], []
    for i, a in zip(item[rater == who], answer[rater == who]):
        rest = [b for j, r, b in zip(item, rater, answer) if j == i and r != who and (members is None or r in members)]
        if rest:
            shares.append(np.mean([b == a for b in rest]))
            own.append(a)
            others.append(np.mean(rest))
    p, q = np.mean(own), np.mean(others)
    chance = p * q + (1 - p) * (1 - q)
    return (np.mean(shares) - chance) / (1 - chance), len(own)


def test_by_hand():
    crowd = simulate_crowd(n_items=40, n_raters=6)
    group = crowd.rater % 2
    for found in rater_view(crowd.item, crowd.rater, crowd.answer, group=group):
        value, shared = by_hand(crowd.item, crowd.rater, crowd.answer, found.rater)
        assert found.agreement.value == pytest.approx(value)
        assert found.n_shared == shared
        for part, members in ((found.within, 0), (found.across, 1)):
            value, _ = by_hand(
                crowd.item,
                crowd.rater,
                crowd.answer,
                found.rater,
                {r for r in range(6) if (r + found.rater) % 2 == members},
            )
            assert part.value == pytest.approx(value)


def test_ten_posts_judge_nobody():
    item, answer = np.repeat(np.arange(10), 3), np.repeat(np.arange(10) % 2, 3)
    found = rater_view(item, np.tile([0, 1, 2], 10), answer)[0]
    assert found.agreement.value == 1
    assert found.agreement.low < 0.5
    assert "too few" in found.agreement.reason
    assert "fewer than 20" in found.drift.reason


def test_many_posts_do():
    crowd = simulate_crowd(n_items=3000, n_raters=5, low=0.2, high=0.9)
    found = rater_view(crowd.item, crowd.rater, crowd.answer)
    assert all(r.agreement.reason is None and r.n_shared > FEW_SHARED for r in found)
    order = np.argsort([r.agreement.value for r in found])
    np.testing.assert_array_equal(order, np.argsort(crowd.knows))


def test_time_and_counts():
    found = rater_view([0, 0, 1, 1], [4, 7, 4, 7], [0, 0, 1, 1], seconds=[3, np.nan, 5, np.nan])
    assert (found[0].rater, found[0].n, found[0].seconds) == (4, 2, 4.0)
    assert np.isnan(found[1].seconds)
    assert "no groups" in found[0].within.reason


def test_drift_in_order():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    item, rater = np.repeat(np.arange(400), 4), np.tile(np.arange(4), 400)
    knows = np.where((rater == 0) & (item >= 200), 0.0, 0.9)
    answer = np.where(rng.random(item.size) < knows, truth[item], rng.integers(0, 2, item.size))
    order = rng.permutation(item.size)
    found = rater_view(item[order], rater[order], answer[order], order=item[order])
    assert found[0].drift.high < -0.2
    assert found[0].drift.value == pytest.approx(-0.43, abs=0.1)
    mixed = rater_view(item[order], rater[order], answer[order])
    assert mixed[0].drift.covers(0)


def test_interval_covers():
    hits = []
    for seed in range(60):
        crowd = simulate_crowd(n_items=120, n_raters=10, low=0.6, high=0.6, seed=seed)
        hits += [r.agreement.covers(0.36) for r in rater_view(crowd.item, crowd.rater, crowd.answer)]
    assert np.mean(hits) >= 0.93


def test_own_second_answer_is_no_other():
    found = rater_view([0, 0, 0], [0, 0, 1], [1, 1, 0])
    assert found[0].n_shared == 2
    assert found[1].n_shared == 1
    alone = rater_view([0, 0], [0, 0], [1, 1])
    assert "no item" in alone[0].agreement.reason


def test_scale_and_one_category():
    item, rater, answer = [0, 0, 1, 1, 2, 2], [0, 1] * 3, [0, 1, 2, 1, 0, 0]
    linear, plain = (rater_view(item, rater, answer, scale=s)[0].agreement for s in ("linear", "identity"))
    assert plain.value == pytest.approx((1 / 3 - 2 / 9) / (7 / 9))
    assert linear.value == pytest.approx((2 / 3 - 5 / 9) / (4 / 9))
    assert "one category" in rater_view([0, 0], [0, 1], [0, 0])[0].agreement.reason


def test_errors():
    with pytest.raises(ValueError, match="seconds"):
        rater_view([0], [0], [0], seconds=[1, 2])
