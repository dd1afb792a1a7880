import numpy as np
import pytest
from scipy.stats import beta

from comoderate.surface import BetaI, LogisticNormal, drift

ARMS = np.arange(3)[:, None]


def test_changes_of_betas_are_those_of_independent_draws():
    before = BetaI(strength=2).fit(ARMS, [50, 50, 4], [45, 45, 2])
    after = BetaI(strength=2).fit(ARMS, [50, 50, 4], [25, 45, 2])
    found = drift(before, after, ARMS)
    a0, b0 = 2 * before.rate_ + 45, 2 * (1 - before.rate_) + 5
    a1, b1 = 2 * after.rate_ + 25, 2 * (1 - after.rate_) + 25
    rng = np.random.default_rng(0)
    draws = beta.rvs(a1, b1, size=20_000, random_state=rng) - beta.rvs(a0, b0, size=20_000, random_state=rng)
    assert found.difference[0] == pytest.approx(draws.mean(), abs=0.01)
    assert found.fell[0] == pytest.approx((draws < 0).mean(), abs=0.01)
    assert found.high[0] - found.low[0] == pytest.approx(np.diff(np.quantile(draws, [0.025, 0.975]))[0], abs=0.02)
    assert found.fell[1] == pytest.approx(0.5, abs=0.1)
    assert found.high[2] - found.low[2] > found.high[1] - found.low[1]


def test_a_surface_has_not_drifted_from_itself():
    fitted = LogisticNormal().fit(ARMS, [20, 10, 0], [15, 9, 0])
    found = drift(fitted, fitted, ARMS)
    assert found.difference == pytest.approx(np.zeros(3))
    assert ((found.low < 0) & (found.high > 0)).all()
    assert found.fell == pytest.approx(np.full(3, 0.5), abs=0.05)


def test_a_bad_level_is_refused():
    fitted = BetaI().fit(ARMS, [1, 1, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="level"):
        drift(fitted, fitted, ARMS, level=0.0)
