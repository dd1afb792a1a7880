"""Accuracy surfaces: where a classifier fails, how sure that is, and what to label next."""

from comoderate.surface.arms import ArmEncoder, ArmTable, tabulate
from comoderate.surface.attributes import Attribute, Binned, Category, Mentions, TextLength
from comoderate.surface.base import Prediction, Surface
from comoderate.surface.beta import BetaI, Constant, EmpiricalBayes
from comoderate.surface.logistic_normal import LogisticNormal
from comoderate.surface.posterior import Posterior
from comoderate.surface.scores import SurfaceScores, surface_scores

AccuracySurface = LogisticNormal

__all__ = [
    "AccuracySurface",
    "ArmEncoder",
    "ArmTable",
    "Attribute",
    "BetaI",
    "Binned",
    "Category",
    "Constant",
    "EmpiricalBayes",
    "LogisticNormal",
    "Mentions",
    "Posterior",
    "Prediction",
    "Surface",
    "SurfaceScores",
    "TextLength",
    "surface_scores",
    "tabulate",
]
