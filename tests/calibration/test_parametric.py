import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from comoderate.calibration import Beta, Calibrator, Frugal, Identity, Isotonic, Platt, Temperature, calibrators
from comoderate.calibration.logistic import fit_logistic, smoothed_targets
from comoderate.metrics import brier_score

EVERY = [Identity, Platt, Temperature, Beta, Isotonic]


def distorted(n=20_000, slope=0.4, intercept=-1.0, seed=0):
    """Probabilities p and labels whose true log odds are slope · logit p + intercept."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return p, (rng.random(n) < expit(slope * logit(p) + intercept)).astype(float)


@pytest.mark.parametrize("make", EVERY)
def test_the_battery(make):
    p, y = distorted(500)
    weight = np.random.default_rng(1).integers(0, 3, 500)
    rows = np.repeat(np.arange(500), weight)
    fitted = make().fit(p, y, sample_weight=weight)
    assert isinstance(fitted, Calibrator)
    grid = np.concatenate([[0.0, 1.0], np.linspace(0, 1, 50)])
    q = fitted.predict(grid)
    assert q.shape == grid.shape
    assert ((q >= 0) & (q <= 1)).all()
    np.testing.assert_allclose(q, make().fit(p[rows], y[rows]).predict(grid), atol=1e-6)
    for bad in ([0.1, np.nan], [0.1, 1.1]):
        with pytest.raises(ValueError):
            make().fit(bad, [0, 1])
    with pytest.raises(ValueError, match="weight"):
        make().fit([0.1], [1], sample_weight=[0.0])


def test_platt_finds_the_distortion():
    fitted = Platt().fit(*distorted())
    assert fitted.slope_ == pytest.approx(0.4, abs=0.05)
    assert fitted.intercept_ == pytest.approx(-1.0, abs=0.05)


def test_temperature_finds_the_distortion_and_keeps_decisions():
    p, y = distorted(intercept=0.0)
    fitted = Temperature().fit(p, y)
    assert fitted.temperature_ == pytest.approx(2.5, rel=0.1)
    np.testing.assert_array_equal(fitted.predict(p) > 0.5, p > 0.5)


def test_beta_bends_the_ends_apart():
    rng = np.random.default_rng(0)
    p = rng.random(50_000)
    y = rng.random(50_000) < expit(2.0 * np.log(p) - 0.5 * np.log(1 - p) + 0.3)
    fitted = Beta().fit(p, y)
    np.testing.assert_allclose([fitted.a_, fitted.b_, fitted.c_], [2.0, 0.5, 0.3], atol=0.1)


def test_beta_never_falls():
    p, y = distorted(2000, slope=-1.0)
    fitted = Beta().fit(p, y)
    assert min(fitted.a_, fitted.b_) >= 0.0
    assert (np.diff(fitted.predict(np.linspace(0, 1, 100))) >= 0).all()


@pytest.mark.parametrize("make", [Platt, Beta, Isotonic])
def test_calibration_lowers_the_brier_score(make):
    p, y = distorted()
    fresh_p, fresh_y = distorted(seed=1)
    assert brier_score(fresh_y, make().fit(p, y).predict(fresh_p)) < brier_score(fresh_y, fresh_p) - 0.02


@given(st.integers(0, 1000), st.floats(0.1, 5.0))
def test_newton_finds_the_least_loss(seed, scale):
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=40) * scale, np.ones(40)])
    y, w = (rng.random(40) < 0.4).astype(float), rng.exponential(size=40)
    target = smoothed_targets(y, w)

    def loss(beta):
        return w @ (np.logaddexp(0, x @ beta) - target * (x @ beta))

    found = fit_logistic(x, target, w)
    assert loss(found) <= minimize(loss, np.zeros(2), method="BFGS").fun + 1e-6


def test_scikit_learn_agrees_without_smoothing():
    p, y = distorted(1000)
    x = np.column_stack([logit(p), np.ones(1000)])
    peer = LogisticRegression(C=1e9, tol=1e-10).fit(x[:, :1], y)
    np.testing.assert_allclose(fit_logistic(x, y, np.ones(1000)), [peer.coef_[0, 0], peer.intercept_[0]], atol=1e-4)


def test_one_class_and_separable_posts_stay_finite():
    for y in ([0, 0, 0], [1, 1, 1], [0, 1, 1]):
        for make in calibrators().values():
            assert np.isfinite(make().fit([0.0, 0.4, 1.0], y).predict([0.0, 0.3, 1.0])).all()


def test_few_posts_of_a_class_get_the_calibrator_with_fewer_parameters():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = np.zeros(200)
    y[:49] = 1
    assert isinstance(Frugal().fit(p, y).chosen_, Platt)
    y[49] = 1
    full = Frugal().fit(p, y)
    assert isinstance(full.chosen_, Beta)
    np.testing.assert_array_equal(full.predict(p), Beta().fit(p, y).predict(p))
    weight = np.ones(200)
    weight[0] = 0
    assert isinstance(Frugal().fit(p, y, sample_weight=weight).chosen_, Platt)
    assert isinstance(Frugal(least=10).fit(p, y, sample_weight=weight).chosen_, Beta)
