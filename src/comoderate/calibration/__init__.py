"""Probabilities that mean what they say: calibrators, cross-fitting, correction of the base rate."""

from comoderate.calibration.base import Calibrator
from comoderate.calibration.crossfit import Chosen, calibrators, choose_calibrator, cross_fit, folds_of
from comoderate.calibration.isotonic import Isotonic
from comoderate.calibration.parametric import Beta, Frugal, Identity, Platt, Temperature
from comoderate.calibration.prior import PriorShift, base_rate, correct_prior, shift_prior

__all__ = [
    "Beta",
    "Calibrator",
    "Chosen",
    "Frugal",
    "Identity",
    "Isotonic",
    "Platt",
    "PriorShift",
    "Temperature",
    "base_rate",
    "calibrators",
    "choose_calibrator",
    "correct_prior",
    "cross_fit",
    "folds_of",
    "shift_prior",
]
