"""Every design and estimator against a synthetic year with bursts, whose truth is known."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from comoderate.sampling import (
    allocate,
    assisted_mean,
    bootstrap_weights,
    hajek_mean,
    relative_risk,
    replicate_weights,
)


def load(name):
    path = Path(__file__).parents[2] / "bench" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


simulated = load("sampling_world")
WORLD = simulated.make_world(0, days=30, mean=300)
TRUTH = WORLD.y.mean()
RISK = WORLD.y[WORLD.group == 1].mean() / WORLD.y[WORLD.group == 0].mean()


def summary(values, hits, truth):
    """Bias in Monte-Carlo errors, and coverage."""
    values = np.array(values)
    return (values.mean() - truth) / (values.std() / np.sqrt(len(values))), np.mean(hits)


def repeat(design, repetitions, measure, start=0):
    """Bias and coverage of each of several estimates of known truths."""
    found = [measure(design(WORLD, np.random.default_rng(start + r))) for r in range(repetitions)]
    return [
        summary([f[j][0].value for f in found], [f[j][0].covers(f[j][1]) for f in found], found[0][j][1])
        for j in range(len(found[0]))
    ]


def three(drawn):
    y, group, rare = WORLD.y[drawn.index], WORLD.group[drawn.index], WORLD.rare[drawn.index]
    options = drawn.options
    return [
        (hajek_mean(y, drawn.weight, **options), TRUTH),
        (relative_risk(y, drawn.weight, group == 1, group == 0, **options), RISK),
        (hajek_mean(rare, drawn.weight, **options), WORLD.rare.mean()),
    ]


@pytest.mark.parametrize("name", simulated.DESIGNS)
def test_design(name):
    overall, risk, rare = repeat(simulated.DESIGNS[name], 60, three)
    assert abs(overall[0]) < 4
    assert overall[1] >= 0.86
    assert risk[1] >= 0.86
    assert rare[1] >= 0.86


@pytest.mark.slow
@pytest.mark.parametrize("name", simulated.DESIGNS)
def test_design_covers_as_promised(name):
    overall, risk, rare = repeat(simulated.DESIGNS[name], 400, three)
    assert abs(overall[0]) < 3.5
    for _, coverage in (overall, risk, rare):  # .93 to .97, and the error of 400 repetitions
        assert 0.92 <= coverage <= 0.98


def test_assisted_estimates_under_enrichment():
    held = []

    def measure(drawn):
        y, score = WORLD.y[drawn.index], WORLD.score[drawn.index]
        plain = hajek_mean(y, drawn.weight, **drawn.options)
        got = assisted_mean(y, drawn.weight, score, WORLD.score, **drawn.options)
        held.append((got.high - got.low) / (plain.high - plain.low))
        return [(got, TRUTH)]

    for how in ("post", "days"):
        bias, coverage = repeat(lambda w, r, how=how: simulated.union_design(w, r, n=500, how=how), 60, measure)[0]
        assert abs(bias) < 4
        assert coverage >= 0.86
    assert np.mean(held) < 0.98
    assert max(held) < 1.03


def test_bootstraps_agree_with_the_linearised_error():
    drawn = simulated.union_design(WORLD, np.random.default_rng(1), how="days", response=0.7)
    y, stratum = np.nan_to_num(WORLD.y[drawn.index]), WORLD.day[drawn.index]
    linear = hajek_mean(y, drawn.weight, stratum=stratum).se
    plain = [w @ y / w.sum() for w in replicate_weights(drawn.weight, stratum=stratum, random_state=0)]
    assert np.std(plain) == pytest.approx(linear, rel=0.15)
    has = ~np.isnan(drawn.weight)
    flagged = WORLD.flagged[drawn.index]
    pi = np.where(flagged == 1, 1.0, 0.11)
    options = {"stratum": stratum, "kind": flagged, "random_state": 0, "n_replicates": 100}
    again = [w @ y / w.sum() for w in bootstrap_weights(pi, stratum * 2 + flagged, has, **options)]
    assert np.std(again) == pytest.approx(linear, rel=0.3)


def printed_weights(index, held, total, world, equation):
    """Weights by the paper's appendix as printed, for the sample ``index`` out of the posts ``held``."""
    cell = world.day * 2 + world.flagged
    in_hand = np.bincount(cell[held], minlength=2 * len(total)).reshape(-1, 2).astype(float)
    in_sample = np.bincount(cell[index], minlength=2 * len(total)).reshape(-1, 2).astype(float)
    day_share = total / total.sum()
    if equation == 17:  # p(k|d) divided by the count of k over all days
        target = in_hand / in_hand.sum(axis=0) * day_share[:, None]
        sampled = in_sample / in_sample.sum()
    elif equation == 14:  # p_A(k|d) as a mixture of p_W(k|d) with itself
        given = in_hand / in_hand.sum(axis=1, keepdims=True)
        target = given * day_share[:, None]
        beta = 1 - simulated_base(in_sample, in_hand) / in_sample.sum()
        mixed = given * np.array([1 - beta, 1.0])
        sampled = mixed / mixed.sum(axis=1, keepdims=True) * (in_sample.sum(axis=1) / in_sample.sum())[:, None]
    else:  # p(k|d) counted within the day: eq. 18 done rightly
        target = in_hand / in_hand.sum(axis=1, keepdims=True) * day_share[:, None]
        sampled = in_sample / in_sample.sum()
    return (target.ravel() / np.maximum(sampled.ravel(), 1e-12))[cell[index]]


