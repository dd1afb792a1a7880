"""Two strategies in one queue: what is chosen, with what chance, and whether the comparison's intervals hold."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.study.experiment import compare, depth, interleave


def chosen(seed, n=300, capacity=60, share=0.5):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.6, 2.0, n)
    found = interleave(p, p * (1 - p), capacity=capacity, share=share, tie_breaker=rng.random(n), coin=rng.random(n))
    return p, found


@given(st.integers(0, 10_000), st.integers(0, 80), st.floats(0.05, 0.95))
def test_the_queue_holds_what_both_want_and_one_of_each_pair(seed, capacity, share):
    _, found = chosen(seed, n=70, capacity=capacity, share=share)
    assert len(found.post) == min(capacity, 70)
    assert len(set(found.post)) == len(found.post)
    assert (found.chance[found.arm == "both"] == 1).all()
    np.testing.assert_allclose(found.chance[found.arm == "first"], share)
    np.testing.assert_allclose(found.chance[found.arm == "second"], 1 - share)
    assert not (np.isnan(found.rank_first) & np.isnan(found.rank_second)).any()
    places = np.fmin(found.rank_first, found.rank_second)
    assert (np.diff(places) >= 0).all()


def test_chances_are_what_happens():
    rng = np.random.default_rng(1)
    a, b, ties = rng.random(40), rng.random(40), rng.random(40)
    read = np.zeros(40)
    for _ in range(4000):
        found = interleave(a, b, capacity=10, share=0.3, tie_breaker=ties, coin=rng.random(40))
        read[found.post] += 1
    found = interleave(a, b, capacity=40, share=0.3, tie_breaker=ties, coin=rng.random(40))
    assert (found.arm == "both").all()
    top_a, top_b = set(np.argsort(-a)[:10]), set(np.argsort(-b)[:10])
    expected = [1.0 * (i in top_a and i in top_b) or 0.3 * (i in top_a) + 0.7 * (i in top_b) for i in range(40)]
    np.testing.assert_allclose(read / 4000, expected, atol=0.03)


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_a_share_that_is_no_chance_is_refused(share):
    with pytest.raises(ValueError, match="strictly between"):
        chosen(0, share=share)


def test_depth_is_where_everything_is_decided():
    first, second = [1, 2, np.nan, 4], [np.nan, 1, 3, np.nan]
    assert depth(first, second, [True] * 4) == 4
    assert depth(first, second, [True, True, True, False]) == 3
    assert depth(first, second, [True, True, False, True]) == 2
    assert depth(first, second, [False] * 4) == 0
    assert depth([], [], []) == 0


def decided(seed, share=0.5, n=1500, capacity=150):
    """A stream, its queue, and moderators who decide: who is wrong, who reads slowly."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.5, 2.0, n)
    y = rng.random(n) < p
    seconds = rng.gamma(4, np.where(p > 0.7, 3.0, 5.0))
    found = interleave(p, p * (1 - p), capacity=capacity, share=share, tie_breaker=rng.random(n), coin=rng.random(n))
    wrong = (y != (p > 0.5)).astype(float)
    lists = [np.argsort(-score)[:capacity] for score in (p, p * (1 - p))]
    truth = {"efficiency": [wrong[i].mean() for i in lists], "seconds": [seconds[i].mean() for i in lists]}
    at = found.post
    overturned = np.where(rng.random(len(at)) < 0.3, (rng.random(len(at)) < 0.1).astype(float), np.nan)
    columns = {"rank_first": found.rank_first, "rank_second": found.rank_second, "chance": found.chance}
    frame = pd.DataFrame({**columns, "wrong": wrong[at], "overturned": overturned, "seconds": seconds[at]})
    return frame, truth


def table(frame, depth=150):
    return compare(frame, names=("toxicity", "uncertainty"), depth=depth).set_index(["measure", "strategy"])


def test_lists_that_are_equal_do_not_differ():
    frame, _ = decided(3)
    same = frame.assign(
        rank_first=np.arange(1.0, len(frame) + 1), rank_second=np.arange(1.0, len(frame) + 1), chance=1.0
    )
    found = table(same)
    assert found.loc[("efficiency", "difference"), "reason"] == "both read the same posts"
    assert found.loc[("efficiency", "toxicity"), "value"] == pytest.approx(same["wrong"].mean())


def test_nothing_decided_is_undefined_everywhere():
    frame, _ = decided(3)
    for empty in (frame.iloc[:0], frame):
        found = table(empty, depth=0)
        assert found["value"].isna().all()
        assert found["reason"].notna().all()


def test_weights_are_those_of_the_lists():
    frame, _ = decided(4, share=0.25)
    inside = frame["rank_first"] <= 50
    mine = frame[inside]
    by_hand = np.average(mine["wrong"], weights=1 / mine["chance"])
    assert table(frame, depth=50).loc[("efficiency", "toxicity"), "value"] == pytest.approx(by_hand)


@pytest.mark.slow
def test_intervals_of_the_comparison_hold_as_often_as_they_say():
    """Truth: the mean over many streams of what reading both lists whole would have shown."""
    runs = [decided(seed, share=0.4) for seed in range(600)]
    for measure in ("efficiency", "seconds"):
        lists = np.mean([truth[measure] for _, truth in runs], axis=0)
        truth = {"toxicity": lists[0], "uncertainty": lists[1], "difference": lists[0] - lists[1]}
        for name, value in truth.items():
            rows = [table(frame).loc[(measure, name)] for frame, _ in runs[:300]]
            covered = np.mean([row["low"] <= value <= row["high"] for row in rows])
            bias = np.mean([row["value"] for row in rows]) - value
            assert 0.92 <= covered <= 0.985, (measure, name, covered)
            assert abs(bias) < 3 * np.std([row["value"] for row in rows]) / np.sqrt(300)


def test_few_posts_that_are_all_alike_are_no_certainty():
    columns = {"rank_first": [1, 2, 3, np.nan, np.nan], "rank_second": [np.nan, np.nan, np.nan, 1, 2], "chance": 0.5}
    frame = pd.DataFrame({**columns, "wrong": [0.0, 0, 0, 1, 1], "overturned": np.nan, "seconds": 5.0})
    row = table(frame).loc[("efficiency", "difference")]
    assert row["value"] == -1
    assert row["low"] == -1
    assert -0.5 < row["high"] < 0.5
    assert "cautious" in row["reason"]


def test_no_time_is_below_0():
    columns = {"rank_first": [1, 2, np.nan, np.nan], "rank_second": [np.nan, np.nan, 1, 2], "chance": 0.5}
    frame = pd.DataFrame({**columns, "wrong": 0.0, "overturned": np.nan, "seconds": [0.5, 90.0, 1.0, 2.0]})
    found = table(frame)
    assert found.loc[("seconds", "toxicity"), "low"] == 0
    assert found.loc[("seconds", "difference"), "low"] < 0
