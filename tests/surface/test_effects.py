import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.surface import (
    BetaI,
    EmpiricalBayes,
    LogisticNormal,
    in_words,
    main_deviations,
    main_effects,
    mean_deviation,
    pair_effects,
)

ARMS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_an_additive_surface_has_no_pair_effects():
    effects = main_effects(ARMS, [0.9, 0.8, 0.7, 0.6])
    assert effects[0].attributes == (0,)
    assert effects[0].values == (1,)
    assert effects[0].difference == pytest.approx(-0.1)
    assert [e.difference for e in pair_effects(ARMS, [0.9, 0.8, 0.7, 0.6])] == pytest.approx([0] * 4)


def test_a_pocket_is_found_as_a_pair():
    worst = pair_effects(ARMS, [0.9, 0.9, 0.9, 0.5])[0]
    assert worst.values in {(1, 1), (0, 0)}
    assert worst.difference == pytest.approx(-0.1)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 5)), min_size=4, max_size=4))
def test_main_effects_average_to_nothing(rows):
    mean, weight = zip(*rows)
    for attribute in (0, 1):
        own = [e for e in main_effects(ARMS, mean, weight=weight) if e.attributes == (attribute,)]
        assert sum(e.difference * e.weight for e in own) == pytest.approx(0, abs=1e-9)
        assert sum(e.weight for e in own) == pytest.approx(1)


def test_effects_in_words():
    names, value = ["group", "length"], lambda k, v: [["men", "women"], ["short", "long"]][k][v]
    effects = main_effects(ARMS, [0.9, 0.8, 0.7, 0.6])
    told = in_words(effects[0], names, value)
    assert told == "Where group is “women”, the accuracy is 65 %: 10.0 points below the mean."
    told = in_words(effects[0], names, value, rate="false-positive rate")
    assert told == "Where group is “women”, the false-positive rate is 35 %: 10.0 points above the mean."
    told = in_words(effects[0], names, value, reach=0.042)
    assert told == "Where group is “women”, the accuracy is 65 %: 10.0 (± 4.2) points below the mean."
    told = in_words(effects[0], names, value, rate="Brier score", share=False, reach=0.042)
    assert told == "Where group is “women”, the Brier score is 0.350: 0.100 (± 0.042) above the mean."
    pair = pair_effects(ARMS, [0.9, 0.9, 0.9, 0.5])[-1]
    assert "above what the two values alone would give" in in_words(pair, names, value)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="one value for each"):
        main_effects(ARMS, [0.5])
    with pytest.raises(ValueError, match="not be negative"):
        main_effects(ARMS, [0.5] * 4, weight=[-1, 1, 1, 1])
    with pytest.raises(ValueError, match="codes of values"):
        main_effects([[-1]], [0.5])


def world(seed, labels):
    """Eight by eight arms with effects of both attributes; counts of some labels."""
    rng = np.random.default_rng(seed)
    arms = np.array(np.meshgrid(range(8), range(8))).reshape(2, -1).T
    logit = 1.2 + rng.normal(0, 0.7, 8)[arms[:, 0]] + rng.normal(0, 0.4, 8)[arms[:, 1]] + rng.normal(0, 0.3, 64)
    rho, n = 1 / (1 + np.exp(-logit)), rng.multinomial(labels, np.full(64, 1 / 64))
    return arms, rho, n, rng.binomial(n, rho)


def test_intervals_of_main_effects_hold_and_are_narrow():
    held, width = [], []
    for seed in range(5):
        arms, rho, n, c = world(seed, 500)
        surface = LogisticNormal().fit(arms, n, c)
        p = surface.posterior(arms)
        found = main_effects(arms, p.mean)
        sd = main_deviations(surface, arms, found)
        inside = np.array([arms[:, e.attributes[0]] == e.values[0] for e in found])
        truth = np.array([rho[these].mean() - rho.mean() for these in inside])
        held += list(np.abs([e.difference for e in found] - truth) <= 1.96 * sd)
        width.append(sd.mean() / np.sqrt(p.variance).mean())
    assert 0.88 <= np.mean(held) <= 1.0
    assert np.mean(width) < 0.7  # of that of an arm by itself


@pytest.mark.parametrize("make", [lambda: LogisticNormal(integrate=False), EmpiricalBayes])
@pytest.mark.parametrize("labels", [60, 300])
def test_intervals_of_the_mean_of_all_arms_hold_and_are_narrow(make, labels):
    held, width = [], []
    for seed in range(40):
        arms, rho, n, c = world(seed, labels)
        traffic = np.random.default_rng(seed).gamma(1.0, size=len(arms))
        surface = make().fit(arms, n, c)
        p = surface.posterior(arms)
        sd = mean_deviation(surface, arms, weight=traffic)
        held.append(abs(np.average(p.mean, weights=traffic) - np.average(rho, weights=traffic)) <= 1.96 * sd)
        width.append(sd / np.average(np.sqrt(p.variance), weights=traffic))
    assert np.mean(held) >= 0.85  # .95 less three standard deviations of 40 worlds
    assert np.mean(width) < 0.7  # of what it would be if all arms erred in one direction


def test_arms_without_labels_err_together_in_the_mean():
    arms = np.arange(10)[:, None]
    few, none = BetaI().fit(arms, [10] * 5 + [0] * 5, [8] * 5 + [0] * 5), BetaI().fit(arms, [0] * 10, [0] * 10)
    assert mean_deviation(few, arms[:5]) == pytest.approx(np.sqrt(few.posterior(arms[:1]).mean[0] * 0.2 / 50), rel=0.02)
    assert mean_deviation(few, arms) > 0.5 * np.sqrt(few.posterior(arms[5:6]).variance[0])
    assert mean_deviation(none, arms) == pytest.approx(np.sqrt(none.posterior(arms[:1]).variance[0]))


def test_correlations_of_arms():
    arms, _, n, c = world(1, 300)
    found = LogisticNormal().fit(arms, n, c).correlation(arms)
    assert np.diag(found) == pytest.approx(1)
    assert found == pytest.approx(found.T)
    assert np.linalg.eigvalsh(found).min() > -1e-8
    assert LogisticNormal().fit(arms, 0 * n, 0 * c).correlation(arms).min() > 0.1
