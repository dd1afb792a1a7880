import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import DayTable, FirstPhase, hajek_mean, union_sample
from comoderate.sampling.linearised import survey_design


def sample(seed):
    """Cells of at least two posts on four days, with 1/pi weights of a base sample and an enrichment."""
    generator = np.random.default_rng(seed)
    day, flagged = np.repeat(np.arange(4), 12), np.tile(np.repeat([0, 1], 6), 4)
    total, hand, base = np.array([400, 200, 900, 90]), np.array([60, 60, 60, 60]), np.array([16, 8, 36, 9])
    rate = 0.3
    pi = np.where(flagged, base[day] + rate * (hand[day] - base[day]), base[day]) / total[day]
    y = (generator.random(48) < 0.2 + 0.4 * flagged).astype(float)
    return y, 1 / pi, day, flagged, total, hand, base, rate


def slow_variance(y, w, day, flagged, total, hand, base, rate):
    """The docstring's three parts, in loops."""
    share = w / w.sum()
    e = y - share @ y
    variance = 0.0
    for d in range(4):
        own, split, mean_split, noise = day == d, 0.0, 0.0, 0.0
        n, c, b = total[d], hand[d], base[d]
        mass = w[own].sum()
        centre = (w[own] * e[own]).sum() / mass
        s2 = (w[own] * (e[own] - centre) ** 2).sum() / mass * own.sum() / (own.sum() - 1)
        variance += (n / w.sum()) ** 2 * (1 / c - 1 / n) * s2
        for k in (0, 1):
            cell = own & (flagged == k)
            z = share[cell] * e[cell]
            q = b / c + k * rate * (1 - b / c)
            variance += len(z) * z.var(ddof=1) * (1 - q)
            part, step = w[cell].sum() / mass, z.mean() * (1 - q) / (1 - b / c)
            split += part * step**2
            mean_split += part * step
            noise += part * (1 - part) * z.var(ddof=1) / len(z) * ((1 - q) / (1 - b / c)) ** 2
        variance_part = b * (c - b) / (c - 1) * (split - mean_split**2 - noise)
        variance += variance_part
    return variance


@given(st.integers(0, 10**6))
def test_twin(seed):
    parts = sample(seed)
    y, w, day, flagged, total, hand, base, _ = parts
    phase = FirstPhase(day, total[day], hand[day], base[day])
    got = hajek_mean(y, w, stratum=day * 2 + flagged, first_phase=phase)
    slow = slow_variance(*parts)
    without = hajek_mean(y, w, stratum=day * 2 + flagged, first_phase=FirstPhase(day, total[day], hand[day]))
    assert got.se >= without.se - 1e-12  # the random split is never taken as less than nothing
    assert got.se**2 == pytest.approx(max(slow, without.se**2))


def test_uncapped_post_stratified_is_the_stratified_variance():
    y, w, day, flagged, *_ = sample(1)
    phase = FirstPhase(day, np.full(48, 500.0), np.full(48, 500.0))
    got = hajek_mean(y, w, stratum=day * 2 + flagged, first_phase=phase)
    plain = hajek_mean(y, w, stratum=day * 2 + flagged, pi=1 / w)
    assert got.se == pytest.approx(plain.se)


def test_positives_only_in_a_census_leave_a_doubt_and_all_in_hand_and_labelled_none():
    y, flagged = np.repeat([1.0, 0.0], [6, 44]), np.repeat([1, 0], [10, 40])
    w = np.where(flagged == 1, 1.0, 10.0)
    phase = FirstPhase(np.zeros(50), np.full(50, 410), np.full(50, 410))
    y[6:10] = 1.0
    got = hajek_mean(y, w, stratum=flagged, first_phase=phase)
    assert got.se == 0
    assert got.low < got.value < got.high
    assert "no variation" in got.reason
    all_of_it = FirstPhase(np.zeros(50), np.full(50, 50), np.full(50, 50))
    got = hajek_mean(y, np.ones(50), stratum=flagged, first_phase=all_of_it)
    assert (got.se, got.low, got.high) == (0, got.value, got.value)


def test_covariance_is_bilinear():
    generator = np.random.default_rng(2)
    _, w, day, flagged, total, hand, base, _ = sample(2)
    phase = FirstPhase(day, total[day], hand[day], base[day])
    for options in (
        {"first_phase": phase},
        {"pi": 1 / w},
        {"cluster": np.arange(48) // 3},
        {"cluster": np.arange(48) % 9},
    ):
        design = survey_design(48, stratum=day * 2 + flagged, weight=w, **options)
        z = generator.normal(size=(48, 2)) / 48
        got = design.covariance(z)
        assert design.variance(z[:, 0]) == pytest.approx(got[0, 0], rel=0.05)
        if "first_phase" not in options:
            mixed = design.variance(z[:, 0] - 2 * z[:, 1])
            assert mixed == pytest.approx(got[0, 0] - 4 * got[0, 1] + 4 * got[1, 1])


@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_a_stream_is_covered_with_less_width_than_days_as_strata(rate):
    """Posts, flags and answers come anew each time; the truth is what they come from."""
    total, chance, flags = np.array([900, 300, 600]), np.array([0.02, 0.05, 0.02]), 0.15
    truth = total @ (0.85 * chance + 0.15 * 0.5) / total.sum()
    day, hits, widths, exact = np.repeat([0, 1, 2], total), [], [], []
    for r in range(150):
        rng = np.random.default_rng(r)
        flagged = rng.random(len(day)) < flags
        y = (rng.random(len(day)) < np.where(flagged, 0.5, chance[day])) * 1.0
        u = np.argsort(rng.random(len(day)))
        base = np.concatenate([u[day[u] == d][: total[d] // 6] for d in range(3)])
        left = np.setdiff1d(np.flatnonzero(flagged), base)
        there = np.bincount(day[left], minlength=3)
        quota = np.ceil(rate * there).astype(int)
        left = rng.permutation(left)
        index = np.concatenate([base, *(left[day[left] == d][: quota[d]] for d in range(3))])
        table = DayTable([0, 1, 2], total, total, total // 6, quota / there)
        one = np.ones(len(index), dtype=bool)
        long, short = (union_sample(day[index], flagged[index], one, table, stream=s) for s in (True, False))
        got = hajek_mean(y[index], long.weight, **long.options)
        days = hajek_mean(y[index], long.weight, stratum=day[index])
        hits.append(got.covers(truth))
        widths.append(got.se / days.se)
        exact.append(hajek_mean(y[index], short.weight, **short.options).se < got.se)
    assert np.mean(hits) >= 0.9
    assert np.mean(widths) < 0.97
    assert all(exact)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"in_hand": 600}, "between 1 and population"),
        ({"base_drawn": 200}, "at most in_hand"),
        ({"population": np.arange(48) + 500}, "same for all posts of a day"),
    ],
)
def test_bad_counts(fields, message):
    _, w, day, flagged, *_ = sample(3)
    values = {"population": 500, "in_hand": 100, "base_drawn": 20} | fields
    phase = FirstPhase(day, **{name: np.broadcast_to(v, 48) for name, v in values.items()})
    with pytest.raises(ValueError, match=message):
        hajek_mean(np.zeros(48), w, stratum=day * 2 + flagged, first_phase=phase)
