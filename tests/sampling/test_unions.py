import numpy as np
import pytest

from comoderate.sampling import DayTable, hajek_mean, post_stratify, respondent_weights, union_inclusion, union_sample
from comoderate.sampling.response import PostStrata

DAYS = np.array(["2017-01-01", "2017-01-02"])
TABLE = DayTable(DAYS, [1000, 400], [200, 200], [20, 8], [0.5, 0.25])


def sample():
    generator = np.random.default_rng(0)
    day = DAYS[generator.integers(0, 2, 60)]
    return day, generator.integers(0, 2, 60), generator.random(60) < 0.8


def test_joins_the_steps():
    day, flagged, has = sample()
    got = union_sample(day, flagged, has, TABLE)
    negative, positive = union_inclusion(*TABLE[1:5])
    number = np.searchsorted(DAYS, day)
    pi = np.where(flagged == 1, positive[number], negative[number])
    np.testing.assert_allclose(got.pi, pi)
    expected = respondent_weights(pi, number * 2 + flagged, has, stratum=number, kind=flagged)
    np.testing.assert_allclose(got.weight, expected.weight)
    estimate = hajek_mean(np.where(has, flagged, np.nan), got.weight, **got.options)
    assert 0 < estimate.low < estimate.value < estimate.high < 1


def test_post_stratified_where_the_flagged_are_counted():
    day, flagged, has = sample()
    got = union_sample(day, flagged, has, TABLE._replace(flagged_in_hand=[30, 50]))
    sums = [got.weight[(day == d) & (flagged == k) & has].sum() for d in DAYS for k in (0, 1)]
    np.testing.assert_allclose(sums, [850, 150, 300, 100])
    again = post_stratify(got.weight, got.stratum, PostStrata([0, 1, 2, 3], [850, 150, 300, 100]))
    np.testing.assert_allclose(again.weight, got.weight)
    y = np.where(has, flagged, np.nan)
    assert hajek_mean(y, got.weight, **got.options).value == pytest.approx(250 / 1400)


def test_a_population_cell_without_labels_is_joined_and_said():
    got = union_sample(DAYS[[0, 0, 1]], [0, 1, 0], [True] * 3, TABLE._replace(flagged_in_hand=[30, 50]))
    np.testing.assert_allclose(got.weight, [850, 250, 300])
    assert "3 into 1" in got.warnings[0]


def test_bad_input():
    with pytest.raises(ValueError, match="day 2018-01-01 has posts"):
        union_sample(["2018-01-01"], [0], [True], TABLE)
    with pytest.raises(ValueError, match="flagged_in_hand"):
        union_sample(DAYS, [0, 0], [True, True], TABLE._replace(flagged_in_hand=[300, 0]))
    with pytest.raises(ValueError, match="totals must be at least"):
        union_sample(DAYS, [0, 0], [True, True], TABLE._replace(total=[10, 10]))
    with pytest.raises(ValueError, match="pi must lie"):
        union_sample(DAYS, [0, 0], [True, True], TABLE._replace(base_drawn=[0, 8]))
