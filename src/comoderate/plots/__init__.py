"""Figures: one a class, in the manner of scikit-learn's displays, from arrays and frames.

Nothing here imports Matplotlib before the first figure is drawn.
"""

from comoderate.plots.agreement import AgreementDisplay
from comoderate.plots.annotations import AnnotationsPerPostDisplay, Answers, AnswersDisplay
from comoderate.plots.bands import Band, BandDisplay
from comoderate.plots.curves import Curve, Point, PrecisionRecallDisplay, RocDisplay
from comoderate.plots.display import Display
from comoderate.plots.names import statistic_name
from comoderate.plots.numbers import count, number, percent, share
from comoderate.plots.prevalence import PrevalenceDisplay
from comoderate.plots.reliability import Bins, ReliabilityDisplay
from comoderate.plots.review import ReviewCurveDisplay
from comoderate.plots.simplex import SimplexDisplay
from comoderate.plots.surface import HeatmapDisplay, QuantileDisplay
from comoderate.plots.svg import to_svg
from comoderate.plots.volume import DailyVolumeDisplay

__all__ = [
    "AgreementDisplay",
    "AnnotationsPerPostDisplay",
    "Answers",
    "AnswersDisplay",
    "Band",
    "BandDisplay",
    "Bins",
    "Curve",
    "DailyVolumeDisplay",
    "Display",
    "HeatmapDisplay",
    "Point",
    "PrecisionRecallDisplay",
    "PrevalenceDisplay",
    "QuantileDisplay",
    "ReliabilityDisplay",
    "ReviewCurveDisplay",
    "RocDisplay",
    "SimplexDisplay",
    "count",
    "number",
    "percent",
    "share",
    "statistic_name",
    "to_svg",
]
