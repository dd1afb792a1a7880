import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.metrics.estimate import Estimate
from comoderate.sampling import (
    difference,
    domain_differences,
    domain_ratios,
    hajek_mean,
    ratio,
    relative_risk,
    replicate_weights,
    scaled,
)


def sample(seed, n=300):
    generator = np.random.default_rng(seed)
    domain = generator.integers(0, 3, n)
    y = (generator.random(n) < 0.2 + 0.1 * domain).astype(float)
    return y, generator.uniform(1, 5, n), domain, generator.integers(0, 6, n)


@given(st.integers(0, 10**6))
def test_relative_risk_against_hajek_and_bootstrap_free_identities(seed):
    y, w, d, h = sample(seed)
    got = relative_risk(y, w, d == 1, d == 0, stratum=h)
    back = relative_risk(y, w, d == 0, d == 1, stratum=h)
    means = [np.average(y[d == j], weights=w[d == j]) for j in (0, 1)]
    assert got.value == pytest.approx(means[1] / means[0])
    assert got.low == pytest.approx(1 / back.high)
    assert got.high == pytest.approx(1 / back.low)
    gap = difference(y, w, d == 1, d == 0, stratum=h)
    assert gap.value == pytest.approx(means[1] - means[0])


def test_standard_errors_agree_with_the_bootstrap():
    y, w, d, h = sample(4, n=1500)
    got, gap = relative_risk(y, w, d == 2, d == 0, stratum=h), difference(y, w, d == 2, d == 0, stratum=h)

    def means(r):
        return [np.average(y[d == j], weights=r[d == j]) for j in (0, 2)]

    table = np.array([means(r) for r in replicate_weights(w, stratum=h, n_replicates=400, random_state=0)])
    assert np.std(np.log(table[:, 1] / table[:, 0])) == pytest.approx(got.se / got.value, rel=0.1)
    assert np.std(table[:, 1] - table[:, 0]) == pytest.approx(gap.se, rel=0.1)


def test_ratio_of_totals_with_ones_below_is_the_mean():
    y, w, _, h = sample(1)
    got, mean = ratio(y, np.ones(len(y)), w, stratum=h), hajek_mean(y, w, stratum=h)
    assert (got.value, got.se) == pytest.approx((mean.value, mean.se))


def test_a_domain_against_itself_and_overlap():
    y, w, d, _ = sample(2)
    got = relative_risk(y, w, d < 2, d < 2)
    assert (got.value, got.se) == pytest.approx((1.0, 0.0))


def test_domains():
    y, w, d, h = sample(3)
    names = np.array(["a", "b", None], dtype=object)[d]
    got = domain_ratios(y, w, names, reference="a", stratum=h)
    assert [n for n, _ in got] == ["b"]
    pairs = domain_differences(y, w, d, stratum=h)
    assert [n for n, _ in pairs] == [(0, 1), (0, 2), (1, 2)]
    with pytest.raises(ValueError, match="reference domain 'z'"):
        domain_ratios(y, w, names, reference="z")


def test_undefined():
    one, none = np.array([True, False]), np.array([False, False])
    assert "no labelled post" in relative_risk([1, 0], [1, 1], one, none).reason
    assert "second domain is 0" in relative_risk([1, 0], [1, 1], one, ~one).reason
    got = relative_risk([0, 1], [1, 1], one, ~one)
    assert got.value == 0
    assert "no positives" in got.reason
    assert "no labelled post" in difference([1, 0], [1, 1], one, none).reason
    assert "denominator" in ratio([1, 0], [0, 0], [1, 1]).reason
    assert "one unit" in ratio([1.0], [2.0], [1.0]).reason


def test_scaled():
    got = scaled(Estimate(0.1, 0.01, 0.08, 0.12, n=5, method="Hájek"), 200, method="times 200 posts a day")
    assert (got.value, got.se, got.low, got.high, got.n) == pytest.approx((20, 2, 16, 24, 5))
    assert got.method == "Hájek; times 200 posts a day"
    assert math.isnan(scaled(Estimate.undefined("x"), 2).value)
    with pytest.raises(ValueError, match="positive"):
        scaled(got, 0)


def test_posts_mentions_and_views_are_three_units():
    """Three posts with 1, 2 and 3 mentions: a share of posts, of mentions and of views differ."""
    y, views, w = np.array([1.0, 0.0, 0.0]), np.array([10.0, 30.0, 60.0]), np.ones(3)
    post = np.repeat([0, 1, 2], [1, 2, 3])
    assert hajek_mean(y, w).value == pytest.approx(1 / 3)
    mentions = hajek_mean(y[post], w[post], cluster=post)
    assert mentions.value == pytest.approx(1 / 6)
    assert ratio(y * views, views, w).value == pytest.approx(0.1)
    by_hand = ratio(y * [1, 2, 3], np.array([1, 2, 3]), w)
    assert (mentions.value, mentions.se) == pytest.approx((by_hand.value, by_hand.se))


def test_soft_labels_beside_majority():
    """Votes of three raters: the share of yes votes, and that of posts with a majority of yes."""
    votes = np.array([3, 2, 1, 0, 0, 0])
    soft, majority = hajek_mean(votes / 3, np.ones(6)), hajek_mean((votes > 1).astype(float), np.ones(6))
    assert soft.value == pytest.approx(1 / 3)
    assert majority.value == pytest.approx(1 / 3)
    assert soft.se < majority.se
