import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from comoderate.metrics.estimate import Estimate
from comoderate.sampling import benjamini_hochberg, holm, p_value, simultaneous_level


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=15))
def test_twins(thousandths):
    p = np.array(thousandths) / 1000
    m, order = len(p), sorted(p)
    stepped = [max(min(1, (m - i) * order[i]) for i in range(j + 1)) for j in range(m)]
    np.testing.assert_allclose(holm(p)[np.argsort(p, kind="stable")], stepped, atol=1e-12)
    back = [min(min(1, m / (i + 1) * order[i]) for i in range(j, m)) for j in range(m)]
    np.testing.assert_allclose(benjamini_hochberg(p)[np.argsort(p, kind="stable")], back, atol=1e-12)


def test_match_statsmodels():
    p = [0.04, 0.001, 0.6, 0.012, 0.04, 0.3]
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], atol=1e-12)
    np.testing.assert_allclose(benjamini_hochberg(p), multipletests(p, method="fdr_bh")[1], atol=1e-12)


def test_undefined_values_do_not_count():
    np.testing.assert_allclose(holm([0.01, np.nan, 0.5]), [0.02, np.nan, 0.5])
    np.testing.assert_allclose(benjamini_hochberg([0.01, np.nan, 0.5]), [0.02, np.nan, 0.5])
    with pytest.raises(ValueError, match="p must be"):
        holm([1.5])


def test_p_value():
    assert p_value(Estimate(1.96, 1, 0.0, 3.92)) == pytest.approx(0.05, abs=1e-3)
    assert p_value(Estimate(2.0, 0.1, 1.0, 4.0), null=1.0, log=True) == pytest.approx(0.05, abs=1e-3)
    assert p_value(Estimate(1.0, 0, 1.0, 1.0), null=1.0) == 1
    assert p_value(Estimate(1.0, 0, 1.0, 1.0)) == 0
    assert math.isnan(p_value(Estimate.undefined("x")))


def test_simultaneous_level():
    assert simultaneous_level(0.95, 1) == pytest.approx(0.95)
    assert simultaneous_level(0.95, 10) == pytest.approx(0.995)
    with pytest.raises(ValueError, match="comparison"):
        simultaneous_level(0.95, 0)
