import numpy as np
import pytest

import comoderate.metrics as m

FRACTIONS = [0.02, 0.05, 0.1, 0.2, 0.4]


def sample(n=600, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.5, 2, n)
    return rng.random(n) < p, p


def test_a_paired_difference_is_sharper_than_two_intervals():
    y, p = sample()
    options = {"review_fraction": 0.1, "random_state": 0}
    paired = m.difference(m.oracle_collaborative_accuracy, (y, p, p * (1 - p)), (y, p, p), **options)
    one = m.estimate(m.oracle_collaborative_accuracy, y, p, p * (1 - p), **options)
    two = m.estimate(m.oracle_collaborative_accuracy, y, p, p, **options)
    assert paired.value == pytest.approx(one.value - two.value)
    assert paired.se < 0.9 * np.hypot(one.se, two.se)


def test_the_difference_of_a_scorer_with_itself_is_nothing():
    y, p = sample()
    same = m.difference(m.auroc, (y, p), (y, p), replicates=20)
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)
    curves = m.difference(m.collaboration_curves, (y, p, p), (y, p, p), review_fraction=FRACTIONS, replicates=5)
    assert [e.value for e in curves] == [0.0] * 25


def test_a_band_is_wider_than_its_pointwise_intervals():
    y, p = sample()
    options = {"review_fraction": FRACTIONS, "random_state": 0, "replicates": 300}
    band = m.simultaneous_band(m.oracle_collaborative_accuracy, y, p, p, **options)
    points = m.estimate(m.oracle_collaborative_accuracy, y, p, p, method="normal", **options)
    for wide, narrow in zip(band, points):
        assert wide.low < narrow.low
        assert wide.high > narrow.high
        assert wide.value == narrow.value


def test_undefined_values_take_no_part_in_a_band():
    y, p = sample(50)
    band = m.simultaneous_band(m.review_efficiency, y, p, p, review_fraction=[0.0, 0.5, 1.0], replicates=50)
    assert np.isnan(band[0].value)
    assert "capacity" in band[0].reason
    assert band[1].low < band[1].value
    with pytest.raises(ValueError, match="level"):
        m.simultaneous_band(m.review_efficiency, y, p, p, review_fraction=[0.5], replicates=5, level=2)


@pytest.mark.slow
def test_bands_cover_whole_curves():
    rng = np.random.default_rng(1)
    y, p = sample(400_000, seed=7)
    truth = m.oracle_collaborative_accuracy(y, p, p, review_fraction=FRACTIONS)
    held, alone, rounds = 0, 0, 300
    for _ in range(rounds):
        p = rng.beta(0.5, 2, 500)
        y = rng.random(500) < p
        options = {"review_fraction": FRACTIONS, "random_state": rng}
        band = m.simultaneous_band(m.oracle_collaborative_accuracy, y, p, p, replicates=200, **options)
        points = m.estimate(m.oracle_collaborative_accuracy, y, p, p, replicates=200, **options)
        held += all(e.covers(t) for e, t in zip(band, truth))
        alone += all(e.covers(t) for e, t in zip(points, truth))
    assert held / rounds > 0.91
    assert alone < held
