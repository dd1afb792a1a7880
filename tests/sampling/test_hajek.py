import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import FirstPhase, collapse_single, hajek_domains, hajek_mean, ratio

seeds = st.integers(0, 10**6)


def sample(seed, n=60, strata=5):
    generator = np.random.default_rng(seed)
    y, w = (generator.random(n) < 0.4).astype(float), generator.uniform(0.5, 20, n)
    return y, w, generator.integers(0, strata, n), generator.integers(0, 15, n), generator.integers(0, 3, n)


def slow_variance(z, stratum, cluster=None):
    """The textbook sums, a stratum and a cluster at a time."""
    units = np.arange(len(z)) if cluster is None else np.asarray([f"{s}/{c}" for s, c in zip(stratum, cluster)])
    names = np.unique(stratum)
    count = np.array([len(np.unique(units[stratum == h])) for h in names])
    joined = collapse_single(np.searchsorted(names, stratum), count)
    total = 0.0
    for h in np.unique(joined):
        sums = np.array([z[units == u].sum() for u in np.unique(units[joined == h])])
        if len(sums) > 1:
            total += len(sums) / (len(sums) - 1) * ((sums - sums.mean()) ** 2).sum()
    return total


@given(seeds)
def test_mean_and_variance_twin(seed):
    y, w, h, c, _ = sample(seed)
    value = (w * y).sum() / w.sum()
    z = w * (y - value) / w.sum()
    got = hajek_mean(y, w, stratum=h)
    assert got.value == pytest.approx(value)
    assert got.se**2 == pytest.approx(slow_variance(z, h))
    inside = hajek_mean(y, w, stratum=h, cluster=h * 100 + c)
    assert inside.se**2 == pytest.approx(slow_variance(z, h, c))


@given(seeds)
def test_domains_twin(seed):
    y, w, h, c, d = sample(seed)
    for options in ({}, {"stratum": h}, {"stratum": h, "cluster": h * 100 + c}, {"cluster": c, "stratum": h}):
        for value, got in hajek_domains(y, w, d, **options):
            inside = d == value
            mean = np.average(y[inside], weights=w[inside])
            assert got.value == pytest.approx(mean)
            assert got.n == inside.sum()
            if got.reason is None and "cluster" not in options:
                z = inside * w * (y - mean) / w[inside].sum()
                assert got.se**2 == pytest.approx(slow_variance(z, options.get("stratum", 0 * h)))


@given(seeds)
def test_integer_weights_repeat_rows(seed):
    y, _, h, _, _ = sample(seed)
    w = np.random.default_rng(seed).integers(1, 5, len(y))
    assert hajek_mean(y, w, stratum=h).value == pytest.approx(
        hajek_mean(np.repeat(y, w), np.ones(w.sum()), stratum=np.repeat(h, w)).value
    )


@given(seeds, st.floats(0.01, 100))
def test_scale_of_weights_does_not_matter(seed, factor):
    y, w, h, c, _ = sample(seed)
    one, two = hajek_mean(y, w, stratum=h, cluster=c), hajek_mean(y, w * factor, stratum=h, cluster=c)
    assert (one.value, one.se, one.low, one.high) == pytest.approx((two.value, two.se, two.low, two.high))


def test_simple_random_sample_is_the_textbook():
    y = np.array([1, 0, 0, 1, 1, 0, 0, 0])
    assert hajek_mean(y, np.ones(8)).se == pytest.approx(math.sqrt(y.var(ddof=1) / 8))
    corrected = hajek_mean(y, np.full(8, 4.0), pi=np.full(8, 0.25))
    assert corrected.se == pytest.approx(math.sqrt(y.var(ddof=1) / 8 * 0.75))


def test_census_has_no_error():
    got = hajek_mean([1, 0, 0, 1], np.ones(4), pi=np.ones(4))
    assert (got.value, got.se, got.low, got.high) == (0.5, 0.0, 0.5, 0.5)


def test_pi_of_drawn_posts_on_few_labels_does_not_pass_for_a_census():
    got = hajek_mean([1, 0, 0, 1], np.full(4, 10.0), pi=np.ones(4))
    assert got.se == pytest.approx(math.sqrt(1 / 12 * 0.9))


def test_clusters_across_strata():
    y, w, h, _, _ = sample(3)
    own = np.arange(len(y))
    own[1] = own[0]
    h[0], h[1] = 0, 1
    got = hajek_mean(y, w, stratum=h, cluster=own)
    assert got.se == pytest.approx(hajek_mean(y, w, stratum=h).se, rel=0.15)


def test_no_variation_falls_back_to_wilson_at_kish():
    got = hajek_mean(np.zeros(20), np.ones(20))
    assert (got.value, got.se, got.low) == (0.0, 0.0, 0.0)
    assert got.high == pytest.approx(3.8415 / (20 + 3.8415), abs=1e-4)
    assert "Kish" in got.reason


