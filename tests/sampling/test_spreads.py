import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import FirstPhase, survey_design
from comoderate.sampling.hajek import _middle
from comoderate.sampling.spreads import domain_spreads


def designs(rng, n):
    """Posts, clusters inside strata (some strata with one) and across, with pi and without; two phases."""
    stratum, author, pi = rng.integers(0, 6, n), rng.integers(0, 12, n), rng.uniform(0.05, 1, n)
    inside = stratum * 100 + author
    for keep in ({}, {"pi": pi}):
        yield survey_design(n, **keep)
        yield survey_design(n, stratum=stratum, **keep)
        yield survey_design(n, stratum=stratum, cluster=inside, **keep)
        yield survey_design(n, stratum=inside % 7, cluster=author, **keep)
        yield survey_design(n, stratum=stratum, cluster=stratum * 100 + author // 9, **keep)
    day, flagged, weight = stratum, rng.integers(0, 2, n), rng.uniform(3, 20, n)
    for base in (None, np.array([4, 9, 0, 20, 30, 7])[day]):
        phase = FirstPhase(day, np.full(n, 90), np.full(n, 30), base, None if base is None else 1 / (weight + 1))
        yield survey_design(n, stratum=2 * day + flagged, weight=weight, first_phase=phase)


@given(st.integers(0, 10**6), st.integers(1, 50))
def test_one_pass_is_a_pass_for_each_domain(seed, n):
    rng = np.random.default_rng(seed)
    z, code = rng.normal(size=n), rng.integers(-1 if seed % 2 else 0, 4, n)
    for design in designs(rng, n):
        for j, found in enumerate(domain_spreads(design, z, code, 4)):
            part = np.where(code == j, z, 0.0)
            assert found.variance == pytest.approx(design.variance(part), rel=1e-9, abs=1e-12, nan_ok=True)
            if found.variance > 1e-9:
                assert found.df == pytest.approx(design.effective_df(part), rel=1e-6)


@given(st.integers(0, 10**6))
def test_a_spread_is_a_variance_with_its_degrees_of_freedom(seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=40)
    for design in designs(rng, 40):
        assert design.spread(z) == pytest.approx((design.variance(z), design.effective_df(z)), nan_ok=True)


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 499, 500, 501, 3_000]))
def test_the_middle_of_the_mass_is_that_of_sorting(seed, n):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 9, n).astype(float) if seed % 2 else rng.lognormal(0, 2, n)
    ordered = np.sort(weight)
    expected = ordered[min(np.searchsorted(np.cumsum(ordered), weight.sum() / 2), n - 1)]
    assert _middle(weight) == expected