def simulated_base(in_sample, in_hand):
    """Size of the base sample: unflagged posts were drawn only there."""
    return (in_sample[:, 0] / np.maximum(in_hand[:, 0] / in_hand.sum(axis=1), 1e-12)).sum()


@pytest.mark.parametrize(("equation", "least", "most"), [(17, 1.0, 9.0), (14, 0.3, 2.0), (18, -0.03, 0.03)])
def test_the_papers_weights(equation, least, most):
    """As printed, equation 17 and the mixture of 12 and 14 overstate; eq. 18 with p(k|d) within days does not."""
    values = []
    for r in range(40):
        rng = np.random.default_rng(r)
        index, total, *_ = simulated.draw_union(WORLD, rng, 1000, 10**9, 1.0)
        weight = printed_weights(index, np.arange(len(WORLD.y)), total, WORLD, equation)
        values.append(np.average(WORLD.y[index], weights=weight) / TRUTH - 1)
    assert least < np.mean(values) < most


def test_ignoring_days_loses_coverage_when_the_cap_bites():
    def measure(drawn):
        return [(hajek_mean(WORLD.y[drawn.index], np.ones(len(drawn.index))), TRUTH)]

    _, coverage = repeat(lambda w, r: equal_per_day(w, r), 60, measure)[0]
    assert coverage < 0.7


def equal_per_day(world, rng):
    """Forty posts of every day, as a capped collection gives them."""
    index = simulated.top(rng.random(len(world.y)), world.day, np.full(world.day.max() + 1, 40))
    return simulated.Drawn(index, np.ones(len(index)), {})


def test_a_united_sample_grows_without_redrawing():
    rng = np.random.default_rng(4)
    u, total, flagged = rng.random(len(WORLD.y)), np.bincount(WORLD.day), WORLD.flagged

    def united(base, enriched):
        first = simulated.top(u, WORLD.day, base)
        rest = np.setdiff1d(np.flatnonzero(flagged == 1), first)
        return set(first), set(rest[simulated.top(u[rest], WORLD.day[rest], enriched)])

    small = allocate(total, 500)
    large = allocate(total, 900, floors=small)
    quota = np.full(len(total), 3)
    before, after = united(small, quota), united(large, quota)
    assert before[0] <= after[0]
    assert before[0] | before[1] <= after[0] | after[1]
