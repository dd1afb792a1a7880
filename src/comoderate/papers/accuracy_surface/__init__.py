"""Piratla et al. (2021), "AAA": estimators, error against labels, exploration, calibration of attributes."""

from comoderate.papers.accuracy_surface.paper import CORRECTIONS, DATA, TITLE, sections, seeds

__all__ = ["CORRECTIONS", "DATA", "TITLE", "sections", "seeds"]
