import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from comoderate.metrics import false_positive_rate, precision
from comoderate.review import choose_thresholds
from comoderate.review.thresholds import lower_bound, probability_of_pass, sequence_start, upper_bound


def posts(n, rng, slope=1.0):
    p = rng.random(n)
    return (rng.random(n) < p**slope).astype(float), p


@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from([0.01, 0.05, 0.2]))
def test_bounds_are_clopper_and_pearson(n, hits, error):
    hits = min(hits, n)
    exact = binomtest(hits, n).proportion_ci(1 - 2 * error, method="exact")
    share, size = np.array([hits / n]), np.array([float(n)])
    np.testing.assert_allclose(lower_bound(share, size, error), exact.low, atol=1e-9)
    np.testing.assert_allclose(upper_bound(share, size, error), exact.high, atol=1e-9)


def test_what_is_promised_is_what_the_metrics_say():
    y, p = posts(5000, np.random.default_rng(0))
    point = choose_thresholds(y, p, min_precision=0.9, max_false_positive_rate=0.1)["all"]
    assert point.precision == pytest.approx(precision(y, p, threshold=point.act_above))
    assert point.false_positive_rate == pytest.approx(false_positive_rate(y, p, threshold=point.act_above))
    assert point.precision_low >= 0.9
    assert point.false_positive_rate_high <= 0.1
    assert point.precision > point.precision_low
    looser = choose_thresholds(y, p, min_precision=0.8)["all"]
    assert looser.act_above < point.act_above


@pytest.mark.parametrize(
    ("asked", "weighted"),
    [
        ({"min_precision": 0.8}, False),
        ({"max_false_positive_rate": 0.05}, False),
        ({"min_precision": 0.8, "max_false_positive_rate": 0.05}, False),
        ({"min_precision": 0.8}, True),
    ],
)
def test_the_bound_holds_at_its_level(asked, weighted):
    rng = np.random.default_rng(0)
    broken, found, rounds = 0, 0, 300
    for _ in range(rounds):
        p = rng.random(500)
        y = (rng.random(500) < p).astype(float)
        weight = None
        if weighted:
            draw = np.where(y + rng.random(500) > 0.8, 1.0, 0.4)
            kept = rng.random(500) < draw
            y, p, weight = y[kept], p[kept], 1 / draw[kept]
        t = choose_thresholds(y, p, level=0.9, sample_weight=weight, **asked)["all"].act_above
        found += t < 1
        # With p uniform and calibrated, precision above t is (1 + t) / 2 and the false positive rate (1 − t)².
        low = (1 + t) / 2 < asked.get("min_precision", 0.0)
        high = (1 - t) ** 2 > asked.get("max_false_positive_rate", 1.0)
        broken += bool(t < 1 and (low or high))
    assert broken / rounds <= 0.1 + 3 * np.sqrt(0.09 / rounds)
    assert found / rounds > 0.6


def test_the_naive_threshold_breaks_the_promise():
    rng = np.random.default_rng(0)
    broken = 0
    for _ in range(40):
        y, p = posts(300, rng)
        seen = [t for t in np.sort(p)[100:-1] if precision(y, p, threshold=t) >= 0.8]
        broken += (1 + min(seen)) / 2 < 0.8
    assert broken > 15


def test_groups_with_few_labels_are_pooled_with_a_warning():
    y, p = posts(2000, np.random.default_rng(0))
    group = np.repeat(["many", "few"], [1950, 50])
    with pytest.warns(UserWarning, match="few"):
        points = choose_thresholds(y, p, min_precision=0.8, group=group)
    assert points["few"].pooled
    assert points["few"].act_above == points["all"].act_above
    assert not points["many"].pooled


def test_no_threshold_is_infinite_with_a_reason():
    y, p = np.zeros(200), np.linspace(0, 1, 200)
    point = choose_thresholds(y, p, min_precision=0.9)["all"]
    assert point.act_above == np.inf
    assert "no threshold" in point.reason
    assert choose_thresholds([1], [0.5], min_precision=0.9)["all"].act_above == np.inf


def test_how_many_labels_a_promise_takes():
    assert sequence_start(0.9, 0.05) == 29
    assert (
        lower_bound(np.array([1.0]), np.array([29.0]), 0.05)[0]
        >= 0.9
        > lower_bound(np.array([1.0]), np.array([28.0]), 0.05)
    )
    assert probability_of_pass(0.95, 50, min_precision=0.9) < probability_of_pass(0.95, 500, min_precision=0.9)
    assert probability_of_pass(0.9, 500, min_precision=0.9) <= 0.05
    for bad in ({"min_precision": 1.0}, {"level": 1.0}, {"max_false_positive_rate": 2.0}, {"group": [1]}):
        with pytest.raises(ValueError):
            choose_thresholds([0, 1], [0.1, 0.2], **bad)