def test_unlabelled_posts_are_left_out_not_read_as_negative():
    got = hajek_mean([1, np.nan, 0], [1, np.nan, 1])
    assert got.value == 0.5
    assert got.n == 2
    with pytest.raises(ValueError, match="y must be"):
        hajek_mean([1, np.nan], [1, 1])
    with pytest.raises(ValueError, match="weights must be"):
        hajek_mean([1, 0], [1, -1])
    assert hajek_mean([], []).reason == "no labelled post"
    assert hajek_mean([1.0], [2.0]).reason == "one unit has no standard error"


def test_values_outside_the_unit_interval_get_a_symmetric_interval():
    got = hajek_mean([3.0, 5.0, 10.0], np.ones(3))
    assert got.value - got.low == pytest.approx(got.high - got.value)
    assert got.method == "Hájek, wald"


def test_unknown_interval():
    with pytest.raises(ValueError, match="interval must be one of"):
        hajek_mean([1, 0], [1, 1], interval="exact")


def test_domains_with_missing_and_texts():
    domain = np.array(["b", None, "a", "b"], dtype=object)
    got = dict(hajek_domains([1, 1, 0, 0], np.ones(4), domain))
    assert list(got) == ["a", "b"]
    assert got["b"].value == 0.5
    assert got["a"].n == 1


def test_first_phase_excludes_pi():
    phase = FirstPhase(np.zeros(3), np.full(3, 9), np.full(3, 5))
    with pytest.raises(ValueError, match="cannot be combined"):
        hajek_mean([1, 0, 0], np.full(3, 3.0), first_phase=phase, pi=np.full(3, 0.3))


def test_a_mean_over_sizes_is_the_ratio_of_totals():
    rng = np.random.default_rng(8)
    n = 300
    y, w, size = (rng.random(n) < 0.3) * 1.0, rng.uniform(1, 9, n), rng.integers(0, 50, n) * 1.0
    stratum = rng.integers(0, 6, n)
    found = hajek_mean(y, w, size=size, stratum=stratum)
    other = ratio(y * size, size, w, stratum=stratum)
    assert found.value == pytest.approx(other.value)
    assert found.se == pytest.approx(other.se)
    assert 0 < found.low < found.value < found.high < 1
    assert hajek_mean(y, w, size=np.ones(n), stratum=stratum) == hajek_mean(y, w, stratum=stratum)
    every = hajek_mean(y, np.ones(n), size=size, pi=np.ones(n))
    assert every.low == every.value == every.high == pytest.approx(np.average(y, weights=size))
    assert "size 0" in hajek_mean(y, w, size=np.zeros(n)).reason
    with pytest.raises(ValueError, match="size must be"):
        hajek_mean(y, w, size=-size)


def test_a_clustered_error_is_that_of_statsmodels():
    import statsmodels.api as sm

    rng = np.random.default_rng(9)
    n = 500
    y, w, cluster = (rng.random(n) < 0.2) * 1.0, rng.uniform(1, 9, n), rng.integers(0, 60, n)
    fitted = sm.WLS(y, np.ones(n), weights=w).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    found = hajek_mean(y, w, cluster=cluster)
    assert found.value == pytest.approx(fitted.params[0], rel=1e-10)
    assert found.se == pytest.approx(fitted.bse[0], rel=1e-10)


def test_shares_of_mentions_and_of_views_are_covered():
    rng = np.random.default_rng(12)
    posts = 4_000
    mentions, views = rng.integers(1, 5, posts), rng.pareto(2.5, posts) * 100
    y = (rng.random(posts) < 0.05 * mentions) * 1.0  # who mentions many is abusive more often
    truth = {"mentions": np.average(y, weights=mentions), "views": np.average(y, weights=views)}
    hits = {"mentions": 0, "views": 0, "as if mentions were independent": 0}
    for _ in range(150):
        drawn = rng.choice(posts, 300, replace=False)
        rows = np.repeat(drawn, mentions[drawn])
        ones = np.ones(len(rows))
        found = hajek_mean(y[rows], ones, cluster=rows)
        hits["mentions"] += found.low < truth["mentions"] < found.high
        alone = hajek_mean(y[rows], ones)
        hits["as if mentions were independent"] += alone.low < truth["mentions"] < alone.high
        seen = hajek_mean(y[drawn], np.ones(300), size=views[drawn])
        hits["views"] += seen.low < truth["views"] < seen.high
    assert truth["mentions"] > 1.15 * y.mean()
    assert hits["mentions"] / 150 > 0.9
    assert hits["views"] / 150 > 0.9
    assert hits["as if mentions were independent"] < hits["mentions"] - 8
