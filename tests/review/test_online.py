import numpy as np
import pytest

from comoderate.review.online import OnlineThreshold


def drifting(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(np.linspace(0, 3, n) + np.sin(np.arange(n) / 3000), 1 + np.linspace(0, 1, n))


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.5])
def test_the_capacity_is_met_while_scores_drift(fraction):
    stream = OnlineThreshold(fraction)
    sent = stream.update(drifting(40_000))
    assert sent.mean() == pytest.approx(fraction, rel=0.03)
    weeks = sent.reshape(10, -1).mean(axis=1)
    assert (np.abs(weeks - fraction) < 0.25 * fraction + 0.002).all()


def test_a_jump_is_caught_up_with():
    score = np.concatenate([np.zeros(5000), np.ones(5000)]) + np.random.default_rng(0).random(10_000)
    stream = OnlineThreshold(0.05)
    sent = stream.update(score)
    assert sent.mean() == pytest.approx(0.05, abs=0.005)
    assert sent[-3000:].mean() == pytest.approx(0.05, abs=0.02)


def test_posts_that_are_sent_score_high():
    score = drifting(10_000)
    sent = OnlineThreshold(0.1).update(score)
    last = score[-2000:]
    assert last[sent[-2000:]].min() > np.quantile(last, 0.8)


def test_ties_are_decided_by_chance_at_the_right_rate():
    sent = OnlineThreshold(0.2).update(np.ones(10_000))
    assert sent.mean() == pytest.approx(0.2, abs=0.01)


def test_posts_may_come_in_any_portions():
    score = drifting(1000)
    stream = OnlineThreshold(0.1)
    parts = [stream.update(part) for part in np.array_split(score, 20)]
    whole = OnlineThreshold(0.1).update(score)
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert stream.seen_ == 1000
    for bad in ({"review_fraction": 0.0}, {"review_fraction": 0.1, "window": 0}):
        with pytest.raises(ValueError):
            OnlineThreshold(**bad)
    with pytest.raises(ValueError, match="NaN"):
        stream.update([np.nan])
