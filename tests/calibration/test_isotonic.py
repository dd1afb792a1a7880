import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from comoderate.calibration import Isotonic


@given(st.integers(1, 40), st.integers(0, 500))
def test_scikit_learn_agrees(n, seed):
    rng = np.random.default_rng(seed)
    p, y, w = rng.random(n).round(1), rng.integers(0, 2, n), rng.exponential(size=n) + 0.01
    fitted = Isotonic().fit(p, y, sample_weight=w)
    peer = IsotonicRegression(out_of_bounds="clip").fit(p, y, sample_weight=w)
    grid = np.linspace(0, 1, 23)
    np.testing.assert_allclose(fitted.predict(grid), peer.predict(grid), atol=1e-9)
    assert (np.diff(fitted.values_) >= 0).all()
