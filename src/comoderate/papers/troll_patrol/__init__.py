"""Delisle et al. (2019), "Troll Patrol": agreement, classifiers against crowd and experts, and what sampling buys."""

from comoderate.papers.troll_patrol.paper import CORRECTIONS, DATA, TITLE, sections, seeds

__all__ = ["CORRECTIONS", "DATA", "TITLE", "sections", "seeds"]
