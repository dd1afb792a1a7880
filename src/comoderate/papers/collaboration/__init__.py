"""Kivlichan et al. (2021), CoToMoD: ten models in a testing and a deployment environment, and what review buys."""

from comoderate.papers.collaboration.paper import CORRECTIONS, DATA, TITLE, sections, seeds

__all__ = ["CORRECTIONS", "DATA", "TITLE", "sections", "seeds"]
