import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.metrics import auroc, estimate
from comoderate.sampling import PostStrata, bootstrap_weights, hajek_mean, replicate_weights


def survey(seed=0, n=400):
    generator = np.random.default_rng(seed)
    h = generator.integers(0, 20, n)
    y = (generator.random(n) < 0.1 + 0.02 * h).astype(float)
    return y, generator.uniform(1, 4, n), h, generator.integers(0, 60, n)


def spread(y, replicates):
    return np.std([r @ y / r.sum() for r in replicates])


@pytest.mark.parametrize("kind", ["none", "strata", "nested", "crossing"])
def test_spread_agrees_with_linearisation(kind):
    y, w, h, c = survey()
    options = {
        "none": {},
        "strata": {"stratum": h},
        "nested": {"stratum": h, "cluster": h * 10 + c % 4},
        "crossing": {"stratum": h, "cluster": c},
    }[kind]
    got = spread(y, replicate_weights(w, **options, n_replicates=500, random_state=1))
    assert got == pytest.approx(hajek_mean(y, w, **options).se, rel=0.1)


def test_strata_of_one_and_two_units():
    y, w, _, _ = survey()
    h = np.arange(len(y)) // 3 + (np.arange(len(y)) % 3 == 2) * 1000
    replicates = list(replicate_weights(w, stratum=h, n_replicates=400, random_state=2))
    assert spread(y, replicates) == pytest.approx(hajek_mean(y, w, stratum=h).se, rel=0.1)
    assert np.mean(replicates, axis=0) == pytest.approx(w, rel=0.35)


def test_unlabelled_get_zero_and_the_seed_repeats():
    w = np.array([1.0, np.nan, 2.0, 0.0, 1.0])
    one = list(replicate_weights(w, n_replicates=3, random_state=5))
    two = list(replicate_weights(w, n_replicates=3, random_state=5))
    np.testing.assert_array_equal(one, two)
    assert all(r[1] == 0 and r[3] == 0 for r in one)
    assert len(one) == 3
    with pytest.raises(ValueError, match="0 or more"):
        next(replicate_weights([-1.0]))


def test_recomputed_weights_keep_known_totals_and_drawn_mass():
    generator = np.random.default_rng(3)
    n = 200
    day, positive = generator.integers(0, 5, n), generator.integers(0, 2, n)
    pi, has = np.where(positive, 0.5, 0.1), generator.random(n) < 0.7
    cell = day * 2 + positive
    known = PostStrata(np.arange(10), np.arange(10) + 20.0, np.arange(10) % 2)
    for w in bootstrap_weights(pi, cell, has, stratum=day, known=known, n_replicates=20, random_state=1):
        assert w.sum() == pytest.approx(245)
        assert np.all(w[~has] == 0)
    for w in bootstrap_weights(pi, cell, has, stratum=day, n_replicates=20, random_state=1):
        assert w.sum() == pytest.approx((1 / pi).sum(), rel=0.5)


def test_any_metric_gets_an_interval_from_the_design():
    y, w, h, _ = survey()
    proba = np.clip(0.5 * y + np.random.default_rng(1).random(len(y)) * 0.5, 0, 1)
    got = estimate(auroc, y, proba, sample_weight=w, replicates=replicate_weights(w, stratum=h, random_state=0))
    assert got.low < got.value < got.high
    mean = estimate(
        lambda y, sample_weight: np.average(y, weights=sample_weight),
        y,
        sample_weight=w,
        replicates=replicate_weights(w, stratum=h, random_state=0),
    )
    assert mean.se == pytest.approx(hajek_mean(y, w, stratum=h).se, rel=0.15)


@given(st.integers(0, 10**6))
def test_replicates_keep_each_stratum_on_average(seed):
    generator = np.random.default_rng(seed)
    h, w = np.repeat(np.arange(6), generator.integers(1, 5, 6)), None
    w = generator.uniform(1, 5, len(h))
    for r in replicate_weights(w, stratum=h, n_replicates=5, random_state=seed):
        assert np.all(r >= 0)
        assert r.shape == w.shape
        factor = r / w
        for stratum in np.flatnonzero(np.bincount(h) >= 2):
            inside = h == stratum
            if np.count_nonzero(np.bincount(h) == 1) != 1:  # a lone single post joins another stratum
                assert factor[inside].sum() == pytest.approx(inside.sum())


def test_without_labelled_posts_every_replicate_is_nothing():
    nothing = list(replicate_weights([np.nan, 0.0], stratum=["a", "b"], n_replicates=3))
    assert [w.tolist() for w in nothing] == [[0.0, 0.0]] * 3
    none = list(bootstrap_weights([0.5, 0.5], ["a", "a"], [False, False], n_replicates=2))
    assert [w.tolist() for w in none] == [[0.0, 0.0]] * 2
    assert next(replicate_weights([], n_replicates=1)).shape == (0,)
