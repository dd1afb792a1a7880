"""Accuracy surfaces: where a classifier fails, how sure that is, and what to label next."""

from comoderate.surface.arms import ArmEncoder, ArmTable, tabulate
from comoderate.surface.attributes import Attribute, Binned, Category, Mentions, TextLength
from comoderate.surface.base import Prediction, Surface
from comoderate.surface.beta import BetaI, Constant, EmpiricalBayes
from comoderate.surface.boosting import Boosted
from comoderate.surface.calibrate import ArmCalibration
from comoderate.surface.conditional import predict_class, predict_decided
from comoderate.surface.derived import Which
from comoderate.surface.drift import Drift, drift
from comoderate.surface.effects import Effect, in_words, main_deviations, main_effects, mean_deviation, pair_effects
from comoderate.surface.explore import STRATEGIES, Round, State, Stop, propose, simulate
from comoderate.surface.language import Language, language_of
from comoderate.surface.latent import FractionalCounts, arm_posterior, fit_latent, fractional_counts
from comoderate.surface.logistic_normal import LogisticNormal
from comoderate.surface.posterior import Posterior
from comoderate.surface.powered import Powered, powered_arms
from comoderate.surface.scales import ScalePoints
from comoderate.surface.scores import SurfaceScores, surface_scores
from comoderate.surface.selection import Choice, choose
from comoderate.surface.worst import WeakArms, weak_arms

AccuracySurface = LogisticNormal

__all__ = [
    "STRATEGIES",
    "AccuracySurface",
    "ArmCalibration",
    "ArmEncoder",
    "ArmTable",
    "Attribute",
    "BetaI",
    "Binned",
    "Boosted",
    "Category",
    "Choice",
    "Constant",
    "Drift",
    "Effect",
    "EmpiricalBayes",
    "FractionalCounts",
    "Language",
    "LogisticNormal",
    "Mentions",
    "Posterior",
    "Powered",
    "Prediction",
    "Round",
    "ScalePoints",
    "State",
    "Stop",
    "Surface",
    "SurfaceScores",
    "TextLength",
    "WeakArms",
    "Which",
    "arm_posterior",
    "choose",
    "drift",
    "fit_latent",
    "fractional_counts",
    "in_words",
    "language_of",
    "main_deviations",
    "main_effects",
    "mean_deviation",
    "pair_effects",
    "powered_arms",
    "predict_class",
    "predict_decided",
    "propose",
    "simulate",
    "surface_scores",
    "tabulate",
    "weak_arms",
]
