import numpy as np
import pytest
from scipy.special import expit, logit

from comoderate.calibration import Isotonic, Platt, calibrators, choose_calibrator, cross_fit, folds_of


def labelled(n=300, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return p, (rng.random(n) < expit(0.5 * logit(p) - 1)).astype(float)


def test_no_label_takes_part_in_its_own_calibration():
    p, y = labelled()
    fold = folds_of(300)
    q = cross_fit(Isotonic, p, y, fold=fold)
    turned = y.copy()
    turned[fold == 2] = 1 - turned[fold == 2]
    again = cross_fit(Isotonic, p, turned, fold=fold)
    np.testing.assert_array_equal(q[fold == 2], again[fold == 2])
    assert (q[fold != 2] != again[fold != 2]).any()


def test_unlabelled_posts_are_calibrated_on_all_labelled_ones():
    p, y = labelled()
    y[200:] = np.nan
    weight = np.where(np.isnan(y), np.nan, 2.0)
    q = cross_fit(Platt, p, y, fold=folds_of(300), sample_weight=weight)
    np.testing.assert_allclose(q[200:], Platt().fit(p[:200], y[:200], sample_weight=weight[:200]).predict(p[200:]))


def test_the_best_calibrator_is_chosen_out_of_fold():
    p, y = labelled(5000)
    chosen = choose_calibrator(p, y, fold=folds_of(5000))
    assert chosen.name in {"platt", "beta"}
    assert set(chosen.log_loss) == set(calibrators())
    assert chosen.log_loss["none"] > chosen.log_loss["platt"]


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(ValueError, match="two folds"):
        cross_fit(Platt, [0.1, 0.2], [0, 1], fold=[0, 0])
    with pytest.raises(ValueError, match="shape"):
        cross_fit(Platt, [0.1, 0.2], [0, 1], fold=[0])
    with pytest.raises(ValueError, match="n_folds"):
        folds_of(10, n_folds=1)
