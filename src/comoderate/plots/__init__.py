"""Figures: one a class, in the manner of scikit-learn's displays, from arrays and frames.

Nothing here imports Matplotlib before the first figure is drawn.
"""

from comoderate.plots.agreement import AgreementDisplay
from comoderate.plots.bands import Band, BandDisplay
from comoderate.plots.curves import Curve, Point, PrecisionRecallDisplay, RocDisplay
from comoderate.plots.display import Display
from comoderate.plots.numbers import count, number, percent
from comoderate.plots.prevalence import PrevalenceDisplay
from comoderate.plots.review import ReviewCurveDisplay
from comoderate.plots.svg import to_svg
from comoderate.plots.volume import DailyVolumeDisplay

__all__ = [
    "AgreementDisplay",
    "Band",
    "BandDisplay",
    "Curve",
    "DailyVolumeDisplay",
    "Display",
    "Point",
    "PrecisionRecallDisplay",
    "PrevalenceDisplay",
    "ReviewCurveDisplay",
    "RocDisplay",
    "count",
    "number",
    "percent",
    "to_svg",
]
